/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sees that a server that answers serves this node's mounts of it no more: the export was ended
 * there, or this node is no client of it, or its folder was deleted. One worker looks at all mounts
 * of a server together, every 30 s (or 60 ms for each where they are more than 500), and only when
 * the server has just answered; one that was refused is looked at once more before it counts. What
 * a worker did not come to is not known.
 */
#pragma once

#include "nfs/addr.h"

struct daemon;
struct mount_watch;

struct mount_watch *mount_watch_new(
	struct daemon *d, const struct addr *server, uint16_t port); /* NULL: no memory */
void mount_watch_free(struct mount_watch *w);			     /* NULL is fine */

/* The server has answered a moment ago: looks if it is time. NULL is fine. */
void mount_watch_answered(struct mount_watch *w);
