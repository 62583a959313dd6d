/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Servers of mounts that show nowhere any more, and that somebody is still on: of these the kernel
 * knows server and device, but not who made them, nor of what.
 */
#pragma once

#include "nfs/actual.h"

#define CLIENT_LEFT_MAX 64

/* Is such a server of any interest? */
typedef bool client_left_asked(const void *data, const struct addr *server, uint16_t port);

struct client_left {
	struct {
		struct addr addr;
		uint16_t port;
	} server[CLIENT_LEFT_MAX];
	size_t n;
	bool more; /* than are listed */
};

struct client_left_view {
	const char *volumes, *servers;	   /* the contents of these tables; or NULL */
	const struct actual_mounts *shown; /* the mounts that show … */
	const struct actual_mounts
		*host_shown; /* … and those that show to the node's init; or NULL */
};

/*
 * Those that were mounted by their address, as ours are, and of which there is a volume that no
 * mount shows: what somebody else has mounted shows. Pure.
 */
void client_left_find(const struct client_left_view *view, client_left_asked *asked,
	const void *data, struct client_left *ret);

/*
 * The same on this node now; the mounts are not looked at where nothing is asked for. Negative
 * errno: it cannot be told.
 */
int client_left_read(client_left_asked *asked, const void *data, struct client_left *ret);
