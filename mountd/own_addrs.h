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
	OWN_REACHABLE, /* those that another host can reach: no loopback, no link-local, lasting */
};

/*
 * Can a server rely on an address with these flags (rtnetlink(7), ifa_flags)? Not while it is
 * tentative, nor where another host has it as well, nor when it is about to go.
 */
bool own_addrs_is_lasting(int family, unsigned flags);

/* Negative errno: of getifaddrs(3), or -EIO and -ENOMEM of rtnetlink. */
int own_addrs_read(enum own_addrs_which which, struct own_addrs *ret);
void own_addrs_clear(struct own_addrs *addrs);
bool own_addrs_equal(const struct own_addrs *a, const struct own_addrs *b);
bool own_addrs_has(const struct own_addrs *addrs, const struct addr *addr);
