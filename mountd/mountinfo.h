/* SPDX-License-Identifier: Apache-2.0 */
/* Follows this node's mounts: what vanished without our doing, and what a former daemon left. */
#pragma once

#include "mountd/daemon.h"

/* Negative errno. */
int mountinfo_new(struct daemon *d, struct mountinfo **ret);
void mountinfo_free(struct mountinfo *m);

/*
 * To be called when a mount has come into force: what happened to it before was nobody's matter.
 * A moment later it is looked whether it, and all others, are there.
 */
void mountinfo_look_soon(struct mountinfo *m);

/*
 * To be called now and then, as the kernel does not tell of a mountpoint that is renamed: all are
 * looked at by their places.
 */
void mountinfo_check_soon(struct mountinfo *m);
void mountinfo_check_later(struct mountinfo *m); /* within 10 s */

/*
 * For mount_detach(): the unique id of run's mount, if nothing else on this node is of run; or 0.
 * *ret_unchanged_since is the caller's to close, or untouched where it cannot be told.
 */
uint64_t mountinfo_only(struct mountinfo *m, const struct run *run, int *ret_unchanged_since);

/*
 * At the start, after the wishes are matched: mounts of ours that are neither wished for nor on
 * record become runs that are to be ended.
 */
void mountinfo_find_orphans(struct mountinfo *m);

/* What the start has read, as far as it is current: borrowed until the loop goes on; or NULL. */
const struct actual_mounts *mountinfo_table(const struct mountinfo *m);

/* The start is over: the table that it has read is of no more use. */
void mountinfo_forget(struct mountinfo *m);
