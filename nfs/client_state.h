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

/*
 * Is another port of that server in it, by whatever version? A transport without a connection does
 * not tell its port. Pure.
 */
bool client_state_names_other_port(const char *text, const struct addr *server, uint16_t port);

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

/*
 * The device of the next mount of that server in *volumes, the rest of the contents of
 * /proc/fs/nfsfs/volumes, which is moved on. Pure.
 */
bool client_state_next_volume(const char **volumes, const struct addr *server, uint16_t port,
	unsigned *ret_major, unsigned *ret_minor);

/* Is there such a volume of that server, and none of another with the same device? Pure. */
bool client_state_owns_volume(const char *volumes, const struct addr *server, uint16_t port,
	unsigned major, unsigned minor);

/* Shuts down the mount whose "shutdown" fd is; 0 also for one that has ended since. -errno. */
int client_state_write_shutdown(int fd);

/*
 * Every call on that mount, waiting or to come, fails with EIO for good; Linux 6.5 and newer:
 * shutdown in fs/nfs/sysfs.c. -ENOENT: there is no such mount (any more), or an older kernel.
 */
int client_state_shut_down_volume(unsigned major, unsigned minor);

/*
 * The same for all mounts of a server in this network namespace, also those that are detached and
 * still in use. The kernel gives the server itself up only with the last of them. Negative errno:
 * of the first that could not be.
 */
int client_state_shut_down(const struct addr *server, uint16_t port);
