/* SPDX-License-Identifier: Apache-2.0 */
/* The place of a mount: <volume>/<run>/sandbox, where only the volume is trusted. */
#pragma once

#include <limits.h>

#include "nfs/mount.h"

struct target {
	int parent;	     /* <run>, O_PATH, owned; -1 = none */
	char path[PATH_MAX]; /* the mountpoint as mountinfo names it */
};

#define TARGET_NONE ((struct target){.parent = -1})

void target_clear(struct target *t);
#define _cleanup_target_ _cleanup_(target_clear)

/* Opens <volume>/<run>, made as m's owner when missing. Errors as mount_attach(). */
int target_open(const struct mount *m, struct target *ret, struct kerr *e);

/* The same by t->path as it was then. Makes nothing; negative errno. */
int target_find(const char *path, struct target *ret);

/* Is nothing mounted there? Does not look at what is. */
bool target_is_bare(const struct target *t);

/* Does the mount that tree is the root of hang there? Does not look at it. */
bool target_holds(const struct target *t, int tree);

/*
 * The bare directory sandbox, made when missing and kept from being written to: nothing may be
 * mounted there. fault says what the operator must know (files that the mount will hide).
 */
int target_open_bare(const struct target *t, const struct mount *m, int *ret_fd, char *fault,
	size_t size, struct kerr *e);

/* The root of the mount mount_id, which is the topmost there. -EAGAIN: another one is. */
int target_open_top(const struct target *t, uint64_t mount_id, int *ret_fd, struct kerr *e);

#define TARGET_NAME "sandbox"
