/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tombstone: on kernels that cannot shut a mount's transport down (before 6.5), a small
 * NFSv4.1 answerer that takes a lost server's place for this node's own connections to it, so
 * that every process blocked on one of its mounts gets ESTALE and the mounts come off.
 *
 * The flow is turned by policy routing alone: two rules that match the server's address and port
 * and one local route, all carrying a routing protocol number of our own. No address, firewall
 * rule or other traffic of the node is touched. Only reserved source ports are turned, which the
 * kernel's client uses: a probe still reaches the server, and that is how its return is noticed. (A
 * mark would not do: the kernel looks the answer's source up without it, and takes it for forged.)
 */
#pragma once

#include "mountd/base/kerr.h"
#include "nfs/addr.h"

#define TOMBSTONE_CALL_MAX  (1U << 21) /* bytes of one RPC call; the largest write is 1 MiB */
#define TOMBSTONE_REPLY_MAX 256

/*
 * The answer to one RPC call (RFC 5531) of an NFSv4.1 or later client, without record marks, as a
 * server at that address would give that has just started and has no files: the client's session
 * is unknown (NFS4ERR_BADSESSION), it is given a new one, and every file is NFS4ERR_STALE (RFC
 * 8881, sections 8.4.2 and 18.46). The server that returns does not know that session either, so
 * that the client makes itself known to it at once. Returns the reply's length, or -EBADMSG: not a
 * call that can be answered, the connection should be dropped. Pure.
 */
int tombstone_answer(const struct addr *server, const unsigned char *call, size_t length,
	unsigned char reply[TOMBSTONE_REPLY_MAX]);

/*
 * Turns this node's traffic to server:port to itself and answers it until stop_fd is readable or
 * hung up, then turns it back, also when it fails. Blocks: in a worker process.
 */
int tombstone_serve(const struct addr *server, uint16_t port, int stop_fd, struct kerr *e);

/* Takes away every rule and route that a killed tombstone left. */
int tombstone_sweep(struct kerr *e);

/* The two halves of turning the flow; -errno. Turning back what is not turned is no error. */
int tombstone_route_turn(const struct addr *server, uint16_t port, struct kerr *e);
int tombstone_route_restore(const struct addr *server, uint16_t port, struct kerr *e);
