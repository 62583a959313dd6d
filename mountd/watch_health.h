/* SPDX-License-Identifier: Apache-2.0 */
/*
 * /healthz, /readyz and /metrics, answered from the loop itself: an answer is the proof that it
 * turns. Nothing else includes <microhttpd.h>.
 */
#pragma once

#include "mountd/base/kerr.h"
#include "mountd/loop.h"
#include "nfs/addr.h"

struct health;

struct health_sources {
	/* NULL: ready; else what is missing. Borrowed for the call. */
	const char *(*why_not_ready)(void *data);
	/* Prometheus' text format; owned by the caller, NULL when memory is out. */
	char *(*metrics)(void *data);
	void *data;
};

int health_new(struct loop *loop, const struct addr *addr, uint16_t port,
	const struct health_sources *sources, struct health **ret, struct kerr *e);
void health_free(struct health *h); /* NULL is fine */
