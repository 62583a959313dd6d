/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The names of the NFS clients that may reclaim after a restart, one file each:
 *
 *	<state_dir>/clients/current/<sha256 of the name>	since nfsd was started last
 *	<state_dir>/clients/recover/<sha256 of the name>	before that, until its grace ends
 *
 * A file holds the bare name, so one that a power cut left damaged is known by its own title.
 * What these functions have done is on the disk when they return.
 */
#pragma once

#include <stddef.h>

#include "mountd/base/kerr.h"

#define CLD_NAME_SIZE 1024 /* NFS4_OPAQUE_LIMIT, RFC 8881 section 3.3.10 */
#define CLD_NAMES_MAX 8192 /* in each of the two; a node has a client per agent node */

struct cld_names {
	int current; /* directories */
	int recover;
};

/* Makes the folders where they are missing; state_dir must exist. */
int cld_names_open(const char *state_dir, struct cld_names *ret, struct kerr *e);
void cld_names_close(struct cld_names *names);

/* -ENOSPC: more than CLD_NAMES_MAX; -EINVAL: empty or too long. */
int cld_names_add(const struct cld_names *names, const void *name, size_t size);
int cld_names_remove(const struct cld_names *names, const void *name, size_t size);

/* 1: it may reclaim after the next restart, or after the last one; 0: it may not; -errno. */
int cld_names_has(const struct cld_names *names, const void *name, size_t size);

/* nfsd starts anew: all names known so far may reclaim. Safe to repeat after a crash in it. */
int cld_names_begin_grace(const struct cld_names *names);
/* All have had their time: those that did not come back may no longer. */
int cld_names_end_grace(const struct cld_names *names);

/* fn for every name that may reclaim now; its negative return ends it. Damaged files are removed.
 */
typedef int cld_name_fn(const void *name, size_t size, void *data);
int cld_names_recoverable(const struct cld_names *names, cld_name_fn *fn, void *data);
