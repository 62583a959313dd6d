/* SPDX-License-Identifier: Apache-2.0 */
/* Worker processes: fork, a deadline, a result over a socket pair, reaped through a pidfd. */
#include "mountd/job.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "mountd/base/cleanup.h"

/* A killed worker that the kernel still holds after this long is reported as stuck. */
#define KILL_PATIENCE_MS 1000

struct message {
	int error;
	struct kerr e; /* stage points to static text, at the same place in both processes */
	unsigned char result[JOB_RESULT_MAX];
};

struct job {
	struct job *next;
	struct job **link;
	struct job_call call;
	char *waits_for;
	int pidfd;
	int channel;
	struct loop_poll *poll;
	struct loop_timer *timer;
	uint64_t started_ms;
	bool killed;
	bool reported;
};

static struct job *jobs;

static void send_end(int channel, const struct message *message, size_t result_size, int fd)
{
	struct iovec iov = {(void *)message, offsetof(struct message, result) + result_size};
	union {
		struct cmsghdr header;
		char space[CMSG_SPACE(sizeof(int))];
	} control = {0};
	struct msghdr m = {.msg_iov = &iov, .msg_iovlen = 1};

	if (fd >= 0) {
		m.msg_control = &control;
		m.msg_controllen = sizeof control;
		struct cmsghdr *c = CMSG_FIRSTHDR(&m);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof fd);
		memcpy(CMSG_DATA(c), &fd, sizeof fd);
	}
	(void)sendmsg(channel, &m, MSG_NOSIGNAL);
}

static void reset_signals(void)
{
	sigset_t none;

	loop_signals_default();
	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
}

static void close_range_or_exit(int first, int last)
{
	if (first <= last && close_range((unsigned)first, (unsigned)last, 0) < 0)
		_exit(1);
}

static void close_all_but(int a, int b)
{
	int low = a < b ? a : b, high = a < b ? b : a;

	close_range_or_exit(STDERR_FILENO + 1, low - 1);
	close_range_or_exit(low + 1, high - 1);
	close_range_or_exit(high + 1, INT_MAX);
}

_Noreturn static void work(const struct job_call *call, int channel, pid_t parent)
{
	struct message message = {0};
	char watched;
	int fd = -1;

	/* A daemon that dies takes its workers along; it may have died before the request. */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != parent)
		_exit(1);
	(void)prctl(PR_SET_NAME, call->name);
	close_all_but(channel, call->keep > STDERR_FILENO ? call->keep : channel);
	reset_signals();
	if (recv(channel, &watched, sizeof watched, 0) != sizeof watched)
		_exit(1);
	message.error = call->fn(call->arg, message.result, &fd, &message.e);
	send_end(channel, &message, call->result_size, message.error ? -1 : fd);
	_exit(0);
}

static void free_job(struct job *job)
{
	loop_poll_free(job->poll);
	loop_timer_free(job->timer);
	cleanup_close(&job->pidfd);
	cleanup_close(&job->channel);
	free(job->waits_for);
	free(job);
}

static void forget(struct job *job)
{
	*job->link = job->next;
	if (job->next)
		job->next->link = job->link;
	free_job(job);
}

static int receive_fd(struct msghdr *m)
{
	struct cmsghdr *c = CMSG_FIRSTHDR(m);
	int fd = -1;

	if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
		memcpy(&fd, CMSG_DATA(c), sizeof fd);
	return fd;
}

/* What the worker has sent before it ended; -ENODATA if nothing. */
static int receive_end(const struct job *job, struct message *message, int *ret_fd)
{
	struct iovec iov = {message, offsetof(struct message, result) + job->call.result_size};
	union {
		struct cmsghdr header;
		char space[CMSG_SPACE(sizeof(int))];
	} control = {0};
	struct msghdr m = {.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof control};
	ssize_t n = recvmsg(job->channel, &m, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);

	if (n < 0 || (size_t)n != iov.iov_len)
		return -ENODATA;
	*ret_fd = receive_fd(&m);
	return 0;
}

static void fail(struct job_end *end, const struct job *job, int error, const char *why)
{
	end->error = kerr_set(&end->e, error, job->call.name, job->waits_for, "%s", why);
}

static void fill_end(
	const struct job *job, const siginfo_t *info, struct job_end *end, struct message *message)
{
	char text[64];

	if (receive_end(job, message, &end->fd) == 0) {
		end->error = message->error;
		end->e = message->e;
		if (end->error)
			memset(message->result, 0, sizeof message->result);
	} else if (job->killed) {
		end->expired = true;
		(void)snprintf(text, sizeof text, "no answer within %llu ms",
			(unsigned long long)job->call.deadline_ms);
		fail(end, job, -ETIMEDOUT, text);
	} else {
		(void)snprintf(text, sizeof text, "its worker ended with %s %d",
			info->si_code == CLD_EXITED ? "status" : "signal", info->si_status);
		fail(end, job, -EIO, text);
	}
}

static void report(struct job *job, const siginfo_t *info, bool stuck)
{
	struct message message = {0};
	struct job_end end = {.result = message.result, .fd = -1, .stuck = stuck};

	end.ms = loop_clock_ms() - job->started_ms;
	fill_end(job, info, &end, &message);
	job->reported = true;
	job->call.done(job->call.data, &end);
	cleanup_close(&end.fd);
}

static void on_exit_of_worker(void *data, unsigned events)
{
	struct job *job = data;
	siginfo_t info = {0};
	void (*gone)(void *) = job->reported ? job->call.gone : NULL;
	void *owner = job->call.data;

	(void)events;
	if (waitid(P_PIDFD, (id_t)job->pidfd, &info, WEXITED | WNOHANG) < 0 || !info.si_pid)
		return;
	if (!job->reported)
		report(job, &info, false);
	forget(job);
	if (gone)
		gone(owner);
}

static void on_deadline(void *data)
{
	struct job *job = data;

	if (job->reported)
		return;
	if (!job->killed) {
		job->killed = true;
		(void)pidfd_send_signal(job->pidfd, SIGKILL, NULL, 0);
		loop_timer_set(job->timer, KILL_PATIENCE_MS);
		return;
	}
	report(job, &(siginfo_t){0}, true);
}

/*
 * Only one that is watched begins. The kernel may keep a worker until this process has answered
 * client tracking, so that waiting for its end, killed or not, could take for ever.
 */
static int let_begin(const struct job *job)
{
	return send(job->channel, "", 1, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 ? -errno : 0;
}

static int watch(struct loop *loop, struct job *job)
{
	int r = loop_timer_new(loop, on_deadline, job, &job->timer);

	if (r < 0)
		return r;
	loop_timer_set(job->timer, job->call.deadline_ms);
	return loop_poll_new(loop, job->pidfd, LOOP_READ, on_exit_of_worker, job, &job->poll);
}

/* Signals stay blocked over the fork: a worker must not run the loop's handlers. */
static int spawn(struct job *job, int worker_end)
{
	sigset_t all, before;
	pid_t parent = getpid();
	pid_t pid;

	(void)sigfillset(&all);
	(void)sigprocmask(SIG_SETMASK, &all, &before);
	pid = fork();
	if (pid == 0)
		work(&job->call, worker_end, parent);
	int error = -errno;
	(void)sigprocmask(SIG_SETMASK, &before, NULL);
	if (pid < 0)
		return error;
	job->pidfd = pidfd_open(pid, 0);
	if (job->pidfd < 0) {
		error = -errno;
		(void)kill(pid, SIGKILL);
		(void)waitpid(pid, NULL, 0);
		return error;
	}
	return 0;
}

/* One that has not begun. */
static void kill_and_reap(struct job *job)
{
	siginfo_t info;

	if (job->pidfd < 0)
		return;
	(void)pidfd_send_signal(job->pidfd, SIGKILL, NULL, 0);
	(void)waitid(P_PIDFD, (id_t)job->pidfd, &info, WEXITED);
}

int job_start(struct loop *loop, const struct job_call *call, struct job **ret)
{
	struct job *job = calloc(1, sizeof *job);
	_cleanup_close_ int worker_end = -1;
	int ends[2];
	int r = -ENOMEM;

	if (!job)
		return r;
	job->call = *call;
	job->pidfd = job->channel = -1;
	job->started_ms = loop_clock_ms();
	if (call->waits_for && !(job->waits_for = strdup(call->waits_for)))
		goto fail;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0) {
		r = -errno;
		goto fail;
	}
	job->channel = ends[0];
	worker_end = ends[1];
	r = spawn(job, worker_end);
	if (r == 0)
		r = watch(loop, job);
	if (r == 0)
		r = let_begin(job);
	if (r < 0)
		goto fail;
	job->next = jobs;
	job->link = &jobs;
	if (jobs)
		jobs->link = &job->next;
	jobs = job;
	*ret = job;
	return 0;
fail:
	kill_and_reap(job);
	free_job(job);
	return r;
}

void job_cancel(struct job *job)
{
	job->killed = job->reported = true;
	loop_timer_stop(job->timer);
	(void)pidfd_send_signal(job->pidfd, SIGKILL, NULL, 0);
}

void job_abandon_all(void)
{
	while (jobs) {
		(void)pidfd_send_signal(jobs->pidfd, SIGKILL, NULL, 0);
		forget(jobs);
	}
}
