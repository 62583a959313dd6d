/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs: a worker that waits, or a fork; a deadline; the answer; reaped through a pidfd. */
#include "mountd/job.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "mountd/base/cleanup.h"
#include "mountd/worker.h"

/* A killed worker that the kernel still holds after this long is reported as stuck. */
#define KILL_PATIENCE_MS 1000
/* Workers that wait for longer than this go, but for one. */
#define IDLE_MS 10000
/* Bounds what libraries and an aging copy of the daemon's memory can come to. */
#define CALLS_MAX 500

/* A worker, and its call; none where it waits for one. */
struct job {
	struct job *next;
	struct job **link;
	struct loop *loop;
	struct job_call call;
	char *waits_for;
	int pidfd;
	int channel;
	struct loop_poll *end_poll;
	struct loop_poll *answer_poll; /* NULL: its answer is read at its end */
	struct loop_timer *timer;
	uint64_t started_ms;
	unsigned calls;
	bool killed;
	bool reported;
	bool waits;
};

static struct job *jobs;

static void free_job(struct job *job)
{
	loop_poll_free(job->answer_poll);
	loop_poll_free(job->end_poll);
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

static void fail(struct job_end *end, const struct job *job, int error, const char *why)
{
	end->error = kerr_set(&end->e, error, job->call.name, job->waits_for, "%s", why);
}

static void fill_end(const struct job *job, const siginfo_t *info, struct job_end *end,
	struct worker_answer *answer)
{
	char text[64];

	if (worker_hear(job->channel, job->call.result_size, answer, &end->fd) == 0) {
		end->error = answer->error;
		end->e = answer->e;
		if (end->error)
			memset(answer->result, 0, sizeof answer->result);
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

static bool another_waits(const struct job *job)
{
	for (const struct job *j = jobs; j; j = j->next)
		if (j != job && j->waits)
			return true;
	return false;
}

/* Its end comes when it sees that of the channel. */
static void dismiss(struct job *job)
{
	job->waits = false;
	loop_poll_free(TAKE_PTR(job->answer_poll));
	cleanup_close(&job->channel);
	job->channel = -1;
}

static void let_wait(struct job *job)
{
	job->call.gone = NULL;
	free(TAKE_PTR(job->waits_for));
	job->waits = true;
	loop_timer_set(job->timer, IDLE_MS);
	if (job->calls >= CALLS_MAX)
		dismiss(job);
}

/* done may start the next job, and this worker be given it. */
static void report(struct job *job, const siginfo_t *info, bool stuck, bool waits)
{
	struct worker_answer answer = {0};
	struct job_end end = {.result = answer.result, .fd = -1, .stuck = stuck};
	const struct job_call call = job->call;

	end.ms = loop_clock_ms() - job->started_ms;
	fill_end(job, info, &end, &answer);
	job->reported = true;
	if (waits)
		let_wait(job);
	call.done(call.data, &end);
	cleanup_close(&end.fd);
}

static void on_answer(void *data, unsigned events)
{
	struct job *job = data;

	(void)events;
	if (!job->killed && !job->waits && worker_waits(job->channel))
		report(job, &(siginfo_t){0}, false, true);
	else
		(void)loop_poll_set(job->answer_poll, 0); /* it ends, and is reported then */
}

static void on_end_of_worker(void *data, unsigned events)
{
	struct job *job = data;
	siginfo_t info = {0};
	void (*gone)(void *) = job->reported ? job->call.gone : NULL;
	void *owner = job->call.data;

	(void)events;
	if (waitid(P_PIDFD, (id_t)job->pidfd, &info, WEXITED | WNOHANG) < 0 || !info.si_pid)
		return;
	if (!job->reported)
		report(job, &info, false, false);
	forget(job);
	if (gone)
		gone(owner);
}

static void on_deadline(void *data)
{
	struct job *job = data;

	if (job->waits && another_waits(job))
		dismiss(job);
	if (job->reported)
		return;
	if (!job->killed) {
		job->killed = true;
		(void)pidfd_send_signal(job->pidfd, SIGKILL, NULL, 0);
		loop_timer_set(job->timer, KILL_PATIENCE_MS);
		return;
	}
	report(job, &(siginfo_t){0}, true, false);
}

/*
 * Only one that is watched begins. The kernel may keep a worker until this process has answered
 * client tracking, so that waiting for its end, killed or not, could take for ever.
 */
static int let_begin(const struct job *job)
{
	return send(job->channel, "", 1, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 ? -errno : 0;
}

static int watch(struct job *job)
{
	int r = loop_timer_new(job->loop, on_deadline, job, &job->timer);

	if (r == 0)
		r = loop_poll_new(
			job->loop, job->pidfd, LOOP_READ, on_end_of_worker, job, &job->end_poll);
	if (r == 0 && job->call.arg_size)
		r = loop_poll_new(
			job->loop, job->channel, LOOP_READ, on_answer, job, &job->answer_poll);
	return r;
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
		worker_live(&job->call, worker_end, parent);
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

static void begin(struct job *job)
{
	job->started_ms = loop_clock_ms();
	job->calls++;
	job->reported = job->waits = false;
	loop_timer_set(job->timer, job->call.deadline_ms);
}

static struct job *find_waiting(const struct loop *loop)
{
	struct job *job = jobs;

	while (job && !(job->waits && job->loop == loop))
		job = job->next;
	return job;
}

/* The one that has waited, if it is still there. */
static bool give(struct job *job, const struct job_call *call, char **waits_for)
{
	if (worker_tell(job->channel, call) < 0) {
		dismiss(job);
		return false;
	}
	job->call = *call;
	job->waits_for = TAKE_PTR(*waits_for);
	begin(job);
	return true;
}

static int make(struct loop *loop, const struct job_call *call, char **waits_for, struct job **ret)
{
	struct job *job = calloc(1, sizeof *job);
	_cleanup_close_ int worker_end = -1;
	int ends[2];
	int r = -ENOMEM;

	if (!job)
		return r;
	job->loop = loop;
	job->call = *call;
	job->pidfd = job->channel = -1;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0) {
		r = -errno;
		goto fail;
	}
	job->channel = ends[0];
	worker_end = ends[1];
	r = spawn(job, worker_end);
	if (r == 0)
		r = watch(job);
	if (r == 0)
		r = let_begin(job);
	if (r < 0)
		goto fail;
	job->waits_for = TAKE_PTR(*waits_for);
	begin(job);
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

int job_start(struct loop *loop, const struct job_call *call, struct job **ret)
{
	struct job *waiting = call->arg_size ? find_waiting(loop) : NULL;
	_cleanup_free_ char *waits_for = NULL;

	if (call->waits_for && !(waits_for = strdup(call->waits_for)))
		return -ENOMEM;
	if (!waiting || !give(waiting, call, &waits_for))
		return make(loop, call, &waits_for, ret);
	*ret = waiting;
	return 0;
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
