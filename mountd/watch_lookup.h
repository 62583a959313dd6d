/* SPDX-License-Identifier: Apache-2.0 */
/* Looks up what the wishes need to know (claims, volumes, nodes) and whether strays are gone. */
#pragma once

#include "mountd/watch_http.h"
#include "mountd/watch_store.h"
#include "mountd/watch_wishes.h"

struct lookup;

/* on_change: a fact or a pod is not as before. facts and store are borrowed, and changed. */
int lookup_new(struct loop *loop, struct http *http, struct facts *facts, struct store *store,
	void (*on_change)(void *data), void *data, struct lookup **ret);
void lookup_free(struct lookup *l);

/* These are needed now; those not needed for a while are forgotten. */
void lookup_need(struct lookup *l, const struct need *needs, size_t n);
/* There may be strays to be asked for. */
void lookup_strays(struct lookup *l);

uint64_t lookup_failures(const struct lookup *l);
