/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is known of the node's mounts since its table was read last, without reading it again:
 * where the kernel lists their ids, it is told of each mount that came whether it is a run's. Pure.
 */
#pragma once

#include "mountd/run.h"
#include "nfs/actual.h"
#include "nfs/mount_ids.h"

struct known_mounts {
	struct mount_ids ids;		     /* at the last reading or look; none: read the table */
	char (*strays)[NAME_MAX_LENGTH + 1]; /* runs of which the table had more than their mount */
	size_t n_strays;
	bool all_strays; /* out of memory: any run may be one */
	bool passing;	 /* a run's mount came after the last look, and may go before the next */
};

void known_mounts_clear(struct known_mounts *k);

/* The table was read, ids just before; takes ids over. */
void known_mounts_read(struct known_mounts *k, struct mount_ids *ids,
	const struct actual_mounts *mounts, const struct runs *runs);

enum known_look {
	KNOWN_ALL,	/* mounts came that are the runs' own, or some went: now is taken over */
	KNOWN_STRANGER, /* one came that is no run's, as far as is told */
	KNOWN_NOTHING,	/* ids do not tell what has changed */
};

/*
 * Something has changed, and now it is these; empty: they could not be had. Calls lost for each
 * followed run whose mount is gone, except where it returns KNOWN_NOTHING.
 */
enum known_look known_mounts_look(struct known_mounts *k, struct mount_ids *now,
	const struct runs *runs, void (*lost)(struct run *run));

/*
 * The unique id of run's mount, if nothing else on this node is of run: to be ended now; or 0.
 * now NULL: nothing has changed since the last look.
 */
uint64_t known_mounts_only(struct known_mounts *k, const struct mount_ids *now,
	const struct runs *runs, const struct run *run);

/* Is it of those that must show? */
bool mount_is_followed(const struct run *run);
