/* SPDX-License-Identifier: Apache-2.0 */
/* The addresses that this node's interfaces have. */
#pragma once

#include "nfs/addr.h"

struct own_addrs {
	struct addr *list; /* owned; sorted, no duplicates */
	size_t n;
};

enum own_addrs_which {
	OWN_ALL,       /* loopback included */
	OWN_REACHABLE, /* those that another host can reach: no loopback, no link-local */
};

/* Negative errno of getifaddrs(3). */
int own_addrs_read(enum own_addrs_which which, struct own_addrs *ret);
void own_addrs_clear(struct own_addrs *addrs);
bool own_addrs_has(const struct own_addrs *addrs, const struct addr *addr);
