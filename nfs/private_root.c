/* SPDX-License-Identifier: Apache-2.0 */
/* A mount namespace with nothing of the node in it. */
#include "nfs/private_root.h"

#include <errno.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

int private_root_become(
	const char *source, const char *options, const char *mountpoint, struct kerr *e)
{
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		return kerr_set(e, -errno, "make mounts private", "/", NULL);
	if (mount(source, mountpoint, "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, options) < 0)
		return kerr_set(e, -errno, "mount tmpfs", mountpoint, NULL);
	if (chdir(mountpoint) < 0 || syscall(SYS_pivot_root, ".", ".") < 0)
		return kerr_set(e, -errno, "pivot into private root", mountpoint,
			errno == EINVAL ? "is this node's root its initial rootfs?" : NULL);
	if (umount2(".", MNT_DETACH) < 0 || chdir("/") < 0)
		return kerr_set(e, -errno, "detach old root", NULL, NULL);
	return 0;
}
