/* SPDX-License-Identifier: Apache-2.0 */
/* The exporter, made on demand for this node's addresses, and its turn whenever nfsd asks. */
#include "mountd/server_state.h"

#include <errno.h>
#include <string.h>

#include "mountd/base/cleanup.h"
#include "mountd/client_watch.h"
#include "mountd/own_addrs.h"

#define FAILURES_IN_A_ROW 64
#define PAUSE_MS	  1000

/* Addresses can come and go; configured ones stay as they are. */
void server_find_addresses(struct server *s)
{
	const struct options *o = &s->daemon->options;
	struct own_addrs own = {0};

	if (o->n_listen) {
		memcpy(s->listen, o->listen, sizeof s->listen);
		s->config.n_listen = o->n_listen;
		return;
	}
	if (own_addrs_read(OWN_REACHABLE, &own) < 0)
		return;
	s->config.n_listen = own.n < LISTEN_MAX ? own.n : LISTEN_MAX;
	if (own.n)
		memcpy(s->listen, own.list, s->config.n_listen * sizeof *s->listen);
	own_addrs_clear(&own);
}

/* Client tracking ends when somebody stops the threads. */
static void follow(struct server *s)
{
	bool seen = exporter_sees_server(s->exporter);

	if (s->seen && !seen && s->serving)
		server_refresh(s, NULL, NULL);
	s->seen = seen;
}

static void on_exporter(void *data, unsigned events)
{
	struct server *s = data;
	char text[640];
	struct kerr e = {0};

	(void)events;
	client_watch_soon(s->daemon->client_watch);
	if (exporter_dispatch(s->exporter, &e) >= 0) {
		s->failures = 0;
		follow(s);
		return;
	}
	/* One answer failed, the others were given. A cause that lasts must not make us spin. */
	kerr_format(&e, text, sizeof text);
	log_event(s->failures ? LOG_LEVEL_DEBUG : LOG_LEVEL_WARNING, "answer-failed",
		log_text("error", text));
	if (++s->failures % FAILURES_IN_A_ROW)
		return;
	(void)loop_poll_set(s->poll, 0);
	loop_timer_set(s->pause, PAUSE_MS);
	server_refresh(s, NULL, NULL);
}

void server_hear_again(void *data)
{
	struct server *s = data;

	if (s->poll)
		(void)loop_poll_set(s->poll, LOOP_READ);
}

int server_exporter(struct server *s, struct exporter **ret, struct kerr *e)
{
	int r;

	if (!s->exporter) {
		if (!s->config.n_listen)
			server_find_addresses(s);
		if (!s->config.n_listen)
			return kerr_set(e, -EADDRNOTAVAIL, "find an address to serve on", NULL,
				"no interface of this node has one that others can reach; "
				"name one with --listen");
		r = exporter_new(&s->config, &s->exporter, e);
		if (r < 0)
			return r;
		r = loop_poll_new(s->daemon->loop, exporter_get_fd(s->exporter), LOOP_READ,
			on_exporter, s, &s->poll);
		if (r < 0) {
			exporter_free(TAKE_PTR(s->exporter));
			return kerr_set(e, r, "poll", "upcalls", NULL);
		}
	}
	*ret = s->exporter;
	return 0;
}
