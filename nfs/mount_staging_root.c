/* SPDX-License-Identifier: Apache-2.0 */
/* The staging namespace: an empty private root, and in it the place where mounts are tried. */
#include "nfs/mount_staging_root.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mountd/base/cleanup.h"
#include "nfs/mount.h"
#include "nfs/private_root.h"

#define SEAL (MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC)

static int furnish(struct kerr *e)
{
	int error;

	if (unshare(CLONE_NEWNS) < 0)
		return kerr_set(e, -errno, "make staging namespace", NULL,
			"the daemon needs CAP_SYS_ADMIN");
	error = private_root_become("kora-staging", "mode=0700,size=64k,nr_inodes=8", "/proc", e);
	if (error < 0)
		return error;
	if (mkdir("/proc", 0555) < 0 || mkdir(STAGE, 0700) < 0)
		return kerr_set(e, -errno, "make folder", "in the staging namespace", NULL);
	/* libmount and we look at our own mounts there. */
	if (mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) < 0)
		return kerr_set(e, -errno, "mount proc", "in the staging namespace", NULL);
	if (mount(NULL, "/", NULL, SEAL, NULL) < 0)
		return kerr_set(e, -errno, "make read-only", "the staging namespace", NULL);
	return 0;
}

/* Lives until its parent has taken hold of the namespace, or is gone. */
_Noreturn static void build(int channel)
{
	struct kerr e = {0};
	char end;

	(void)furnish(&e);
	if (send(channel, &e, sizeof e, MSG_NOSIGNAL) == sizeof e)
		(void)!read(channel, &end, 1);
	_exit(0);
}

static int take_hold(int channel, pid_t pid, int *ret, struct kerr *e)
{
	struct kerr theirs = {0};
	char path[64];
	int fd;

	if (recv(channel, &theirs, sizeof theirs, MSG_WAITALL) != sizeof theirs)
		return kerr_set(e, -EIO, "make staging namespace", NULL, "its maker died");
	if (theirs.error && e)
		*e = theirs;
	if (theirs.error)
		return theirs.error;
	(void)snprintf(path, sizeof path, "/proc/%d/ns/mnt", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return kerr_set(e, -errno, "open mount namespace", path, NULL);
	*ret = fd;
	return 0;
}

int mount_staging_new(int *ret, struct kerr *e)
{
	_cleanup_close_ int mine = -1, theirs = -1;
	int ends[2], error;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return kerr_set(e, -errno, "make socket pair", NULL, NULL);
	mine = ends[0];
	theirs = ends[1];
	pid = fork();
	if (pid < 0)
		return kerr_set(e, -errno, "fork", NULL, NULL);
	if (pid == 0) {
		(void)close(mine);
		build(theirs);
	}
	(void)close(TAKE_FD(theirs));
	error = take_hold(mine, pid, ret, e);
	(void)close(TAKE_FD(mine));
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return error;
}
