/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The comparison's own parts. A look returns true with the first difference that it finds.
 */
#pragma once

#include "tests/soak/soak.h"

/* check.c */
extern char difference[1024]; /* "what must be: what is" */
bool differs(const char *format, ...) __attribute__((format(printf, 1, 2))); /* true */
size_t count(const char *text, const char *word);

/* model.c */
bool is_shared(const struct world *w, const struct run *r);
bool is_up(const struct node *n);
/* Wished for on both sides, and nothing is in the way. */
bool must_work(const struct world *w, const struct run *r);
void follow_outage(struct world *w);

/* check_runs.c */
bool kernel_serves_otherwise(struct world *w);
bool daemon_tells_otherwise(struct world *w, size_t which);
bool agent_shows_otherwise(struct world *w);
bool binds_differ(struct world *w);
bool clients_differ(struct world *w);

/* check_rest.c */
bool processes_differ(struct world *w, const struct node *n);
bool bare_folder_used(const struct world *w, const struct node *n);
bool records_differ(struct world *w);
bool rules_differ(struct world *w);
bool folders_differ(struct world *w);
