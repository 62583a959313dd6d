/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lease that this node's NFS client holds at a server. The client renews it at two thirds of
 * its length, whether anybody is at work or not (fs/nfs/nfs4renewd.c): one that has been over for
 * long, at a server that answers, is a client that waits for itself.
 */
#pragma once

#include "nfs/addr.h"

/*
 * For how many seconds the lease has been over; 0: it is not, or nothing tells. By the mounts of
 * server in this mount namespace, one of which may be of a client that was shut down: the best of
 * them counts. Reads /proc/self/mountstats, which asks no server.
 */
unsigned client_lease_over_s(const struct addr *server, uint16_t port);

/* The same of stats, the contents of that file (fs/nfs/super.c, nfs_show_stats()). Pure. */
struct client_lease {
	const struct addr *server;
	uint16_t port;
	bool told;
	unsigned over_s; /* once it is told, of the best so far */
	enum { LEASE_ELSEWHERE, LEASE_OF_SERVER, LEASE_OF_PORT } at;
};
/* Takes in the next line. */
void client_lease_line(struct client_lease *l, const char *line);
