/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's export caches through generic netlink: from 7.x on. */
#pragma once

#include "mountd/base/kerr.h"
#include "nfs/upcall.h"

struct cache_netlink;

/* -EOPNOTSUPP: this kernel has no such commands; -ENOMEM and the like otherwise. */
int cache_netlink_open(struct cache_netlink **ret, struct kerr *e);
void cache_netlink_close(struct cache_netlink *n);

#define CACHE_NETLINK_FDS 2
/* Readable when a cache has requests, or readable for nothing. */
void cache_netlink_fds(const struct cache_netlink *n, int ret[CACHE_NETLINK_FDS]);

/* May write entries, but dispatch nothing. */
typedef void cache_request_fn(const struct upcall_request *q, void *data);

/*
 * Shows fn every request that waits, in the caches that said so; all: in every cache, for the
 * requests that waited already when this was opened.
 */
int cache_netlink_dispatch(
	struct cache_netlink *n, bool all, cache_request_fn *fn, void *data, struct kerr *e);

/* Errors as channel_write(). Blocks on nfsd's mutex. */
int cache_netlink_write(struct cache_netlink *n, const struct upcall_entry *entry);
