/* SPDX-License-Identifier: Apache-2.0 */
/* One event of a watch, taken apart. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum event_kind {
	EVENT_PUT, /* ADDED or MODIFIED */
	EVENT_DELETED,
	EVENT_BOOKMARK,
	EVENT_ERROR,
	EVENT_STRANGE, /* of a kind that we do not know */
};

struct event {
	enum event_kind kind;
	json_t *root;	      /* owned */
	json_t *object;	      /* borrowed from root */
	const char *version;  /* as these are; "": none */
	const char *message;  /* EVENT_ERROR */
	int code;	      /* EVENT_ERROR: as an HTTP status */
	unsigned retry_after; /* EVENT_ERROR: seconds; 0: not said */
	bool initial_end;     /* EVENT_BOOKMARK: all that was there has been shown */
};

/* -EBADMSG: no event. */
int event_parse(const char *text, size_t size, struct event *ret);
void event_clear(struct event *e);

/* An object as the API server writes it; NULL: it is none. */
json_t *event_load(const char *text, size_t size);
