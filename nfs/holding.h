/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the server's clients hold on an export's filesystem, and which of it lies in its folder.
 * nfsd tells files by their numbers, so the folder is searched for them. In a worker: blocks.
 */
#pragma once

#include "nfs/export.h"
#include "nfs/held.h"

struct holding {
	const struct export *export;
	int fs;	     /* filesystem "nfsd" */
	int folder;  /* the export's own mount, or what is left: its volume */
	bool absent; /* it is the volume */
	bool shared; /* another export's folder lies on the same superblock */
	struct held held;
	struct kerr *e;
};

#define HOLDING(of, error) ((struct holding){.export = (of), .fs = -1, .folder = -1, .e = (error)})

void holding_clear(struct holding *h);

/*
 * For some of what nfsd tells of a client's states: whole lines, in as many pieces as it takes,
 * until fn says other than 0, which is what the walk says then. A client that has gone meanwhile
 * holds nothing. Negative errno: what one holds cannot be told, which must not be taken for
 * nothing; it ends the walk.
 */
typedef int holding_fn(const char *client, const char *states, struct holding *h);
int holding_of_client(struct holding *h, const char *client, holding_fn *fn);
int holding_each_client(struct holding *h, holding_fn *fn);

/* Two of them: collects what any client holds on the superblock, or the export's own clients. */
int holding_collect(const char *client, const char *states, struct holding *h);
int holding_collect_own(const char *client, const char *states, struct holding *h);
/* 1 at the first that holds what is marked. */
int holding_inside(const char *client, const char *states, struct holding *h);

/*
 * What is held, as fn collects. folder: the export's, or -1 where it is gone. 1: nothing is left
 * to look at.
 */
int holding_look(struct holding *h, const struct exporter_config *config, int folder,
	const struct other_exports *others, holding_fn *fn);

/* How much is held now, by those whose states fn collects. */
int holding_count(struct holding *h, holding_fn *fn);

/*
 * Marks what lies inside the folder; found: see held_mark_tree(). False: it could not be searched
 * to its end; of a folder that was deleted nothing is to be found, however much is still held of
 * it.
 */
bool holding_search(struct holding *h, held_found_fn *found);
