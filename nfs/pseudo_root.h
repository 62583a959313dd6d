/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pseudo-root: what clients walk through on the way to an export. A tiny read-only tmpfs,
 * directories of mode 0711, that is the whole of a private mount namespace, with each run's
 * folder bound at pseudo_path(). Nothing else of the node is in there.
 */
#pragma once

#include "mountd/base/kerr.h"
#include "nfs/run.h"

struct pseudo_root {
	int host; /* the namespace this process lives in */
	int own;  /* the pseudo-root's */
	int tree; /* the tmpfs through a writable mount that is attached nowhere */
};

#define PSEUDO_ROOT_NONE ((struct pseudo_root){.host = -1, .own = -1, .tree = -1})

/* -EBUSY: more than one thread; -EPERM: no CAP_SYS_ADMIN, or the process is in a chroot. */
int pseudo_root_new(struct pseudo_root *ret, struct kerr *e);
/* The namespace goes with its last user: entries of the kernel's caches keep what they name. */
void pseudo_root_close(struct pseudo_root *p);

/*
 * Paths resolve in the pseudo-root between these two. Whoever enters must leave; leaving does not
 * fail: it tries for three seconds, and then aborts the process, as all that came after would act
 * in the wrong place.
 */
int pseudo_root_enter(const struct pseudo_root *p, struct kerr *e);
void pseudo_root_leave(const struct pseudo_root *p);

/*
 * Binds the detached tree (not taken over) at the run's path, making what is missing of it. The
 * tree is private, so that neither side's later mounts and unmounts cross over.
 * -EEXIST: something is bound there.
 */
int pseudo_root_bind(
	const struct pseudo_root *p, const struct run_id *id, int tree, struct kerr *e);

/*
 * Unbinds the run and removes what is empty of its path. *ret_folder: a descriptor of the mount
 * that was bound. Nothing bound is success with -1.
 */
int pseudo_root_unbind(
	const struct pseudo_root *p, const struct run_id *id, int *ret_folder, struct kerr *e);

/* The inode of a directory of the tmpfs itself, by its path: "/workspaces", "/workspaces/r1". */
int pseudo_root_inode(const struct pseudo_root *p, const char *path, uint64_t *ret, struct kerr *e);
