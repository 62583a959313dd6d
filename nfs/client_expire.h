/* SPDX-License-Identifier: Apache-2.0 */
/* Clients of the server that have nothing left to do here. */
#pragma once

#include "mountd/base/kerr.h"
#include "nfs/run.h"

/*
 * Expires what the server remembers of gone's clients that no export of others lists. A client
 * that was cut off cannot say goodbye, and nfsd would keep it, with its revoked state, for a day.
 * fs: nfsd's filesystem. May block: in a worker.
 */
int client_expire_idle(int fs, const struct export *gone, const struct export *const *others,
	size_t n_others, struct kerr *e);
