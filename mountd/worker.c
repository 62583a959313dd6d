/* SPDX-License-Identifier: Apache-2.0 */
/* The process of a job: calls in by one end of a socket pair, answers out. */
#include "mountd/worker.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdalign.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "mountd/base/cleanup.h"

/* All that a worker that waits is told, but for the argument, which follows. */
struct order {
	job_fn *fn; /* at the same place in both processes, as is name */
	const char *name;
	size_t arg_size;
	size_t result_size;
	int keep;
};

union rights {
	struct cmsghdr header;
	char space[CMSG_SPACE(sizeof(int))];
};

static void add_fd(struct msghdr *m, union rights *control, int fd)
{
	m->msg_control = control;
	m->msg_controllen = sizeof *control;
	struct cmsghdr *c = CMSG_FIRSTHDR(m);
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof fd);
	memcpy(CMSG_DATA(c), &fd, sizeof fd);
}

static int send_all(int channel, struct iovec *iov, size_t n, int fd, int flags)
{
	union rights control = {0};
	struct msghdr m = {.msg_iov = iov, .msg_iovlen = n};

	if (fd >= 0)
		add_fd(&m, &control, fd);
	return sendmsg(channel, &m, flags | MSG_NOSIGNAL) < 0 ? -errno : 0;
}

/* *ret_fd is untouched where none came. Bytes, 0 at the channel's end, or negative errno. */
static ssize_t receive(int channel, struct iovec *iov, size_t n, int *ret_fd, int flags)
{
	union rights control = {0};
	struct msghdr m = {.msg_iov = iov,
		.msg_iovlen = n,
		.msg_control = &control,
		.msg_controllen = sizeof control};
	ssize_t size = recvmsg(channel, &m, flags | MSG_CMSG_CLOEXEC);
	struct cmsghdr *c;

	if (size < 0)
		return -errno;
	c = CMSG_FIRSTHDR(&m);
	if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
		memcpy(ret_fd, CMSG_DATA(c), sizeof *ret_fd);
	return size;
}

int worker_tell(int channel, const struct job_call *call)
{
	struct order order = {call->fn, call->name, call->arg_size, call->result_size, call->keep};
	struct iovec iov[] = {
		{&order, sizeof order},
		{(void *)call->arg, call->arg_size},
	};

	return send_all(channel, iov, 2, call->keep > 0 ? call->keep : -1, MSG_DONTWAIT);
}

int worker_hear(int channel, size_t result_size, struct worker_answer *ret, int *ret_fd)
{
	struct iovec iov = {ret, offsetof(struct worker_answer, result) + result_size};
	ssize_t size = receive(channel, &iov, 1, ret_fd, MSG_DONTWAIT);

	return size >= 0 && (size_t)size == iov.iov_len ? 0 : -ENODATA;
}

bool worker_waits(int channel)
{
	bool waits;

	return recv(channel, &waits, sizeof waits, MSG_PEEK | MSG_DONTWAIT) == sizeof waits &&
	       waits;
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

static bool has_children(void)
{
	return waitpid(-1, NULL, WNOHANG) >= 0;
}

/* Does it wait for more? Not after a failure, which may have left anything, nor with children. */
static bool carry_out(const struct job_call *call, int channel)
{
	struct worker_answer answer = {0};
	struct iovec iov = {&answer, offsetof(struct worker_answer, result) + call->result_size};
	int fd = -1;

	(void)prctl(PR_SET_NAME, call->name);
	answer.error = call->fn(call->arg, answer.result, &fd, &answer.e);
	answer.waits = call->arg_size && !answer.error && !has_children();
	if (answer.waits)
		close_all_but(channel, fd < 0 ? channel : fd);
	if (send_all(channel, &iov, 1, answer.error ? -1 : fd, 0) < 0)
		return false;
	cleanup_close(&fd);
	return answer.waits;
}

/* The descriptor that came with an order, under the number that the order gives it. */
static void put_under(int number, int fd, int *channel)
{
	if (fd == number)
		return;
	if (number == *channel && (*channel = dup(*channel)) < 0)
		_exit(1);
	if (fd < 0 || dup2(fd, number) < 0)
		_exit(1);
	(void)close(fd);
}

static void wait_for_order(struct job_call *ret, int *channel)
{
	static alignas(max_align_t) unsigned char arg[JOB_ARG_MAX];
	struct order order;
	struct iovec iov[] = {{&order, sizeof order}, {arg, sizeof arg}};
	int fd = -1;
	ssize_t size;

	(void)prctl(PR_SET_NAME, "waits");
	size = receive(*channel, iov, 2, &fd, 0);
	if (size < (ssize_t)sizeof order || (size_t)size != sizeof order + order.arg_size)
		_exit(0);
	if (order.keep > 0)
		put_under(order.keep, fd, channel);
	*ret = (struct job_call){.fn = order.fn,
		.name = order.name,
		.arg = arg,
		.arg_size = order.arg_size,
		.result_size = order.result_size};
}

_Noreturn void worker_live(const struct job_call *call, int channel, pid_t parent)
{
	struct job_call next = *call;
	char watched;

	/* A daemon that dies takes its workers along; it may have died before the request. */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != parent)
		_exit(1);
	close_all_but(channel, call->keep > STDERR_FILENO ? call->keep : channel);
	reset_signals();
	if (recv(channel, &watched, sizeof watched, 0) != sizeof watched)
		_exit(1);
	while (carry_out(&next, channel))
		wait_for_order(&next, &channel);
	_exit(0);
}
