/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's export caches, by the newest rung it has. */
#pragma once

#include "nfs/cache_netlink.h"
#include "nfs/channel.h"

struct caches {
	struct channels channels;
	struct cache_netlink *netlink; /* NULL: channels are in use, if any */
	int epoll;		       /* borrowed; holds what is to be polled */
};

#define CACHES_CLOSED(epoll_) \
	((struct caches){.channels = CHANNELS_CLOSED, .netlink = NULL, .epoll = (epoll_)})

/*
 * Takes over the upcalls; the descriptors are added to epoll with tag as their data.
 * -ENOENT: nfsd is not loaded.
 */
int caches_open(struct caches *c, bool use_netlink, uint64_t tag, struct kerr *e);
void caches_close(struct caches *c);
bool caches_are_open(const struct caches *c);
const char *caches_rung(const struct caches *c); /* "netlink", "procfs" or "none" */

/* Errors as channel_write(). */
int caches_write(struct caches *c, const struct upcall_entry *entry);

/* Shows fn the requests that wait; all: those of before the opening too. */
int caches_dispatch(struct caches *c, bool all, cache_request_fn *fn, void *data, struct kerr *e);
