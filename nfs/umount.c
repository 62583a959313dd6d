/* SPDX-License-Identifier: Apache-2.0 */
/* Taking a mount off by its name in an open directory, never looking at the mount itself. */
#include "nfs/umount.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "mountd/base/cleanup.h"
#include "nfs/actual.h"
#include "nfs/as_owner.h"

static int umount_once(int parent, const char *name, int flags)
{
	char path[64 + NAME_MAX];

	(void)snprintf(path, sizeof path, "/proc/thread-self/fd/%d/%s", parent, name);
	return umount2(path, flags | UMOUNT_NOFOLLOW) < 0 ? -errno : 0;
}

static int umount_at(int parent, const char *name, int flags)
{
	struct stat st;
	int error = umount_once(parent, name, flags);

	if (error != -EACCES || fstat(parent, &st) < 0)
		return error;
	struct identity before;
	error = become_owner(st.st_uid, st.st_gid, &before);
	if (error < 0)
		return error;
	error = umount_once(parent, name, flags);
	resume_identity(before);
	return error;
}

int umount_plain(int parent, const char *name)
{
	return umount_at(parent, name, 0);
}

#define CHILD_PARENT 3 /* the only descriptor that the child keeps, but for the standard ones */

static pid_t start_child(int parent, const char *name, int flags)
{
	pid_t caller = getpid(), pid = fork();

	if (pid != 0)
		return pid;
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != caller)
		_exit(ECANCELED);
	/* The caller's other descriptors may be what keeps its next mount busy. */
	if (parent != CHILD_PARENT && dup2(parent, CHILD_PARENT) < 0)
		_exit(errno);
	(void)close_range(CHILD_PARENT + 1, ~0U, 0);
	_exit(-umount_at(CHILD_PARENT, name, flags));
}

static int child_result(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return WIFEXITED(status) ? -WEXITSTATUS(status) : -EINTR;
}

static bool is_gone(int mountinfo, uint64_t mount_id)
{
	_cleanup_mounts_ struct actual_mounts mounts = {0};

	return actual_mounts_read(mountinfo, &mounts) == 0 &&
	       !actual_mounts_by_id(&mounts, mount_id);
}

static int wait_gone(pid_t pid, int child, int mountinfo, uint64_t mount_id)
{
	struct pollfd fds[] = {
		{.fd = child, .events = POLLIN},
		{.fd = mountinfo, .events = POLLPRI},
	};

	for (;;) {
		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			return -errno;
		if (fds[0].revents)
			return child_result(pid);
		if (fds[1].revents && is_gone(mountinfo, mount_id))
			return 0;
	}
}

int umount_lazy(int parent, const char *name, int flags, uint64_t mount_id)
{
	_cleanup_close_ int child = -1;
	_cleanup_close_ int mountinfo = open("/proc/thread-self/mountinfo", O_RDONLY | O_CLOEXEC);
	pid_t pid;

	if (mountinfo < 0)
		return -errno;
	pid = start_child(parent, name, flags | MNT_DETACH);
	if (pid < 0)
		return -errno;
	child = (int)syscall(SYS_pidfd_open, pid, 0);
	if (child < 0)
		return child_result(pid);
	return wait_gone(pid, child, mountinfo, mount_id);
}
