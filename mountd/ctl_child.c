/* SPDX-License-Identifier: Apache-2.0 */
/* Work that may block for ever, in a child that its parent never waits for. */
#include "mountd/ctl.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

/*
 * A child stuck in the kernel outlives its parent: it must not hold the caller's stdout open, or a
 * shell's $(...) would wait for it.
 */
static _Noreturn void child_main(
	int fd, void (*body)(int fd, const void *context), const void *context)
{
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (dup2(fd, STDIN_FILENO) < 0)
		_exit(1);
	(void)close_range(STDIN_FILENO + 1, ~0U, 0);
	body(STDIN_FILENO, context);
	_exit(0);
}

int ctl_child_start(
	struct ctl_child *ret, void (*body)(int fd, const void *context), const void *context)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC) < 0)
		return -errno;
	_cleanup_close_ int read_end = fds[0];
	_cleanup_close_ int write_end = fds[1];
	if (fcntl(read_end, F_SETFL, O_NONBLOCK) < 0)
		return -errno;
	(void)fflush(NULL);
	pid_t pid = fork();
	if (pid < 0)
		return -errno;
	if (pid == 0)
		child_main(write_end, body, context);
	*ret = (struct ctl_child){.pid = pid, .fd = TAKE_FD(read_end)};
	return 0;
}

void ctl_child_end(struct ctl_child *child)
{
	if (child->pid > 0) {
		(void)kill(child->pid, SIGKILL);
		(void)waitpid(child->pid, NULL, WNOHANG);
	}
	if (child->fd >= 0)
		(void)close(child->fd);
	*child = CTL_CHILD_NONE;
}
