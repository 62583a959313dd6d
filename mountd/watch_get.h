/* SPDX-License-Identifier: Apache-2.0 */
/* One object asked for or sent, its answer whole and bounded. */
#pragma once

#include <jansson.h>

#include "mountd/watch_http.h"

struct get;

struct get_call {
	const char *method; /* NULL: GET */
	const char *path;
	const char *body;
	const char *content_type;
	/* object is NULL unless the answer is 2xx and JSON; borrowed. */
	void (*on_end)(void *data, const struct http_end *end, const json_t *object);
	void *data;
};

/* Negative errno: it did not start. *ret may be NULL where the caller never cancels. */
int get_start(struct http *http, const struct get_call *call, struct get **ret);
void get_cancel(struct get *get); /* NULL is fine */
