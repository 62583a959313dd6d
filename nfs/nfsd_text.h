/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The texts that nfsd and its sockets show. Pure. The *_next() readers return 1 with one more
 * entry, 0 at the end; they move *text on and skip lines that are none of their kind.
 */
#pragma once

#include "nfs/addr.h"

/* /proc/fs/nfsd/portlist: "tcp 20490". It does not tell the address. */
struct nfsd_port {
	char transport[16];
	uint16_t port;
};
int nfsd_portlist_next(const char **text, struct nfsd_port *ret);

/* A listening TCP socket of /proc/net/tcp or /proc/net/tcp6. */
struct listener {
	struct addr addr; /* may be the wildcard of its family */
	uint16_t port;
};
int proc_tcp_next(const char **text, struct listener *ret);

/* /proc/fs/nfsd/clients/<n>/info: the address a client last came from. -EINVAL: it tells none. */
int nfsd_client_address(const char *info, struct addr *ret);

/* What else the same text tells, of a client whose address it tells. */
struct nfsd_client {
	struct addr addr;
	bool confirmed;		/* or a courtesy client, whose lease is over: no half-made one */
	bool recall_failed;	/* it was called back and did not answer, lease / 10 long */
	bool holds_revoked;	/* and has not let go of it (6.9+) */
	unsigned quiet_seconds; /* since it last renewed its lease; UINT_MAX: older than 6.1 */
	char name[128];		/* by which it may reclaim; "": longer, or not plain */
};
int nfsd_client_parse(const char *info, struct nfsd_client *ret); /* -EINVAL: no address */

/*
 * /proc/fs/nfsd/clients/<n>/states: an open, lock, delegation or layout that holds a file. A
 * revoked one holds none and is skipped.
 */
struct nfsd_state {
	unsigned major, minor; /* of the superblock the file is on */
	uint64_t inode;
};
int nfsd_states_next(const char **text, struct nfsd_state *ret);
