/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tables of this network namespace's NFS client, fs/nfs/client.c: /proc/fs/nfsfs/servers, and
 * /proc/fs/nfsfs/volumes, which lists each superblock for as long as it lives, also where it is
 * detached. A line of either begins with version, address and port, in hexadecimal.
 */
#pragma once

#include <stdbool.h>

#include "nfs/addr.h"

/* The whole table, NUL-terminated, owned. Negative errno; -ENOENT: this kernel has no client. */
int client_table_read(const char *path, char **ret);

struct client_line {
	struct addr server;
	uint16_t port;
	const char *rest; /* of the line, and of the table; borrowed */
};

/*
 * The next line of NFSv4 in *table, which is moved on; NULL, or at its end: none is left, which is
 * false. What has no address that names one host is passed over. Pure.
 */
bool client_table_next(const char **table, struct client_line *ret);
