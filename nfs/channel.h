/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's export caches through /proc/net/rpc: on every kernel. */
#pragma once

#include "mountd/base/kerr.h"
#include "nfs/upcall.h"

struct channels {
	int fd[UPCALL_CACHES]; /* non-blocking; readable when a request waits */
};

#define CHANNELS_CLOSED ((struct channels){.fd = {-1, -1, -1}})

/* -ENOENT: nfsd is not loaded. */
int channels_open(struct channels *c, struct kerr *e);
void channels_close(struct channels *c);

/*
 * The next request that waits in a cache. 1: in *ret; 0: none; -EINVAL, -EAFNOSUPPORT,
 * -ENAMETOOLONG: one that is not for us was skipped (upcall_parse()); else read(2)'s errno.
 */
int channel_read(struct channels *c, enum upcall_cache cache, struct upcall_request *ret);

/*
 * -ENOENT: no such path or domain; -EINVAL: among others, a filesystem that the kernel does not
 * export.
 */
int channel_write(const struct channels *c, const struct upcall_entry *entry);

/*
 * Forgets all entries of a cache. For both rungs: the netlink command leaves nfsd's own cache of
 * open files alone, and with it the filesystems below them in use. Blocks on nfsd's mutex.
 */
int channel_flush(enum upcall_cache cache, struct kerr *e);
