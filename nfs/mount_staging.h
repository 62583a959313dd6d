/* SPDX-License-Identifier: Apache-2.0 */
/* Making a mount where nobody can see it. */
#pragma once

#include "nfs/actual.h"
#include "nfs/mount.h"

struct staged {
	int tree;    /* a detached mount, owned; -1 = none */
	uint64_t id; /* its mount id, which it keeps wherever it is moved */
	unsigned major, minor;
	char *options; /* owned; in force, as struct actual_mount's options; NULL for a bind */
};

#define STAGED_NONE ((struct staged){.tree = -1})

void staged_clear(struct staged *s);
#define _cleanup_staged_ _cleanup_(staged_clear)

/*
 * Mounts source in a copy of the staging namespace (see mount_staging_new()) that is the caller's
 * own, and takes a detached copy of the mount out; flags and data: mount(2)'s. The caller is back
 * in its own namespace afterwards, with the root directory of that namespace. Killed meanwhile, it
 * leaves nothing. Single-threaded callers only. Negative errno of mount(2), with the stage in *e.
 */
int mount_stage(int staging, const char *fstype, const char *source, unsigned long flags,
	const char *data, struct staged *ret, struct kerr *e);

/* A detached nosuid, nodev copy of the folder (not of mounts below it), receiving nothing. */
int mount_stage_bind(const char *volume, const char *folder, struct staged *ret, struct kerr *e);

/* The mount id that fd is on, without asking its filesystem anything. Negative errno of statx(2).
 */
int mount_id_of_fd(int fd, uint64_t *ret);
