/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One list kept current: listed (in pages, or streamed where the server can), then watched from
 * where the list ended, again and again, with no event lost between.
 */
#pragma once

#include <jansson.h>

#include "mountd/watch_http.h"

struct list;

struct list_metrics {
	uint64_t lists;	  /* complete ones */
	uint64_t watches; /* begun */
	uint64_t events;
	uint64_t failures;
	uint64_t unreadable; /* objects that could not be understood */
};

struct list_config {
	const char *name;	/* for the log */
	const char *path;	/* "/api/v1/pods" */
	const char *selector;	/* "&labelSelector=…", encoded */
	unsigned watch_seconds; /* how long one watch lasts, about */
	/* A list begins; what it shows comes by on_object(); it has ended and all was shown. */
	void (*on_begin)(void *data);
	/* A text that the API server made an object of; -EBADMSG: not understood, and skipped. */
	int (*on_object)(void *data, bool deleted, const json_t *object);
	void (*on_complete)(void *data);
	void *data;
};

/* config's texts are borrowed. Starts at once. -ENOMEM */
int list_new(
	struct loop *loop, struct http *http, const struct list_config *config, struct list **ret);
void list_free(struct list *l);

bool list_is_complete(const struct list *l); /* at least once */
/* Is it being followed now? The last failure, or "". */
const char *list_fault(const struct list *l);
const struct list_metrics *list_metrics(const struct list *l);
