/* SPDX-License-Identifier: Apache-2.0 */
/* One list kept current: which request comes next, and what its answer means. */
#include "mountd/watch_list.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mountd/base/log.h"
#include "mountd/watch_backoff.h"
#include "mountd/watch_event.h"
#include "mountd/watch_split.h"

#define LIST_SECONDS  300
#define STALL_SECONDS 30
/* A watch that ends sooner is no success. */
#define SHORT_WATCH_MS 5000
/* By then a streamed list has ended, or the server has not understood that one was asked for. */
#define STREAM_MS 60000

enum phase {
	PHASE_LIST,
	PHASE_STREAM, /* list and watch in one */
	PHASE_WATCH,
};

struct list {
	struct list_config config;
	struct list_metrics metrics;
	struct loop_timer *timer; /* the next request */
	struct http *http;
	struct http_request *request;
	struct split *split;
	struct backoff backoff;
	enum phase phase;
	char version[64];  /* where the next watch goes on; "": list again */
	char *next_page;   /* owned; NULL: the first */
	bool whole;	   /* pages have gone stale: ask for all at once */
	bool no_streaming; /* the server does not know sendInitialEvents */
	bool complete;
	bool listing; /* on_begin() was called, on_complete() not yet */
	bool heard;   /* this watch has said something */
	bool expired; /* the server has told to list again */
	uint64_t started_ms;
	unsigned retry_after;
	char fault[512];
};

bool list_is_complete(const struct list *l)
{
	return l->complete;
}

const char *list_fault(const struct list *l)
{
	return l->fault;
}

const struct list_metrics *list_metrics(const struct list *l)
{
	return &l->metrics;
}

static void set_next_page(struct list *l, const char *text)
{
	free(l->next_page);
	l->next_page = text && *text ? strdup(text) : NULL;
}

static void set_version(struct list *l, const char *version)
{
	if (*version && strlen(version) < sizeof l->version)
		(void)snprintf(l->version, sizeof l->version, "%s", version);
}

static void begin(struct list *l)
{
	l->listing = true;
	l->config.on_begin(l->config.data);
}

static void complete(struct list *l)
{
	l->listing = false;
	l->whole = false;
	l->complete = true;
	l->metrics.lists++;
	log_event(LOG_LEVEL_INFO, "listed", log_text("list", l->config.name),
		log_text("version", l->version));
	l->config.on_complete(l->config.data);
}

static void follow(struct list *l)
{
	if (l->fault[0])
		log_event(LOG_LEVEL_INFO, "followed-again", log_text("list", l->config.name));
	l->fault[0] = '\0';
	backoff_reset(&l->backoff);
}

static int show(struct list *l, bool deleted, const json_t *object)
{
	int r = l->config.on_object(l->config.data, deleted, object);

	if (r != -EBADMSG)
		return r;
	l->metrics.unreadable++;
	return 0;
}

static int on_bookmark(struct list *l, const struct event *e)
{
	set_version(l, e->version);
	if (e->initial_end && l->phase == PHASE_STREAM && l->listing) {
		loop_timer_stop(l->timer);
		complete(l);
		follow(l);
	}
	return 0;
}

static int on_event(void *data, const char *text, size_t size)
{
	struct list *l = data;
	struct event e;
	int r = event_parse(text, size, &e);

	if (r < 0)
		return r;
	if (!l->heard && e.kind != EVENT_ERROR && l->phase == PHASE_WATCH)
		follow(l);
	l->heard = true;
	l->metrics.events++;
	switch (e.kind) {
	case EVENT_ERROR:
		l->expired = true;
		l->retry_after = e.retry_after;
		(void)snprintf(l->fault, sizeof l->fault, "%d: %s", e.code, e.message);
		r = -ESTALE;
		break;
	case EVENT_BOOKMARK:
		r = on_bookmark(l, &e);
		break;
	case EVENT_PUT:
	case EVENT_DELETED:
		r = show(l, e.kind == EVENT_DELETED, e.object);
		/* What comes before the end of a streamed list has no order. */
		if (r == 0 && !l->listing)
			set_version(l, e.version);
		break;
	case EVENT_STRANGE:
		l->metrics.unreadable++;
		break;
	}
	event_clear(&e);
	return r;
}

static int on_item(void *data, const char *text, size_t size)
{
	struct list *l = data;
	json_t *object = event_load(text, size);
	int r = show(l, false, object);

	json_decref(object);
	return r;
}

static int on_data(void *data, const char *bytes, size_t size)
{
	struct list *l = data;

	return split_feed(l->split, bytes, size);
}

static void fail(struct list *l, const char *why)
{
	uint64_t wait = backoff_next(&l->backoff, backoff_random());
	bool is_new = strcmp(l->fault, why) != 0;

	if (wait < l->retry_after * 1000ULL)
		wait = l->retry_after * 1000ULL;
	l->retry_after = 0;
	l->metrics.failures++;
	(void)snprintf(l->fault, sizeof l->fault, "%s", why);
	log_event(is_new || l->backoff.failures == 1 ? LOG_LEVEL_WARNING : LOG_LEVEL_DEBUG,
		"list-failed", log_text("list", l->config.name), log_text("error", l->fault),
		log_number("retry_ms", wait));
	loop_timer_set(l->timer, wait);
}

static void list_again(struct list *l)
{
	l->version[0] = '\0';
	set_next_page(l, NULL);
}

/* One page has come whole. Returns NULL, or says what is wrong with it. */
static const char *take_page(struct list *l)
{
	size_t size;
	const char *frame = split_frame(l->split, &size), *next;
	json_t *root, *metadata;

	if (!split_is_whole(l->split))
		return "the list ends half-way";
	root = json_loadb(frame, size, JSON_REJECT_DUPLICATES, NULL);
	metadata = json_object_get(root, "metadata");
	next = json_string_value(json_object_get(metadata, "continue"));
	if (!json_is_array(json_object_get(root, "items")) ||
		!json_is_string(json_object_get(metadata, "resourceVersion"))) {
		json_decref(root);
		return "the answer is not a list";
	}
	set_next_page(l, next);
	if (!l->next_page) {
		set_version(l, json_string_value(json_object_get(metadata, "resourceVersion")));
		complete(l);
	}
	json_decref(root);
	return NULL;
}

static void end_of_page(struct list *l, const struct http_end *end)
{
	const char *fault = end->message;

	if (!end->error && end->status == 200) {
		fault = take_page(l);
		if (!fault) {
			follow(l);
			loop_timer_set(l->timer, 0);
			return;
		}
	}
	/* The rest of the pages is no longer to be had. */
	l->whole |= end->status == 410 && l->next_page;
	list_again(l);
	fail(l, fault);
}

static bool was_short(const struct list *l)
{
	return loop_clock_ms() - l->started_ms < SHORT_WATCH_MS;
}

static void end_of_watch(struct list *l, const struct http_end *end)
{
	bool refused = !end->error && end->status != 200;
	char why[512];

	if (l->phase == PHASE_STREAM && (end->status == 400 || end->status == 422)) {
		l->no_streaming = true;
		log_event(LOG_LEVEL_INFO, "no-streaming-lists", log_text("list", l->config.name),
			log_text("error", end->message));
		loop_timer_set(l->timer, 0);
		return;
	}
	if (l->expired || (refused && (end->status == 410 || end->status == 504)))
		list_again(l);
	/* Not even a bookmark: a version of the future, or a server that has forgotten us. */
	if (l->phase == PHASE_WATCH && !l->heard && !refused && !was_short(l))
		list_again(l);
	if (end->error == -EBADMSG || end->error == -EMSGSIZE)
		list_again(l);
	if (!refused && !l->expired && !l->listing && !was_short(l)) {
		follow(l);
		loop_timer_set(l->timer, backoff_random() % 500);
		return;
	}
	(void)snprintf(why, sizeof why, "%s",
		l->expired	? l->fault
		: *end->message ? end->message
		: l->listing	? "the list ends half-way"
				: "the watch ended at once");
	fail(l, why);
}

static void on_end(void *data, const struct http_end *end)
{
	struct list *l = data;

	l->request = NULL;
	if (end->retry_after)
		l->retry_after = end->retry_after;
	if (l->phase == PHASE_LIST)
		end_of_page(l, end);
	else
		end_of_watch(l, end);
}

static unsigned path_of(struct list *l, char *path, size_t size)
{
	const struct list_config *c = &l->config;
	unsigned seconds = c->watch_seconds + backoff_random() % (c->watch_seconds / 4 + 1);
	int n;

	if (l->phase == PHASE_LIST) {
		n = snprintf(path, size, "%s?%s%s", c->path, l->whole ? "limit=0" : "limit=500",
			c->selector);
		if (l->next_page && n < (int)size) {
			(void)snprintf(path + n, size - (size_t)n, "&continue=");
			http_encode(path, size, l->next_page);
		}
		return LIST_SECONDS;
	}
	n = snprintf(path, size, "%s?watch=1&allowWatchBookmarks=true&timeoutSeconds=%u%s%s",
		c->path, seconds, c->selector,
		l->phase == PHASE_STREAM
			? "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"
			: "&resourceVersion=");
	if (l->phase == PHASE_WATCH && n < (int)size)
		http_encode(path, size, l->version);
	return seconds + 15;
}

static enum phase next_phase(const struct list *l)
{
	if (l->version[0])
		return PHASE_WATCH;
	return l->no_streaming || l->next_page ? PHASE_LIST : PHASE_STREAM;
}

static int start_request(struct list *l)
{
	char path[8192];
	struct http_call call = {
		.method = "GET", .path = path, .on_data = on_data, .on_end = on_end, .data = l};
	int r;

	l->phase = next_phase(l);
	call.timeout_seconds = path_of(l, path, sizeof path);
	call.stall_seconds = l->phase == PHASE_LIST ? STALL_SECONDS : 0;
	split_free(l->split);
	l->split = NULL;
	r = split_new(l->phase == PHASE_LIST ? SPLIT_LIST : SPLIT_EVENTS, SPLIT_OBJECT_MAX,
		l->phase == PHASE_LIST ? on_item : on_event, l, &l->split);
	return r < 0 ? r : http_start(l->http, &call, &l->request);
}

static void request_next(void *data)
{
	struct list *l = data;
	int r;

	if (l->request) {
		http_cancel(l->request);
		l->request = NULL;
		l->no_streaming = true;
		log_event(LOG_LEVEL_INFO, "no-streaming-lists", log_text("list", l->config.name),
			log_text("error", "the list has no end"));
	}
	l->heard = l->expired = false;
	l->started_ms = loop_clock_ms();
	if (!l->version[0] && !l->next_page)
		begin(l);
	r = start_request(l);
	if (r < 0)
		fail(l, strerror(-r));
	else if (l->phase != PHASE_LIST)
		l->metrics.watches++;
	if (r == 0 && l->phase == PHASE_STREAM)
		loop_timer_set(l->timer, STREAM_MS);
}

int list_new(
	struct loop *loop, struct http *http, const struct list_config *config, struct list **ret)
{
	struct list *l = calloc(1, sizeof *l);
	int r;

	if (!l)
		return -ENOMEM;
	*l = (struct list){
		.config = *config, .http = http, .backoff = {.first_ms = 500, .most_ms = 30000}};
	r = loop_timer_new(loop, request_next, l, &l->timer);
	if (r < 0) {
		list_free(l);
		return r;
	}
	loop_timer_set(l->timer, 0);
	*ret = l;
	return 0;
}

void list_free(struct list *l)
{
	if (!l)
		return;
	http_cancel(l->request);
	split_free(l->split);
	loop_timer_free(l->timer);
	free(l->next_page);
	free(l);
}
