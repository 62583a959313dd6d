/* SPDX-License-Identifier: Apache-2.0 */
/* Whom harm is done to, during what, and how it must have become afterwards. */
#pragma once

#include "tests/inject/inject.h"

#define OPERATIONS_MAX 16

struct operation {
	unsigned weight;
	bool (*run)(struct world *w); /* false: there is nothing to do */
};

struct campaign {
	const char *program; /* the harmed one */
	const struct operation *operations;
	size_t n;
	/* Two nodes, with something there to be done harm to. */
	void (*begin)(struct world *w, struct plan *plan);
	void (*look_on)(void); /* or NULL: after the harm, before the comparison */
	/* Ends the program where something does not become as it must. */
	void (*compare)(struct world *w);
	void (*end)(struct world *w); /* of all that was begun */
};

extern const struct campaign daemon_campaign; /* daemon.c */
extern const struct campaign watch_campaign;  /* watch.c */
