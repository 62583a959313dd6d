/* SPDX-License-Identifier: Apache-2.0 */
/* Follows this node's mounts: what vanished without our doing, and what a former daemon left. */
#pragma once

#include "mountd/daemon.h"

/* Negative errno. */
int mountinfo_new(struct daemon *d, struct mountinfo **ret);
void mountinfo_free(struct mountinfo *m);

/*
 * To be called when a mount has come into force: what happened to it before was nobody's matter;
 * and now and then, as the kernel does not tell of a mountpoint that is renamed. All mounts are
 * looked at, a moment later.
 */
void mountinfo_check_soon(struct mountinfo *m);

/*
 * At the start, after the wishes are matched: mounts of ours that are neither wished for nor on
 * record become runs that are to be ended.
 */
void mountinfo_find_orphans(struct mountinfo *m);

/* The start is over: the table that it has read is of no more use to workers. */
void mountinfo_forget(struct mountinfo *m);
