/* SPDX-License-Identifier: Apache-2.0 */
/* What is at the target already: taken over when it is right and answers. */
#pragma once

#include "nfs/actual.h"
#include "nfs/mount_target.h"

/*
 * seen: as for mount_attach(); it is believed of a mount whose id still shows.
 *
 * 1: what shows at the target is m, and *out says so; 0: m has to be mounted, over or under what
 * shows there. What a killed replacement left above m is taken off. -EEXIST: a foreign mount.
 * Notes in *out also whether mounts at the target propagate. Blocks while m's server is lost.
 */
int mount_adopt(const struct mount_seen *seen, const struct target *t, const struct mount *m,
	struct mount_outcome *out, struct kerr *e);

/* statfs on the filesystem of fd (O_PATH does); path only names it in *e. */
int mount_answers_fd(int fd, const char *path, struct kerr *e);
