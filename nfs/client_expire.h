/* SPDX-License-Identifier: Apache-2.0 */
/* Expiring clients of the server. */
#pragma once

#include <stdbool.h>

#include "mountd/base/kerr.h"
#include "nfs/nfsd_text.h"
#include "nfs/run.h"

/* Is the client with that name still to be expired? */
typedef bool client_meant_fn(int fs, const char *name, const void *data);

/*
 * Takes everything away from the client with that name in nfsd's "clients", once its address has
 * its turn, if it is meant (NULL: whatever it does) by then; and gives it 0.5 s to come back. One
 * that has just been expired is on its way back, and Linux 6.1.176 breaks down where it is expired
 * once more while it makes its session (nfsd4_create_session() does not look whether it is). nfsd
 * waits for the client's calls under way, perhaps for ever, out of reach of signals, which holds up
 * who expires at that address, and nobody else. One that goes by itself meanwhile is no failure. In
 * a worker: blocks.
 */
int client_expire(
	int fs, const char *name, client_meant_fn *meant, const void *data, struct kerr *e);

/* A client in nfsd's "clients". */
struct client {
	char name[21]; /* a number, never given twice while nfsd runs */
	struct nfsd_client is;
};

/*
 * All that tell their address; *ret is an array to be freed. fs: nfsd's filesystem. Does not block.
 * -ENOENT: no such filesystem; -ENOMEM.
 */
int clients_read(int fs, struct client **ret, size_t *ret_n, struct kerr *e);

/* Has it no file open, nor a delegation? False where that cannot be told. */
bool client_holds_nothing(int fs, const char *name);

/* Does a client of export hold anything, wherever? Does not block. fs: nfsd's filesystem. */
bool clients_hold_anything(int fs, const struct export *export);

/* Is it one of export's? One that is there and does not tell its address is. */
bool client_is_of(int fs, const char *name, const struct export *export);

/*
 * Expires what the server remembers of gone's clients that no export of others lists. A client
 * that was cut off cannot say goodbye, and nfsd would keep it, with its revoked state, for a day.
 * One that is just taking its leave has a second to do so: nfsd warns where both happen at once.
 * fs: nfsd's filesystem. May block: in a worker.
 */
int client_expire_idle(int fs, const struct export *gone, const struct export *const *others,
	size_t n_others, struct kerr *e);

/*
 * Waits for export's clients to let go of what was revoked, and expires those at work that do not:
 * nfsd tells them of it with every answer, and a client that no longer knows the state asks about
 * all it has, without an end. An idle one is left alone: it has not been told yet. *ret_any: some
 * had to be. Takes a second or two: in a worker.
 */
int client_expire_revoked(int fs, const struct export *export, bool *ret_any, struct kerr *e);
