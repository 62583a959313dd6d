/* SPDX-License-Identifier: Apache-2.0 */
/* Tells when this node's addresses change. */
#pragma once

#include <stdbool.h>

#include "mountd/base/kerr.h"
#include "mountd/loop.h"

struct own_watch;

/* changed is called in the loop. Negative errno with *e filled. */
int own_watch_new(
	struct loop *loop, loop_fn *changed, void *data, struct own_watch **ret, struct kerr *e);
void own_watch_free(struct own_watch *w);

/*
 * Have they perhaps changed since it returned last, or since it was made? To be asked before they
 * are used: what the loop has not come to yet counts. NULL: nobody knows, so yes.
 */
bool own_watch_takes_change(struct own_watch *w);
