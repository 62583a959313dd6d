/* SPDX-License-Identifier: Apache-2.0 */
/* The daemon on the other side of its control socket: told what is wanted, asked what became of it.
 */
#pragma once

#include <jansson.h>

#include "mountd/loop.h"
#include "mountd/spec.h"

struct link;

/* One run and role as the daemon sees it. */
struct link_run {
	char run[NAME_MAX_LENGTH + 1];
	char incarnation[NAME_MAX_LENGTH + 1];
	enum role role;
	bool ready;
	bool ending;
	char error[24]; /* the fault's errno, "ESTALE"; "": none */
	char *rung;	/* owned; "": not said */
	char *fault;	/* owned; "": none */
};

/* on_change: the runs, or whether they are current, are not as before. socket is borrowed. */
int link_new(struct loop *loop, const char *socket, void (*on_change)(void *data), void *data,
	struct link **ret);
void link_free(struct link *l);

/* Everything that is wanted now; sent when it is another than before, and on each new connection.
 */
int link_want(struct link *l, const struct spec *specs, size_t n); /* -ENOMEM */

/* Does the daemon know all that is wanted, and are the runs of a time after that? */
bool link_is_current(const struct link *l);
bool link_is_up(const struct link *l);

/* Sorted by run and role. NULL: none such. */
const struct link_run *link_find(const struct link *l, const char *run, enum role role);
