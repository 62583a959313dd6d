/* SPDX-License-Identifier: Apache-2.0 */
/* One connection to the control socket, in the loop: packets out, packets in. */
#pragma once

#include <jansson.h>

#include "mountd/loop.h"

struct channel;

/*
 * on_packet is given each answer; on_lost once when the connection has ended, after which only
 * channel_free() is of use. Both may free the channel. -ENOENT, -ECONNREFUSED, -EAGAIN, …
 */
int channel_new(struct loop *loop, const char *socket,
	void (*on_packet)(void *data, const json_t *packet), void (*on_lost)(void *data),
	void *data, struct channel **ret);
void channel_free(struct channel *c); /* NULL is fine */

/* Negative errno: not sent, the connection is of no use any more. */
int channel_send(struct channel *c, const char *packet);
