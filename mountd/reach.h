/* SPDX-License-Identifier: Apache-2.0 */
/* Does a node answer at all? One TCP connection in the loop, which nobody need accept. */
#pragma once

#include "mountd/loop.h"
#include "nfs/addr.h"

struct reach;

/*
 * done(data, answered) once, unless cancelled before. Answered: the connection was accepted or
 * refused within timeout_ms; an unreachable node or network is silence. Negative errno of
 * socket(2) or connect(2) when nothing could be sent: nothing was started.
 */
int reach_start(struct loop *loop, const struct addr *node, uint16_t port, uint64_t timeout_ms,
	void (*done)(void *data, bool answered), void *data, struct reach **ret);
void reach_cancel(struct reach *reach); /* NULL is fine */
