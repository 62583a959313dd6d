/* SPDX-License-Identifier: Apache-2.0 */
/* Putting a detached mount in its place, over or under what is there. */
#pragma once

#include "nfs/actual.h"
#include "nfs/mount_staging.h"
#include "nfs/mount_target.h"

struct place {
	const struct mount *mount;
	const struct target *target;
	bool beneath; /* the kernel may be asked to mount beneath */
	char *fault;  /* as target_open_bare() */
	size_t fault_size;
	uint64_t marker; /* the mount id of the marker just placed there; 0 = none was */
};

/*
 * Makes s the topmost mount at the target: attached to the bare directory or to its marker, or
 * beneath what shows there, which is then detached. *ret_rung: static text as struct
 * mount_outcome's. -EAGAIN: the target was changed meanwhile, and nothing of s is left there.
 */
int mount_place(
	const struct place *place, const struct staged *s, const char **ret_rung, struct kerr *e);

/* Makes s, a marker, the lowest mount at the target. What shows there goes on showing. */
int mount_place_marker(struct place *place, const struct staged *s, struct kerr *e);
