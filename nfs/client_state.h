/* SPDX-License-Identifier: Apache-2.0 */
/* Whether this node's NFS client still has anything to do with a server. */
#pragma once

#include <stdbool.h>

#include "nfs/addr.h"

/*
 * Is the server in text, the contents of /proc/fs/nfsfs/servers (fs/nfs/client.c: version,
 * address and port in hexadecimal, use count, name)? Pure.
 */
bool client_state_names(const char *text, const struct addr *server, uint16_t port);

/* Does the client hold the server? Also for mounts that are detached but still in use. -errno. */
int client_state_holds(const struct addr *server, uint16_t port);

/*
 * Was the client behind the mount of that device shut down while the mount was being made? Such a
 * mount answers statfs and fails every open with EIO. volumes and servers are the contents of
 * /proc/fs/nfsfs/volumes, which lists every mount's client, and servers, which lists those in
 * order. Pure.
 */
bool client_state_is_shut(const char *volumes, const char *servers, unsigned major, unsigned minor);

/* The same of this node's client now, of a mount of server; false when it cannot be told. */
bool client_state_mount_is_shut(
	const struct addr *server, uint16_t port, unsigned major, unsigned minor);
