/* SPDX-License-Identifier: Apache-2.0 */
/* Watches the clients of this node's NFS server, and expires the dead. */
#include "mountd/client_watch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mountd/base/cleanup.h"
#include "mountd/client_judge.h"
#include "mountd/daemon.h"
#include "mountd/reach.h"
#include "mountd/server.h"
#include "nfs/client_expire.h"
#include "nfs/nfsdfs.h"

#define ANSWER_MS	2000
#define EXPIRE_JOB_MS	20000
#define UNRECLAIMED_MAX 3
#define QUESTIONS_MAX	16 /* at once: a client costs an address nothing, a question a descriptor */

struct watched {
	struct client_watch *watch;
	struct client client;
	struct client_signs signs;
	struct reach *reach;
	bool seen;
	bool failed; /* expiring it failed, and was told */
};

struct client_watch {
	struct daemon *daemon;
	struct loop_timer *timer;
	bool soon; /* the timer was set by client_watch_soon() */
	struct watched **list;
	size_t n;
	unsigned questions;
	unsigned unreclaimed; /* times it helped nobody in a row to be expired for that … */
	char unreclaimed_name[sizeof((struct client *)0)->is.name]; /* … and who was last */
	struct job *expire;
	char expiring[sizeof((struct client *)0)->name];
};

struct expire_arg {
	int fs;
	char name[sizeof((struct client *)0)->name];
};

static struct watched *find(const struct client_watch *w, const char *name)
{
	for (size_t i = 0; i < w->n; i++)
		if (strcmp(w->list[i]->client.name, name) == 0)
			return w->list[i];
	return NULL;
}

static struct watched *add(struct client_watch *w, const struct client *client)
{
	struct watched **list = reallocarray(w->list, w->n + 1, sizeof *list);
	struct watched *c = list ? calloc(1, sizeof *c) : NULL;

	if (list)
		w->list = list;
	if (!c)
		return NULL;
	c->watch = w;
	c->client = *client;
	return w->list[w->n++] = c;
}

static void drop(struct client_watch *w, size_t i)
{
	if (w->list[i]->reach) {
		reach_cancel(w->list[i]->reach);
		w->questions--;
	}
	free(w->list[i]);
	w->list[i] = w->list[--w->n];
}

static int expire(const void *data, void *result, int *ret_fd, struct kerr *e)
{
	const struct expire_arg *arg = data;

	(void)result;
	(void)ret_fd;
	return client_expire(arg->fs, arg->name, NULL, NULL, e);
}

static void expire_done(void *data, struct job_end *end)
{
	struct client_watch *w = data;
	struct watched *c = find(w, w->expiring);
	char text[640];

	w->expire = NULL;
	if (end->error && c && !c->failed) {
		c->failed = true;
		kerr_format(&end->e, text, sizeof text);
		log_event(LOG_LEVEL_ERROR, "client-expire-failed", log_text("error", text));
	}
	loop_timer_set(w->timer, end->error ? CLIENT_SOON_MS : 0);
}

static void tell(const struct watched *c, enum client_verdict verdict)
{
	char addr[ADDR_TEXT_SIZE];

	addr_format(&c->client.is.addr, addr);
	log_event(LOG_LEVEL_WARNING, verdict == CLIENT_HOLDS_UP ? "client-dead" : "client-expired",
		log_text("peer", addr),
		log_number("silent_ms", c->client.is.quiet_seconds * 1000ULL),
		log_text("error", client_why(verdict)), log_text("rung", "expire-client"),
		log_text("next", "what it held is free; it starts anew when it is back"));
}

/* One at a time: the next look finds the others. */
static void bury(struct watched *c, enum client_verdict verdict, int fs)
{
	struct client_watch *w = c->watch;
	struct expire_arg arg = {.fs = fs};

	if (w->expire)
		return;
	memcpy(arg.name, c->client.name, sizeof arg.name);
	memcpy(w->expiring, c->client.name, sizeof w->expiring);
	if (job_start(w->daemon->loop,
		    &(struct job_call){.name = "expire",
			    .fn = expire,
			    .arg = &arg,
			    .keep = fs,
			    .deadline_ms = EXPIRE_JOB_MS,
			    .waits_for = "nfsd",
			    .done = expire_done,
			    .data = w},
		    &w->expire) == 0 &&
		!c->failed) {
		if (verdict == CLIENT_UNRECLAIMED) {
			w->unreclaimed++;
			memcpy(w->unreclaimed_name, c->client.is.name, sizeof w->unreclaimed_name);
		}
		tell(c, verdict);
	}
}

static void on_answer(void *data, bool answered)
{
	struct watched *c = data;

	c->reach = NULL;
	c->watch->questions--;
	client_heard(&c->signs, answered);
	if (!answered)
		loop_timer_set(c->watch->timer, 0);
}

static void ask(struct watched *c)
{
	struct client_watch *w = c->watch;
	struct daemon *d = w->daemon;
	int r;

	if (c->reach || w->questions == QUESTIONS_MAX)
		return;
	r = reach_start(
		d->loop, &c->client.is.addr, d->options.port, ANSWER_MS, on_answer, c, &c->reach);
	if (r == 0)
		w->questions++;
	/* What this node lacks says nothing of the other. */
	else if (r == -EHOSTUNREACH || r == -ENETUNREACH)
		client_heard(&c->signs, false);
}

/* Where it helped nobody, again and again, it is not what they wait for. */
static bool is_unreclaimed(struct client_watch *w, const struct client *client, int fs)
{
	const struct exporter *x = server_open_exporter(w->daemon->server);

	if (!x || !client->is.confirmed || !client->is.name[0])
		return false;
	if (exporter_knows_client(x, client->is.name) != 0) {
		if (strcmp(w->unreclaimed_name, client->is.name) == 0)
			w->unreclaimed = 0;
		return false;
	}
	return w->unreclaimed < UNRECLAIMED_MAX && client_holds_nothing(fs, client->name);
}

static void look_at(struct client_watch *w, const struct client *client, int fs)
{
	struct watched *c = find(w, client->name);
	enum client_verdict verdict;

	if (!c)
		c = add(w, client);
	if (!c)
		return;
	c->seen = true;
	c->client = *client;
	verdict = client_judge(&c->signs, &client->is, is_unreclaimed(w, client, fs));
	if (verdict == CLIENT_ASK)
		ask(c);
	else if (verdict != CLIENT_FINE)
		bury(c, verdict, fs);
}

/* Where they cannot be read, nothing has changed. */
static void look_at_all(struct client_watch *w)
{
	_cleanup_close_ int fs = -1;
	_cleanup_free_ struct client *list = NULL;
	size_t n = 0;

	if (nfsdfs_open_mounted(w->daemon->options.runtime_dir, &fs) < 0 ||
		clients_read(fs, &list, &n, NULL) < 0)
		return;
	for (size_t i = 0; i < w->n; i++)
		w->list[i]->seen = false;
	for (size_t i = 0; i < n; i++)
		look_at(w, &list[i], fs);
	for (size_t i = w->n; i-- > 0;)
		if (!w->list[i]->seen)
			drop(w, i);
}

static void on_timer(void *data)
{
	struct client_watch *w = data;
	uint64_t next = CLIENT_EVERY_MS;

	w->soon = false;
	if (!server_is_serving(w->daemon->server))
		return;
	look_at_all(w);
	for (size_t i = 0; i < w->n; i++) {
		uint64_t wants = client_look_ms(&w->list[i]->signs);
		if (wants < next)
			next = wants;
	}
	/* Also where there is none: of one that never reclaims, client tracking is not told. */
	if (!loop_timer_running(w->timer))
		loop_timer_set(w->timer, next);
}

void client_watch_soon(struct client_watch *w)
{
	if (w->soon)
		return;
	w->soon = true;
	loop_timer_set(w->timer, CLIENT_SOON_MS);
}

void client_watch_match(struct client_watch *w)
{
	if (server_is_serving(w->daemon->server) && !loop_timer_running(w->timer))
		loop_timer_set(w->timer, CLIENT_EVERY_MS);
}

int client_watch_new(struct daemon *d, struct client_watch **ret)
{
	struct client_watch *w = calloc(1, sizeof *w);
	int r;

	if (!w)
		return -ENOMEM;
	w->daemon = d;
	r = loop_timer_new(d->loop, on_timer, w, &w->timer);
	if (r < 0) {
		free(w);
		return r;
	}
	*ret = w;
	return 0;
}

void client_watch_free(struct client_watch *w)
{
	if (!w)
		return;
	while (w->n)
		drop(w, w->n - 1);
	free(w->list);
	loop_timer_free(w->timer);
	free(w);
}
