/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the kernel's export caches ask and what they are told: as values, and as the lines of
 * /proc/net/rpc/<cache>/channel. Pure.
 *
 * Three caches make an export: auth.unix.ip turns a client's address into a domain, nfsd.fh a
 * domain and a file handle's first part into a path, nfsd.export a domain and a path into
 * options.
 */
#pragma once

#include <limits.h>

#include "nfs/addr.h"

enum upcall_cache {
	UPCALL_IP,     /* auth.unix.ip */
	UPCALL_KEY,    /* nfsd.fh */
	UPCALL_EXPORT, /* nfsd.export */
	UPCALL_CACHES,
};

#define UPCALL_LINE_MAX	   8192 /* what the kernel hands out and takes at once is shorter */
#define UPCALL_FSID_MAX	   28
#define UPCALL_UUID_SIZE   16
#define UPCALL_DOMAIN_SIZE 64 /* domains of ours; a longer one is somebody else's */

/* A handle's first part: how it names its export, and the name. */
struct upcall_fsid {
	unsigned type; /* NFSD_FSID_… of nfsd_abi.h */
	size_t size;
	unsigned char bytes[UPCALL_FSID_MAX];
};

struct upcall_request {
	enum upcall_cache cache;
	struct addr address;		 /* UPCALL_IP */
	char domain[UPCALL_DOMAIN_SIZE]; /* UPCALL_KEY, UPCALL_EXPORT */
	struct upcall_fsid fsid;	 /* UPCALL_KEY */
	char path[PATH_MAX];		 /* UPCALL_EXPORT */
};

/* An entry of a cache. What is marked "positive" is ignored in a negative one. */
struct upcall_entry {
	enum upcall_cache cache;
	bool negative;
	int64_t expiry;		 /* seconds since the epoch, at most INT32_MAX */
	struct addr address;	 /* UPCALL_IP */
	const char *domain;	 /* all; positive in UPCALL_IP */
	struct upcall_fsid fsid; /* UPCALL_KEY */
	const char *path;	 /* UPCALL_EXPORT; UPCALL_KEY: positive */
	unsigned flags;		 /* UPCALL_EXPORT, positive, as the rest: NFSD_EXPORT_… */
	uid_t uid;		 /* squashed to */
	gid_t gid;
	const unsigned char *uuid; /* UPCALL_UUID_SIZE bytes or NULL */
};

/* The name of a cache's folder below /proc/net/rpc. */
const char *upcall_cache_name(enum upcall_cache cache);

/* The address of a request: unlike addr_parse() any at all, since all must be answered. -EINVAL */
int upcall_address(const char *text, struct addr *ret);

/*
 * One request line, with or without its newline. -EINVAL: malformed; -ENAMETOOLONG: a domain
 * longer than any of ours; -EAFNOSUPPORT: another class of client than nfsd's, or no address. *ret
 * is untouched then.
 */
int upcall_parse(
	enum upcall_cache cache, const char *line, size_t size, struct upcall_request *ret);

/* An entry as a line, newline included. Returns its length; -ENAMETOOLONG: it does not fit. */
int upcall_format(const struct upcall_entry *entry, char *line, size_t size);
