/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Client tracking: answers what nfsd asks on rpc_pipefs nfsd/cld, so that it knows after a
 * restart which clients may reclaim, and need not wait where there are none.
 *
 * The names are kept one file each in <state_dir>/clients, durable before the kernel is answered.
 * Questions on their way are kept, too: the next process answers them if this one ends.
 * rpc_pipefs is mounted for this process alone, attached nowhere.
 */
#pragma once

#include <stdbool.h>

#include "mountd/base/kerr.h"

struct cld;

/*
 * Opens the pipe if the kernel has it already, else as soon as it appears, and again whenever
 * nfsd is started anew. Must be alive and dispatched while nfsd's threads are being started.
 * -ENODEV: this kernel has no rpc_pipefs.
 */
int cld_new(const char *state_dir, const char *runtime_dir, struct cld **ret, struct kerr *e);
void cld_free(struct cld *c);

/* One descriptor to poll for reading, constant over c's life, and what to do then. */
int cld_get_fd(const struct cld *c);
/*
 * Answers all that waits. A failure to keep a name is told to the kernel (which then does not
 * let that client reclaim) and returned; c goes on.
 */
int cld_dispatch(struct cld *c, struct kerr *e);

/* Is the pipe there? As of the last dispatch; the kernel has it while nfsd's threads run. */
bool cld_is_open(const struct cld *c);

/*
 * Has the client of that name said that it has reclaimed all it had, in its current lease, or may
 * it do so still? nfsd takes the name of one that is expired away. 1, 0, or -errno, -EIO also where
 * names cannot be kept at present.
 */
int cld_knows(const struct cld *c, const char *name);
