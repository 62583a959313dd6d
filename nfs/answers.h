/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the kernel's export caches are to hold for a set of exports: all of it, to be preloaded,
 * and the answer to any single request. Pure: no clock, no kernel.
 *
 * Every client address is a domain of its own, and has entries for the pseudo-root, for
 * /workspaces, and for each run and export that lists it. Nothing else exists.
 */
#pragma once

#include "nfs/fsid.h"
#include "nfs/upcall.h"

#define ANSWER_EXPIRY_NEVER	INT32_MAX /* the kernel reads no more; in use it asks from 2032 on */
#define ANSWER_NEGATIVE_SECONDS 60
/* A client without exports may still end its sessions in order. */
#define ANSWER_LINGER_SECONDS 300

/* An export as the caches know it. */
struct export_point {
	struct export export; /* first, so that a pointer to it is one to this; owned */
	unsigned char uuid[FSID_UUID_SIZE];
	uint64_t inode;	    /* the folder's */
	bool root;	    /* the folder is perhaps its filesystem's root */
	bool quiesced;	    /* clients may change nothing in it any more */
	uint64_t run_inode; /* of /workspaces/<run> in the pseudo-root */
	dev_t device;	    /* the folder's */
};

struct answers {
	struct export_point **points; /* owned; sorted by id */
	size_t n;
	/*
	 * Of the pseudo-root and all its directories: a client makes one filesystem of them, and
	 * crosses into none but the run's. They are told apart by their inodes.
	 */
	unsigned char pseudo_uuid[FSID_UUID_SIZE];
	uint64_t workspaces_inode; /* of /workspaces in the pseudo-root */
};

void export_point_free(struct export_point *p);
void answers_clear(struct answers *a);

/* Takes point over; there must be none with its id. -ENOMEM: not taken over. */
int answers_insert(struct answers *a, struct export_point *point);
/* The point is the caller's from then on; NULL: there is none. */
struct export_point *answers_take(struct answers *a, const struct run_id *id);
struct export_point *answers_find(const struct answers *a, const struct run_id *id); /* borrowed */

/* Does any export, other than except (may be NULL), list client? */
bool answers_know_client(
	const struct answers *a, const struct export_point *except, const struct addr *client);

/* The first export of the run, other than except, that lists client; run directories go by it. */
const struct export_point *answers_run_of_client(const struct answers *a,
	const struct export_point *except, const char *run, const struct addr *client);

/*
 * Sees one entry; the texts in it are gone after the call. Its return is summed up: the first
 * failure is what the walk returns in the end, and no failure ends the walk.
 */
typedef int answers_sink(const struct upcall_entry *entry, void *data);

/* All entries, clients first: the kernel must know a domain before it is named. */
int answers_preload(const struct answers *a, answers_sink *sink, void *data);
/* The entries that one export needs, those of clients that no other export lists included. */
int answers_preload_point(
	const struct answers *a, const struct export_point *p, answers_sink *sink, void *data);
/*
 * Refusals for what client had through p, whether p is still in a or not. The paths must be there
 * yet: an entry of the kernel's that is not replaced stays for ever. now: seconds since 1970.
 */
int answers_retire(const struct answers *a, const struct export_point *p, const struct addr *client,
	int64_t now, answers_sink *sink, void *data);

/* Where the texts of an answer live. */
struct answer_texts {
	char domain[UPCALL_DOMAIN_SIZE];
	char path[PATH_MAX];
};

/*
 * The answer to a request, refusals included. 1: *ret is to be written; 0: none of ours (a domain
 * that somebody else made), not to be answered.
 */
int answers_request(const struct answers *a, const struct upcall_request *q, int64_t now,
	struct upcall_entry *ret, struct answer_texts *texts);
