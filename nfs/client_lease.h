/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lease that this node's NFS client holds at a server. The client renews it at two thirds of
 * its length, whether anybody is at work or not (fs/nfs/nfs4renewd.c): one that has been over for
 * long, at a server that answers, is a client that waits for itself.
 */
#pragma once

#include "nfs/addr.h"

struct client_lease {
	unsigned length_s; /* 0: nothing tells */
	unsigned over_s;   /* for how long it has been over; 0: it is not */
};

/*
 * By the mounts of server in this mount namespace, one of which may be of a client that was shut
 * down: the best of them counts. Reads /proc/self/mountstats, which asks no server.
 */
struct client_lease client_lease_read(const struct addr *server, uint16_t port);

/* A walk over that file's lines (fs/nfs/super.c, nfs_show_stats()). Pure. */
struct client_lease_walk {
	const struct addr *server;
	uint16_t port;
	struct client_lease best;
	enum { LEASE_ELSEWHERE, LEASE_OF_SERVER, LEASE_OF_PORT } at;
};
/* Takes in the next line. */
void client_lease_line(struct client_lease_walk *w, const char *line);
