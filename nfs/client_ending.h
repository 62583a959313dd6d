/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mounts of this node's NFS client that nobody is on any more, and that have not ended yet: who was
 * the last on one that is detached gives back its delegations as he ends, and waits, out of reach
 * of any signal, for as long as the server is silent. By then the mount has no device any more:
 * nfs_sysfs_move_sb_to_server() in fs/nfs/sysfs.c names it server-<number>.
 */
#pragma once

#include "nfs/addr.h"

/*
 * Every call of such mounts of that server, and of those that are being made, fails with EIO; Linux
 * 6.5 and newer. One whose transport has no connection does not tell its port: it is left alone
 * where this node's client knows the same address with other ports as well. Negative errno: of the
 * first that could not be.
 */
int client_ending_shut_down(const struct addr *server, uint16_t port);

/*
 * Does the last of that server's mounts only give back the session? "shutdown" must not be written
 * to any more then, though it is there: the kernel has freed what it takes (7.3 spins in it for
 * ever), and the wait has no limit of its own. Told by /sys/kernel/sunrpc, which Linux has since
 * 5.14 (net/sunrpc/sysfs.c); false where it can't be told.
 */
bool client_ending_gives_back_session(const struct addr *server, uint16_t port);

/* The port in text, the contents of a transport's xprt_info in sysfs; 0: it does not tell. Pure. */
uint16_t client_ending_port(const char *text);
