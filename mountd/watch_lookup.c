/* SPDX-License-Identifier: Apache-2.0 */
/* Looks up what the wishes need to know, a few at a time, and again before it grows old. */
#include "mountd/watch_lookup.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mountd/base/log.h"
#include "mountd/watch_backoff.h"
#include "mountd/watch_get.h"

#define AT_ONCE	      6
#define RETRY_MS      2000
#define RETRY_MOST_MS 60000
#define CLAIM_MS      300000
#define VOLUME_MS     600000
#define NODE_MS	      30000
/* Unbound claims and absent things may come any moment. */
#define ABSENT_MS 3000
/* An answer that fails so often is none: whoever waits for it goes on without. */
#define FAILURES_MAX 3
#define FORGET_MS    900000

/* One request under way: for a fact or for a stray, found again by name. */
struct question {
	struct question *next;
	struct lookup *lookup;
	struct get *get;
	bool is_stray;
	char uid[NAME_MAX_LENGTH + 1];
	struct need need;
};

struct lookup {
	struct loop *loop;
	struct http *http;
	struct facts *facts;
	struct store *store;
	void (*on_change)(void *data);
	void *data;
	struct loop_timer *timer;
	struct question *questions;
	size_t n_questions;
	uint64_t failures;
};

uint64_t lookup_failures(const struct lookup *l)
{
	return l->failures;
}

static void drop_question(struct question *q)
{
	struct question **at = &q->lookup->questions;

	while (*at != q)
		at = &(*at)->next;
	*at = q->next;
	q->lookup->n_questions--;
	free(q);
}

static uint64_t age_of(const struct fact *fact)
{
	uint64_t ms = fact->kind == FACT_CLAIM	  ? CLAIM_MS
		      : fact->kind == FACT_VOLUME ? VOLUME_MS
						  : NODE_MS;

	if (fact->state == FACT_ABSENT || (fact->kind == FACT_CLAIM && !*fact->volume))
		ms = ABSENT_MS;
	/* Not all nodes at the same moment. */
	return ms + ms * (backoff_random() % 256) / 1024;
}

static void fail_fact(struct lookup *l, struct fact *fact, const struct http_end *end)
{
	uint64_t wait = (uint64_t)RETRY_MS << (fact->failures < 5 ? fact->failures : 5);

	l->failures++;
	fact->failures++;
	if (end->retry_after * 1000ULL > wait)
		wait = end->retry_after * 1000ULL;
	fact->due_ms = loop_clock_ms() + (wait < RETRY_MOST_MS ? wait : RETRY_MOST_MS);
	if (fact->failures == 1)
		log_event(LOG_LEVEL_WARNING, "lookup-failed", log_text("name", fact->name),
			log_text("error", end->message));
	/* What was known stays so; a refusal is an answer of its own. */
	if (fact->state == FACT_UNKNOWN && (fact->failures >= FAILURES_MAX || end->status == 403))
		fact->state = FACT_FAILED;
}

static void answer_fact(
	struct lookup *l, struct fact *fact, const struct http_end *end, const json_t *object)
{
	fact->busy = false;
	if (!end->error && end->status == 404) {
		fact->state = FACT_ABSENT;
	} else if (!object || fact_read(fact, object) < 0) {
		fail_fact(l, fact, end);
		return;
	}
	fact->failures = 0;
	fact->due_ms = loop_clock_ms() + age_of(fact);
}

static void answer_stray(struct lookup *l, struct store_entry *entry, const struct http_end *end,
	const json_t *object)
{
	struct pod pod = {0};

	entry->checking = false;
	entry->check_ms = loop_clock_ms() + RETRY_MS;
	if (entry->sources)
		return;
	if (!end->error && end->status == 404) {
		store_drop(l->store, entry);
		return;
	}
	if (!object || pod_from_json(object, &pod) < 0) {
		l->failures++;
		return;
	}
	if (strcmp(pod.uid, entry->pod.uid) != 0) {
		pod_clear(&pod);
		store_drop(l->store, entry);
		return;
	}
	log_event(LOG_LEVEL_DEBUG, "stray", log_text("pod", entry->pod.name));
	(void)store_refresh(l->store, entry, &pod, loop_clock_ms());
}

static void on_end(void *data, const struct http_end *end, const json_t *object)
{
	struct question *q = data;
	struct lookup *l = q->lookup;
	struct need *need = &q->need;

	if (q->is_stray) {
		struct store_entry *entry = store_find(l->store, q->uid);

		if (entry)
			answer_stray(l, entry, end, object);
	} else {
		struct fact *fact = facts_find(l->facts, need->kind, need->namespace, need->name);

		if (fact)
			answer_fact(l, fact, end, object);
	}
	drop_question(q);
	loop_timer_set(l->timer, 0);
	l->on_change(l->data);
}

static void path_of(const struct question *q, char *path, size_t size)
{
	static const char *const plain[] = {
		[FACT_VOLUME] = "/api/v1/persistentvolumes/",
		[FACT_NODE] = "/api/v1/nodes/",
	};

	if (q->is_stray || q->need.kind == FACT_CLAIM) {
		(void)snprintf(path, size, "/api/v1/namespaces/");
		http_encode(path, size, q->need.namespace);
		(void)strncat(path, q->is_stray ? "/pods/" : "/persistentvolumeclaims/",
			size - strlen(path) - 1);
	} else {
		(void)snprintf(path, size, "%s", plain[q->need.kind]);
	}
	http_encode(path, size, q->need.name);
}

static bool start(struct lookup *l, const struct question *like)
{
	char path[2048];
	struct question *q = malloc(sizeof *q);
	struct get_call call = {.path = path, .on_end = on_end, .data = q};

	if (!q)
		return false;
	*q = *like;
	q->lookup = l;
	path_of(q, path, sizeof path);
	if (get_start(l->http, &call, &q->get) < 0) {
		free(q);
		return false;
	}
	q->next = l->questions;
	l->questions = q;
	l->n_questions++;
	return true;
}

static bool ask_fact(struct lookup *l, struct fact *fact)
{
	struct question q = {.need.kind = fact->kind};

	(void)snprintf(q.need.namespace, sizeof q.need.namespace, "%s", fact->namespace);
	(void)snprintf(q.need.name, sizeof q.need.name, "%s", fact->name);
	fact->busy = start(l, &q);
	if (!fact->busy)
		fact->due_ms = loop_clock_ms() + RETRY_MS;
	return fact->busy;
}

static bool ask_stray(struct lookup *l, struct store_entry *entry)
{
	struct question q = {.is_stray = true};

	(void)snprintf(q.uid, sizeof q.uid, "%s", entry->pod.uid);
	(void)snprintf(q.need.namespace, sizeof q.need.namespace, "%s", entry->pod.namespace);
	(void)snprintf(q.need.name, sizeof q.need.name, "%s", entry->pod.name);
	entry->checking = start(l, &q);
	if (!entry->checking)
		entry->check_ms = loop_clock_ms() + RETRY_MS;
	return entry->checking;
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Asks for what is due, as far as there is room, and comes back when more is. */
static void on_timer(void *data)
{
	struct lookup *l = data;
	uint64_t now = loop_clock_ms(), wake = UINT64_MAX;

	for (size_t i = 0; i < l->store->n; i++) {
		struct store_entry *entry = l->store->list[i];

		if (entry->sources || entry->checking)
			continue;
		if (entry->check_ms <= now && l->n_questions < AT_ONCE)
			(void)ask_stray(l, entry);
		else
			wake = earlier(wake, entry->check_ms);
	}
	for (size_t i = 0; i < l->facts->n; i++) {
		struct fact *fact = l->facts->list[i];

		if (fact->busy)
			continue;
		if (fact->due_ms <= now && l->n_questions < AT_ONCE)
			(void)ask_fact(l, fact);
		else
			wake = earlier(wake, fact->due_ms);
	}
	/* Without room, an answer brings us back. */
	if (wake != UINT64_MAX && l->n_questions < AT_ONCE)
		loop_timer_set(l->timer, wake > now ? wake - now : 10);
}

void lookup_need(struct lookup *l, const struct need *needs, size_t n)
{
	uint64_t now = loop_clock_ms();

	for (size_t i = 0; i < n; i++) {
		struct fact *fact = facts_find_or_add(
			l->facts, needs[i].kind, needs[i].namespace, needs[i].name);

		if (fact)
			fact->wanted_ms = now;
	}
	for (size_t i = l->facts->n; i-- > 0;)
		if (!l->facts->list[i]->busy && l->facts->list[i]->wanted_ms + FORGET_MS < now)
			facts_drop(l->facts, i);
	loop_timer_set(l->timer, 0);
}

void lookup_strays(struct lookup *l)
{
	loop_timer_set(l->timer, 0);
}

int lookup_new(struct loop *loop, struct http *http, struct facts *facts, struct store *store,
	void (*on_change)(void *data), void *data, struct lookup **ret)
{
	struct lookup *l = calloc(1, sizeof *l);
	int r;

	if (!l)
		return -ENOMEM;
	*l = (struct lookup){.loop = loop,
		.http = http,
		.facts = facts,
		.store = store,
		.on_change = on_change,
		.data = data};
	r = loop_timer_new(loop, on_timer, l, &l->timer);
	if (r < 0) {
		free(l);
		return r;
	}
	*ret = l;
	return 0;
}

void lookup_free(struct lookup *l)
{
	if (!l)
		return;
	while (l->questions) {
		get_cancel(l->questions->get);
		drop_question(l->questions);
	}
	loop_timer_free(l->timer);
	free(l);
}
