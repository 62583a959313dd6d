/* SPDX-License-Identifier: Apache-2.0 */
/* Which of the mount engine's mechanisms this kernel has. */
#include <errno.h>
#include <stdio.h>
#include <sys/utsname.h>

#include "nfs/mount.h"
#include "nfs/mount_abi.h"

/* Unknown flags are refused before the descriptors are looked at. */
static bool knows_beneath(void)
{
	return move_mount(-1, "", -1, "",
		       MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH | MOVE_MOUNT_BENEATH) <
		       0 &&
	       errno == EBADF;
}

/* The file exists per mount only, so that before the first one the version has to do. */
static bool knows_shutdown(void)
{
	struct utsname name;
	unsigned major, minor;

	return uname(&name) == 0 && sscanf(name.release, "%u.%u", &major, &minor) == 2 &&
	       (major > 6 || (major == 6 && minor >= 5));
}

unsigned mount_rungs(void)
{
	return (knows_beneath() ? MOUNT_RUNG_BENEATH : 0U) |
	       (knows_shutdown() ? MOUNT_RUNG_SHUTDOWN : 0U);
}
