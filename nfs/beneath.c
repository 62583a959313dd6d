/* SPDX-License-Identifier: Apache-2.0 */
/* Paths below a trusted folder, in a tree that others may change at any moment. */
#include "nfs/beneath.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "mountd/base/cleanup.h"

static const char *open_fault(int error)
{
	switch (error) {
	case -ELOOP:
		return "a symbolic link, which is not followed here";
	case -EXDEV:
		return "leads out of the volume";
	case -ENOENT:
		return "does not exist";
	case -ENOTDIR:
		return "not a directory";
	case -EOPNOTSUPP:
		return "the kernel lacks openat2(2), Linux 5.6 or newer is needed";
	default:
		return "cannot be opened";
	}
}

int beneath_openat(int root, const char *root_name, const char *relative, int flags, int *ret_fd,
	struct kerr *e)
{
	struct open_how how = {
		.flags = (unsigned)flags | O_CLOEXEC,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
	};
	int fd, error;

	/* EAGAIN: something was renamed while "..", which we never pass, or a mount was resolved.
	 */
	for (unsigned tries = 0; tries < 64; tries++) {
		fd = (int)syscall(SYS_openat2, root, relative, &how, sizeof how);
		if (fd >= 0) {
			*ret_fd = fd;
			return 0;
		}
		if (errno != EAGAIN && errno != EINTR)
			break;
	}
	error = errno == ENOSYS ? -EOPNOTSUPP : -errno;
	return kerr_set(
		e, error, "open folder", relative, "%s; below %s", open_fault(error), root_name);
}

static int open_cached(int root, const char *path, int flags, unsigned long long resolve)
{
	struct open_how how = {
		.flags = (unsigned)flags | O_CLOEXEC,
		.resolve = resolve | RESOLVE_CACHED,
	};
	int fd = (int)syscall(SYS_openat2, root, path, &how, sizeof how);

	return fd < 0 ? -errno : fd;
}

int beneath_open_cached(const char *volume, const char *relative, int flags, int *ret_fd)
{
	_cleanup_close_ int root = open_cached(AT_FDCWD, volume, O_PATH | O_DIRECTORY, 0);
	int fd = root < 0 ? root
			  : open_cached(root, relative, flags,
				    RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS);

	if (fd < 0)
		return fd;
	*ret_fd = fd;
	return 0;
}

int beneath_open(const char *volume, const char *relative, int flags, int *ret_fd, struct kerr *e)
{
	_cleanup_close_ int root = open(volume, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (root < 0)
		return kerr_set(e, -errno, "open volume", volume, NULL);
	return beneath_openat(root, volume, relative, flags, ret_fd, e);
}
