/* SPDX-License-Identifier: Apache-2.0 */
/* The daemon on the other side of its control socket. */
#include "mountd/watch_link.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mountd/base/cleanup.h"
#include "mountd/base/log.h"
#include "mountd/watch_backoff.h"
#include "mountd/watch_channel.h"
#include "mountd/watch_contract.h"
#include "mountd/watch_packets.h"

#define PACKET_MAX 60000
/* The daemon answers at once, unless it hangs. */
#define ANSWER_MS 10000
#define POLL_MS	  20000
/* Between two looks at the runs: bursts of changes become one. */
#define PAUSE_MS 200
/* Even when nothing has changed: somebody may have removed a spec by hand. */
#define REPEAT_MS 60000

struct link {
	struct loop *loop;
	const char *socket;
	void (*on_change)(void *data);
	void *data;

	struct channel *sender;
	struct channel *asker;
	struct loop_timer *retry_timer; /* connect anew */
	struct loop_timer
		*answer_timer;	      /* the sender's answer is due; or else the next repetition */
	struct loop_timer *ask_timer; /* the asker's answer is due, or its next question */
	struct backoff backoff;

	struct packets wanted;
	bool has_wanted;
	size_t next;  /* packet to be sent */
	bool sending; /* an answer is awaited */
	bool again;   /* wanted has changed meanwhile */
	bool taken;   /* the daemon has taken in all that is wanted */
	bool current; /* … and the runs have been looked at after that */
	bool asking;
	bool asked_after; /* the question under way was asked after it was taken */
	json_int_t serial;
	char fault[256];

	struct link_run *runs;
	size_t n;
	struct link_run *coming; /* the answer under way */
	size_t n_coming;
};

static void ask(void *data);
static void send_next(struct link *l);
static void on_asked(void *data, const json_t *packet);

static void clear_runs(struct link_run **runs, size_t *n)
{
	while (*n) {
		--*n;
		free((*runs)[*n].rung);
		free((*runs)[*n].fault);
	}
	free(*runs);
	*runs = NULL;
}

bool link_is_up(const struct link *l)
{
	return l->sender && l->asker;
}

bool link_is_current(const struct link *l)
{
	return l->current;
}

static int compare(const void *a, const void *b)
{
	const struct link_run *x = a, *y = b;
	int order = strcmp(x->run, y->run);

	return order ? order : (int)x->role - (int)y->role;
}

const struct link_run *link_find(const struct link *l, const char *run, enum role role)
{
	struct link_run key = {.role = role};

	(void)snprintf(key.run, sizeof key.run, "%s", run);
	return l->n ? bsearch(&key, l->runs, l->n, sizeof key, compare) : NULL;
}

static void lose(struct link *l, const char *what, int error)
{
	uint64_t wait = backoff_next(&l->backoff, backoff_random());
	char text[sizeof l->fault];

	channel_free(l->sender);
	channel_free(l->asker);
	l->sender = l->asker = NULL;
	l->sending = l->taken = l->current = l->asking = false;
	l->next = 0;
	clear_runs(&l->coming, &l->n_coming);
	loop_timer_stop(l->answer_timer);
	loop_timer_stop(l->ask_timer);
	(void)snprintf(text, sizeof text, "%s: %s", what, strerror(-error));
	if (strcmp(text, l->fault) != 0)
		log_event(LOG_LEVEL_WARNING, "daemon-lost", log_text("socket", l->socket),
			log_text("error", text));
	(void)snprintf(l->fault, sizeof l->fault, "%s", text);
	loop_timer_set(l->retry_timer, wait);
	l->on_change(l->data);
}

static void on_lost(void *data)
{
	lose(data, "the daemon has ended the connection", -ECONNRESET);
}

static void on_answer_late(void *data)
{
	struct link *l = data;

	if (l->sending) {
		lose(l, "no answer to a snapshot", -ETIMEDOUT);
		return;
	}
	l->next = 0;
	send_next(l);
}

static void send_next(struct link *l)
{
	int r;

	if (!l->sender || l->sending || !l->has_wanted)
		return;
	l->sending = true;
	l->again = false;
	loop_timer_set(l->answer_timer, ANSWER_MS);
	r = channel_send(l->sender, l->wanted.list[l->next]);
	if (r < 0)
		lose(l, "send a snapshot", r);
}

/* A question from before may wait for long: nobody waits for its answer any more. */
static void ask_anew(struct link *l)
{
	int r;

	if (l->asking) {
		channel_free(l->asker);
		l->asker = NULL;
		l->asking = false;
		clear_runs(&l->coming, &l->n_coming);
		r = channel_new(l->loop, l->socket, on_asked, on_lost, l, &l->asker);
		if (r < 0) {
			lose(l, "connect", r);
			return;
		}
	}
	ask(l);
}

static void on_taken(struct link *l)
{
	bool first = !l->taken;

	l->next = 0;
	l->taken = true;
	loop_timer_set(l->answer_timer, REPEAT_MS);
	if (first)
		ask_anew(l);
}

static void on_sent(void *data, const json_t *packet)
{
	struct link *l = data;
	const char *message = json_string_value(json_object_get(packet, "message"));

	l->sending = false;
	if (!json_is_true(json_object_get(packet, "ok"))) {
		log_event(LOG_LEVEL_ERROR, "snapshot-refused",
			log_text("error", message ? message : "no reason"),
			log_text("field", json_string_value(json_object_get(packet, "field"))));
		lose(l, "the daemon has refused a snapshot", -EPROTO);
		return;
	}
	backoff_reset(&l->backoff);
	if (l->again)
		l->next = 0;
	else if (++l->next == l->wanted.n) {
		on_taken(l);
		return;
	}
	send_next(l);
}

int link_want(struct link *l, const struct spec *specs, size_t n)
{
	struct packets packets;
	int r = packets_make(SNAPSHOT_SOURCE, specs, n, PACKET_MAX, &packets);

	if (r < 0)
		return r;
	if (l->has_wanted && packets_equal(&packets, &l->wanted)) {
		packets_clear(&packets);
		return 0;
	}
	packets_clear(&l->wanted);
	l->wanted = packets;
	l->has_wanted = true;
	l->taken = l->current = false;
	l->again = true;
	if (!l->sending) {
		l->next = 0;
		send_next(l);
	}
	return 0;
}

static int read_run(const json_t *item, struct link_run *ret)
{
	const char *run = json_string_value(json_object_get(item, "run"));
	const char *incarnation = json_string_value(json_object_get(item, "incarnation"));
	const char *role = json_string_value(json_object_get(item, "role"));
	const char *state = json_string_value(json_object_get(item, "state"));
	const char *rung = json_string_value(json_object_get(item, "rung"));
	const char *fault = json_string_value(json_object_get(item, "fault"));
	const char *error = json_string_value(json_object_get(item, "errno"));

	if (!run || !incarnation || !role || !state || !name_is_valid(run))
		return -EBADMSG;
	*ret = (struct link_run){
		.role = strcmp(role, "export") == 0 ? ROLE_EXPORT : ROLE_MOUNT,
		.ready = strcmp(state, "ready") == 0,
		.ending = strcmp(state, "ending") == 0,
		.rung = strdup(rung ? rung : ""),
		.fault = strdup(fault ? fault : ""),
	};
	(void)snprintf(ret->run, sizeof ret->run, "%s", run);
	(void)snprintf(ret->incarnation, sizeof ret->incarnation, "%s", incarnation);
	(void)snprintf(ret->error, sizeof ret->error, "%s", error ? error : "");
	if (ret->rung && ret->fault)
		return 0;
	free(ret->rung);
	free(ret->fault);
	return -ENOMEM;
}

static int take_item(struct link *l, const json_t *item)
{
	struct link_run run, *runs;
	int r = read_run(item, &run);

	if (r < 0)
		return r;
	runs = reallocarray(l->coming, l->n_coming + 1, sizeof *runs);
	if (!runs) {
		free(run.rung);
		free(run.fault);
		return -ENOMEM;
	}
	l->coming = runs;
	l->coming[l->n_coming++] = run;
	return 0;
}

static void take_runs(struct link *l, const json_t *packet)
{
	clear_runs(&l->runs, &l->n);
	l->runs = TAKE_PTR(l->coming);
	l->n = l->n_coming;
	l->n_coming = 0;
	if (l->n)
		qsort(l->runs, l->n, sizeof *l->runs, compare);
	l->serial = json_integer_value(json_object_get(packet, "serial"));
	l->current = l->taken && l->asked_after;
	l->asking = false;
	l->fault[0] = '\0';
	loop_timer_set(l->ask_timer, l->taken && !l->current ? 0 : PAUSE_MS);
	l->on_change(l->data);
}

static void on_asked(void *data, const json_t *packet)
{
	struct link *l = data;
	const json_t *item = json_object_get(packet, "item");
	int r = 0;

	if (item)
		r = take_item(l, item);
	else if (json_is_true(json_object_get(packet, "ok")))
		take_runs(l, packet);
	else
		r = -EPROTO;
	if (r < 0)
		lose(l, "read the daemon's runs", r);
}

/* Also when a question has been waiting for too long. */
static void ask(void *data)
{
	struct link *l = data;
	bool fresh = l->taken && !l->current;
	char text[128];
	int r;

	if (!l->asker)
		return;
	if (l->asking) {
		lose(l, "no answer about the runs", -ETIMEDOUT);
		return;
	}
	l->asking = true;
	l->asked_after = l->taken;
	(void)snprintf(text, sizeof text, "{\"verb\":\"runs\",\"since\":%lld,\"wait_ms\":%d}",
		fresh ? 0LL : (long long)l->serial, POLL_MS);
	loop_timer_set(l->ask_timer, POLL_MS + ANSWER_MS);
	r = channel_send(l->asker, text);
	if (r < 0)
		lose(l, "ask for the runs", r);
}

static void connect_both(void *data)
{
	struct link *l = data;
	int r = channel_new(l->loop, l->socket, on_sent, on_lost, l, &l->sender);

	if (r == 0)
		r = channel_new(l->loop, l->socket, on_asked, on_lost, l, &l->asker);
	if (r < 0) {
		lose(l, "connect", r);
		return;
	}
	log_event(LOG_LEVEL_INFO, "daemon-connected", log_text("socket", l->socket));
	l->serial = 0;
	send_next(l);
	ask(l);
}

int link_new(struct loop *loop, const char *socket, void (*on_change)(void *data), void *data,
	struct link **ret)
{
	struct link *l = calloc(1, sizeof *l);
	int r;

	if (!l)
		return -ENOMEM;
	*l = (struct link){.loop = loop,
		.socket = socket,
		.on_change = on_change,
		.data = data,
		.backoff = {.first_ms = 200, .most_ms = 5000}};
	r = loop_timer_new(loop, connect_both, l, &l->retry_timer);
	if (r == 0)
		r = loop_timer_new(loop, on_answer_late, l, &l->answer_timer);
	if (r == 0)
		r = loop_timer_new(loop, ask, l, &l->ask_timer);
	if (r < 0) {
		link_free(l);
		return r;
	}
	loop_timer_set(l->retry_timer, 0);
	*ret = l;
	return 0;
}

void link_free(struct link *l)
{
	if (!l)
		return;
	channel_free(l->sender);
	channel_free(l->asker);
	loop_timer_free(l->retry_timer);
	loop_timer_free(l->answer_timer);
	loop_timer_free(l->ask_timer);
	packets_clear(&l->wanted);
	clear_runs(&l->runs, &l->n);
	clear_runs(&l->coming, &l->n_coming);
	free(l);
}
