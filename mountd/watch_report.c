/* SPDX-License-Identifier: Apache-2.0 */
/* Back to the cluster: pod conditions and Events. */
#include "mountd/watch_report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "mountd/base/cleanup.h"
#include "mountd/base/log.h"
#include "mountd/watch_condition.h"
#include "mountd/watch_get.h"
#include "mountd/watch_message.h"
#include "mountd/watch_told.h"

#define PATCHES_AT_ONCE 4
/* A patch that has not come back to us as the pod's own state by then is sent again. */
#define ECHO_MS 15000
/* Between two patches of one pod. */
#define PATCH_MS 500
/* A condition that only has another message can wait. */
#define MESSAGE_MS 30000
/* The same of the same pod. */
#define EVENT_AGAIN_MS	300000
#define EVENT_BURST	25
#define EVENT_REFILL_MS 1000

/* A patch under way. */
struct patch {
	struct patch *next;
	struct report *report;
	struct get *get;
	char uid[NAME_MAX_LENGTH + 1];
	char reason[64], status[8];
};

/* An Event under way. */
struct posting {
	struct posting *next;
	struct report *report;
	struct get *get;
};

struct report {
	struct http *http;
	const char *node;
	void (*on_wake)(void *data);
	void *data;
	struct loop_timer *timer;
	struct tolds tolds;
	struct patch *patches;
	size_t n_patches;
	struct posting *postings;
	unsigned tokens;
	uint64_t refilled_ms;
	uint64_t wake_ms;
	struct report_metrics metrics;
};

const struct report_metrics *report_metrics(const struct report *r)
{
	return &r->metrics;
}

static void wake_at(struct report *r, uint64_t when)
{
	if (when < r->wake_ms)
		r->wake_ms = when;
}

static void drop_patch(struct patch *p)
{
	struct patch **at = &p->report->patches;

	while (*at != p)
		at = &(*at)->next;
	*at = p->next;
	p->report->n_patches--;
	free(p);
}

static void on_patched(void *data, const struct http_end *end, const json_t *object)
{
	struct patch *p = data;
	struct report *r = p->report;
	struct told *t = tolds_find(&r->tolds, p->uid);
	uint64_t now = loop_clock_ms();
	/* Gone, or another pod of that name: nobody is left to be told. */
	bool gone = !end->error && (end->status == 404 || end->status == 409);

	(void)object;
	if (t)
		t->patching = false;
	if (!end->error && end->status < 300) {
		r->metrics.patches++;
		if (t) {
			backoff_reset(&t->backoff);
			t->patched_ms = now;
			(void)snprintf(t->reason, sizeof t->reason, "%s", p->reason);
			(void)snprintf(t->status, sizeof t->status, "%s", p->status);
		}
	} else {
		uint64_t wait = t ? backoff_next(&t->backoff, backoff_random()) : 0;

		r->metrics.patch_failures += !gone;
		if (t)
			t->not_before_ms = now + (gone ? 60000 : wait) + end->retry_after * 1000ULL;
		if (!gone && (!t || t->backoff.failures == 1))
			log_event(LOG_LEVEL_WARNING, "condition-failed", log_text("uid", p->uid),
				log_text("error", end->message));
	}
	drop_patch(p);
	loop_timer_set(r->timer, 0);
}

static void start_patch(
	struct report *r, struct told *t, const struct pod *pod, const struct condition *c)
{
	struct patch *p = calloc(1, sizeof *p);
	_cleanup_free_ char *body = message_patch(pod, c, time(NULL));
	char path[2048] = "/api/v1/namespaces/";
	struct get_call call = {.method = "PATCH",
		.path = path,
		.body = body,
		.content_type = "application/strategic-merge-patch+json",
		.on_end = on_patched,
		.data = p};

	http_encode(path, sizeof path, pod->namespace);
	(void)strcat(path, "/pods/");
	http_encode(path, sizeof path, pod->name);
	(void)strcat(path, "/status");
	if (p) {
		p->report = r;
		(void)snprintf(p->uid, sizeof p->uid, "%s", pod->uid);
		(void)snprintf(p->reason, sizeof p->reason, "%s", c->reason);
		(void)snprintf(p->status, sizeof p->status, "%s", c->status);
	}
	if (!p || !body || get_start(r->http, &call, &p->get) < 0) {
		free(p);
		t->not_before_ms = loop_clock_ms() + 1000;
		wake_at(r, t->not_before_ms);
		return;
	}
	p->next = r->patches;
	r->patches = p;
	r->n_patches++;
	t->patching = true;
}

/* When the condition may be sent; 0: it is as it should be. */
static uint64_t due(const struct told *t, const struct pod *pod, const struct condition *c)
{
	bool same = strcmp(pod->condition_status, c->status) == 0 &&
		    strcmp(pod->condition_reason, c->reason) == 0;
	bool sent = t->patched_ms && strcmp(t->status, c->status) == 0 &&
		    strcmp(t->reason, c->reason) == 0;
	uint64_t when = t->not_before_ms ? t->not_before_ms : 1;

	if (same && strcmp(pod->condition_message, c->message) == 0)
		return 0;
	if (t->patched_ms) {
		uint64_t again = t->patched_ms + (same ? MESSAGE_MS : sent ? ECHO_MS : PATCH_MS);

		when = again > when ? again : when;
	}
	return when;
}

static void tell_condition(struct report *r, struct told *t, const struct verdict *v,
	const struct link_run *run, bool current, uint64_t now)
{
	struct condition c;
	uint64_t when;

	if (t->patching || !condition_find(v, run, current, &c))
		return;
	when = due(t, v->pod, &c);
	if (!when)
		return;
	if (when > now)
		wake_at(r, when);
	else if (r->n_patches < PATCHES_AT_ONCE)
		start_patch(r, t, v->pod, &c);
	/* Else one that ends makes room, and wakes us. */
}

static void drop_posting(struct posting *p)
{
	struct posting **at = &p->report->postings;

	while (*at != p)
		at = &(*at)->next;
	*at = p->next;
	free(p);
}

static void on_posted(void *data, const struct http_end *end, const json_t *object)
{
	struct posting *p = data;
	struct report *r = p->report;

	(void)object;
	if (!end->error && end->status < 300) {
		r->metrics.events++;
	} else {
		/* An Event that is lost stays lost: the condition says what is. */
		r->metrics.event_failures++;
		log_event(LOG_LEVEL_WARNING, "event-failed", log_text("error", end->message));
	}
	drop_posting(p);
}

static void post(struct report *r, const struct verdict *v, const char *body)
{
	struct posting *p = calloc(1, sizeof *p);
	char path[512] = "/api/v1/namespaces/";
	struct get_call call = {.method = "POST",
		.path = path,
		.body = body,
		.content_type = "application/json",
		.on_end = on_posted,
		.data = p};

	http_encode(path, sizeof path, v->pod->namespace);
	(void)strncat(path, "/events", sizeof path - strlen(path) - 1);
	if (p)
		p->report = r;
	if (!p || !body || get_start(r->http, &call, &p->get) < 0) {
		free(p);
		r->metrics.event_failures++;
		return;
	}
	p->next = r->postings;
	r->postings = p;
}

static bool take_token(struct report *r, uint64_t now)
{
	uint64_t refill = (now - r->refilled_ms) / EVENT_REFILL_MS;

	if (refill) {
		r->tokens = r->tokens + refill < EVENT_BURST ? r->tokens + (unsigned)refill
							     : EVENT_BURST;
		r->refilled_ms += refill * EVENT_REFILL_MS;
	}
	if (!r->tokens)
		return false;
	r->tokens--;
	return true;
}

static void tell_event(struct report *r, struct told *t, const struct verdict *v,
	const struct link_run *run, uint64_t now)
{
	char message[1200];
	enum happening h =
		happening_find(v, run, t->was_ready, now - t->since_ms, message, sizeof message);

	if (h == HAPPENED_MOUNTED || h == HAPPENED_EXPORTED)
		t->was_ready = true;
	if (now - t->since_ms < MOUNT_PATIENCE_MS && !t->was_ready)
		wake_at(r, t->since_ms + MOUNT_PATIENCE_MS);
	if (h == HAPPENED_NOTHING || h == t->last)
		return;
	t->last = h;
	if (!t->count[h]++)
		t->first[h] = time(NULL);
	if ((t->said_ms[h] && now - t->said_ms[h] < EVENT_AGAIN_MS) || !take_token(r, now)) {
		r->metrics.events_dropped++;
		return;
	}
	_cleanup_free_ char *body = message_event(
		v->pod, r->node, h, v->role, message, t->count[h], t->first[h], time(NULL));
	post(r, v, body);
	t->said_ms[h] = now;
	t->count[h] = 0;
}

void report_update(
	struct report *r, const struct verdict *verdicts, size_t n, const struct link *link)
{
	uint64_t now = loop_clock_ms();

	r->wake_ms = UINT64_MAX;
	tolds_begin(&r->tolds);
	for (size_t i = 0; i < n; i++) {
		const struct verdict *v = &verdicts[i];
		const struct link_run *run = link_find(link, v->pod->run, v->role);
		struct told *t = tolds_find_or_add(&r->tolds, v->pod, now);

		if (!t)
			continue;
		t->seen = true;
		tell_condition(r, t, v, run, link_is_current(link), now);
		/* What the daemon says of a time before its wishes is no news. */
		if (link_is_current(link))
			tell_event(r, t, v, run, now);
	}
	tolds_end(&r->tolds);
	if (r->wake_ms != UINT64_MAX)
		loop_timer_set(r->timer, r->wake_ms > now ? r->wake_ms - now : 1);
}

static void on_timer(void *data)
{
	struct report *r = data;

	r->on_wake(r->data);
}

int report_new(struct loop *loop, struct http *http, const char *node, void (*on_wake)(void *data),
	void *data, struct report **ret)
{
	struct report *r = calloc(1, sizeof *r);
	int e;

	if (!r)
		return -ENOMEM;
	*r = (struct report){.http = http,
		.node = node,
		.on_wake = on_wake,
		.data = data,
		.tokens = EVENT_BURST,
		.refilled_ms = loop_clock_ms()};
	e = loop_timer_new(loop, on_timer, r, &r->timer);
	if (e < 0) {
		free(r);
		return e;
	}
	*ret = r;
	return 0;
}

void report_free(struct report *r)
{
	if (!r)
		return;
	while (r->patches) {
		get_cancel(r->patches->get);
		drop_patch(r->patches);
	}
	while (r->postings) {
		get_cancel(r->postings->get);
		drop_posting(r->postings);
	}
	tolds_clear(&r->tolds);
	loop_timer_free(r->timer);
	free(r);
}
