/* SPDX-License-Identifier: Apache-2.0 */
/* Sleeps on mountinfo, never on a timer alone; touches the mount only in a child. */
#include "harden/waitmount.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "harden/mountinfo.h"
#include "mountd/base/cleanup.h"

#define PROBE_MS 5000 /* a mount that is silent this long is asked anew */
#define AGAIN_MS 1000 /* after an answer that was an error, if mountinfo stays the same */

static int64_t now_ms(void)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* In the child: 0 or the errno of what failed, sent as one byte. */
static int probe(const char *path)
{
	struct statfs sfs;

	if (statfs(path, &sfs) < 0)
		return errno;
	_cleanup_closedir_ DIR *dir = opendir(path);

	if (!dir)
		return errno;
	errno = 0;
	return readdir(dir) ? 0 : errno;
}

static pid_t probe_start(const char *path, int *ret_fd)
{
	int p[2];

	if (pipe2(p, O_CLOEXEC) < 0)
		return -errno;
	pid_t pid = fork();

	if (pid == 0) {
		uint8_t e = (uint8_t)probe(path);

		_exit(write(p[1], &e, 1) == 1 ? 0 : 1);
	}
	int e = errno;

	(void)close(p[1]);
	if (pid < 0) {
		(void)close(p[0]);
		return -e;
	}
	*ret_fd = p[0];
	return pid;
}

/* 0, the errno of the answer, or ETIMEDOUT. The child may be in an uninterruptible sleep: it is
 * killed, and reaped only if it went. */
static int ask(const char *path, int64_t until)
{
	int fd = -1;
	pid_t pid = probe_start(path, &fd);
	uint8_t e = EIO;

	if (pid < 0)
		return -pid;
	int64_t left = until - now_ms();
	struct pollfd pfd = {.fd = fd, .events = POLLIN};
	bool answered = poll(&pfd, 1, left > PROBE_MS ? PROBE_MS : left > 0 ? (int)left : 0) > 0;

	if (answered && read(fd, &e, 1) != 1)
		e = EIO;
	(void)close(fd);
	if (!answered)
		(void)kill(pid, SIGKILL);
	(void)waitpid(pid, NULL, answered ? 0 : WNOHANG);
	return answered ? e : ETIMEDOUT;
}

/* What is at path: described in seen; 0 when it is there and answers. */
static int look(int fd, const char *path, int64_t until, char *seen, size_t len)
{
	_cleanup_free_ char *text = NULL;
	struct mount_line m;
	int r = proc_read_all(fd, &text);

	if (r < 0)
		return r;
	if (mountinfo_find(text, path, &m) < 0) {
		(void)snprintf(seen, len, "nothing is mounted there%s",
			access(path, F_OK) < 0 && errno == ENOENT ? ", the directory does not exist"
								  : "");
		return -EAGAIN;
	}
	int e = ask(path, until);

	if (e == 0)
		return 0;
	(void)snprintf(seen, len, "%s %s is mounted there but %s", m.fstype, m.source,
		e == ETIMEDOUT ? "does not answer" : strerror(e));
	return -EAGAIN;
}

int wait_for_mount(const char *path, unsigned int timeout, struct fail *f)
{
	_cleanup_close_ int fd = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
	const int64_t until = now_ms() + (int64_t)timeout * 1000;
	char seen[512] = "nothing";

	if (fd < 0)
		return fail_set(f, errno, "/proc/self/mountinfo: %s", strerror(errno));
	for (;;) {
		int r = look(fd, path, until, seen, sizeof(seen));
		int64_t left = until - now_ms();

		if (r == 0)
			return 0;
		if (r != -EAGAIN)
			return fail_set(f, -r, "/proc/self/mountinfo: %s", strerror(-r));
		if (left <= 0)
			break;
		struct pollfd pfd = {.fd = fd, .events = POLLPRI};

		(void)poll(&pfd, 1, (int)(left < AGAIN_MS ? left : AGAIN_MS));
	}
	return fail_set(f, ETIMEDOUT, "%s: not ready after %u s: %s", path, timeout, seen);
}
