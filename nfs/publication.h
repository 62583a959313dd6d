/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The set of exports made known to the kernel: preloaded into its caches, its requests answered,
 * and what is gone refused. All of it happens with the pseudo-root entered, as the kernel resolves
 * the paths of question and answer there.
 *
 * An entry of a cache holds on to its path, and a replaced or expired one does so until the kernel
 * gets round to sweeping, minutes later. Only a flush is sooner, and everything that stays has to
 * be preloaded again after it; a request that falls in between waits. So what goes is refused,
 * which costs the same however many exports there are, and only with a filesystem's last export,
 * from when on it must not be in use, the caches are renewed.
 */
#pragma once

#include "nfs/answers.h"
#include "nfs/caches.h"
#include "nfs/pseudo_root.h"

struct publication {
	struct pseudo_root root;
	struct answers answers;
	struct caches caches; /* must be open for everything here */
	bool stale;	      /* the kernel may know what is no more: it could not be told */
};

/* Answers what the kernel asks; all: what it asked before the caches were opened, too. */
int publication_answer(struct publication *p, bool all, struct kerr *e);

/*
 * Writes the entries one export needs. -EOPNOTSUPP: the kernel does not export its filesystem.
 * A failure of one entry does not keep the others from being written.
 */
int publication_preload_point(
	struct publication *p, const struct export_point *point, struct kerr *e);

/* Writes all entries there are to be; errors as above. */
int publication_preload(struct publication *p, struct kerr *e);

/* Makes the kernel forget every answer of a former daemon, addresses included. */
int publication_forget(struct publication *p, struct kerr *e);

/*
 * Makes the kernel forget what is no more, and tells it anew what stays; errors as above. Where it
 * could not be made to forget, p is stale until one of these two succeeds.
 */
int publication_renew(struct publication *p, struct kerr *e);

/*
 * Refuses every client of gone that stays (NULL: the export is no more) does not list. Before its
 * folder is unbound, as the entries are told by their paths.
 */
int publication_retire(struct publication *p, const struct export_point *gone,
	const struct export_point *stays, struct kerr *e);
