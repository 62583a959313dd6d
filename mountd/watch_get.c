/* SPDX-License-Identifier: Apache-2.0 */
/* One object asked for or sent, its answer whole and bounded. */
#include "mountd/watch_get.h"

#include <errno.h>
#include <stdlib.h>

#include "mountd/watch_event.h"
#include "mountd/watch_split.h"

#define SECONDS 20

struct get {
	struct http_request *request;
	struct split *split;
	json_t *object;
	void (*on_end)(void *data, const struct http_end *end, const json_t *object);
	void *data;
};

static void free_get(struct get *g)
{
	split_free(g->split);
	json_decref(g->object);
	free(g);
}

static int on_object(void *data, const char *text, size_t size)
{
	struct get *g = data;

	json_decref(g->object);
	g->object = event_load(text, size);
	return g->object ? 0 : -EBADMSG;
}

static int on_data(void *data, const char *bytes, size_t size)
{
	struct get *g = data;

	return split_feed(g->split, bytes, size);
}

static void on_end(void *data, const struct http_end *end)
{
	struct get *g = data;
	bool good = !end->error && end->status >= 200 && end->status < 300;

	g->on_end(g->data, end, good ? g->object : NULL);
	free_get(g);
}

int get_start(struct http *http, const struct get_call *call, struct get **ret)
{
	struct get *g = calloc(1, sizeof *g);
	struct http_call http_call = {.method = call->method ? call->method : "GET",
		.path = call->path,
		.body = call->body,
		.content_type = call->content_type,
		.timeout_seconds = SECONDS,
		.on_data = on_data,
		.on_end = on_end,
		.data = g};
	int r;

	if (!g)
		return -ENOMEM;
	*g = (struct get){.on_end = call->on_end, .data = call->data};
	r = split_new(SPLIT_EVENTS, SPLIT_OBJECT_MAX, on_object, g, &g->split);
	if (r == 0)
		r = http_start(http, &http_call, &g->request);
	if (r < 0) {
		free_get(g);
		return r;
	}
	if (ret)
		*ret = g;
	return 0;
}

void get_cancel(struct get *g)
{
	if (!g)
		return;
	http_cancel(g->request);
	free_get(g);
}
