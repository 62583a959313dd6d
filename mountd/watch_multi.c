/* SPDX-License-Identifier: Apache-2.0 */
/* libcurl's many transfers, driven by the loop: it names sockets and a timer, we wait for them. */
#include "mountd/watch_multi.h"

#include <curl/curl.h>
#include <errno.h>
#include <stdlib.h>

#include "mountd/base/cleanup.h"

/* With HTTP/1.1 two of them are taken by the watches; with HTTP/2 one is enough for all. */
#define CONNECTIONS_MAX 8L

struct multi_socket {
	struct multi_socket *next;
	struct multi *multi;
	struct loop_poll *poll;
	curl_socket_t fd;
};

struct multi {
	struct loop *loop;
	struct loop_timer *timer;
	struct loop_timer *loss_timer;
	CURLM *curl;
	struct multi_socket *sockets;
	const struct multi_owner *owner;
	void *owner_data;
};

void *multi_handle(struct multi *m)
{
	return m->curl;
}

static void take_finished(struct multi *m)
{
	CURLMsg *message;
	int left;

	while ((message = curl_multi_info_read(m->curl, &left))) {
		CURLcode code = message->data.result;
		void *private = NULL;

		if (message->msg != CURLMSG_DONE)
			continue;
		(void)curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &private);
		m->owner->on_done(private, (int)code);
	}
}

static void on_socket(void *data, unsigned events)
{
	struct multi_socket *s = data;
	struct multi *m = s->multi;
	int mask = 0, running;

	if (events & LOOP_READ)
		mask |= CURL_CSELECT_IN;
	if (events & LOOP_WRITE)
		mask |= CURL_CSELECT_OUT;
	if (events & LOOP_HANGUP)
		mask |= CURL_CSELECT_IN | CURL_CSELECT_ERR;
	/* s may be gone after this. */
	(void)curl_multi_socket_action(m->curl, s->fd, mask, &running);
	take_finished(m);
}

static void on_timer(void *data)
{
	struct multi *m = data;
	int running;

	(void)curl_multi_socket_action(m->curl, CURL_SOCKET_TIMEOUT, 0, &running);
	take_finished(m);
}

static int set_timer(CURLM *curl, long ms, void *data)
{
	struct multi *m = data;

	(void)curl;
	if (ms < 0)
		loop_timer_stop(m->timer);
	else
		loop_timer_set(m->timer, (uint64_t)ms);
	return 0;
}

static void forget_socket(struct multi_socket *s)
{
	struct multi_socket **at = &s->multi->sockets;

	while (*at != s)
		at = &(*at)->next;
	*at = s->next;
	loop_poll_free(s->poll);
	free(s);
}

static int add_socket(struct multi *m, curl_socket_t fd, unsigned events)
{
	struct multi_socket *s = calloc(1, sizeof *s);

	if (!s)
		return -1;
	*s = (struct multi_socket){.multi = m, .fd = fd};
	if (loop_poll_new(m->loop, fd, events, on_socket, s, &s->poll) < 0) {
		free(s);
		return -1;
	}
	s->next = m->sockets;
	m->sockets = s;
	(void)curl_multi_assign(m->curl, fd, s);
	return 0;
}

static void on_loss(void *data)
{
	struct multi *m = data;

	m->owner->on_loss(m->owner_data);
}

/*
 * A failure told to libcurl would stop all that it does, for good, with no word to anybody. A
 * socket that nobody watches would be as silent, so its owner ends every transfer.
 */
static int watch_socket(CURL *easy, curl_socket_t fd, int what, void *data, void *known)
{
	struct multi_socket *s = known;
	struct multi *m = data;
	unsigned events = 0;
	int r;

	(void)easy;
	if (what == CURL_POLL_REMOVE) {
		if (s)
			forget_socket(s);
		return 0;
	}
	if (what & CURL_POLL_IN)
		events |= LOOP_READ;
	if (what & CURL_POLL_OUT)
		events |= LOOP_WRITE;
	r = s ? loop_poll_set(s->poll, events) : add_socket(m, fd, events);
	if (r < 0)
		loop_timer_set(m->loss_timer, 0);
	return 0;
}

static int start(struct multi *m)
{
	int r = loop_timer_new(m->loop, on_timer, m, &m->timer);

	if (r == 0)
		r = loop_timer_new(m->loop, on_loss, m, &m->loss_timer);
	if (r < 0)
		return r;
	if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
		return -EIO;
	m->curl = curl_multi_init();
	if (!m->curl)
		return -EIO;
	(void)curl_multi_setopt(m->curl, CURLMOPT_SOCKETFUNCTION, watch_socket);
	(void)curl_multi_setopt(m->curl, CURLMOPT_SOCKETDATA, m);
	(void)curl_multi_setopt(m->curl, CURLMOPT_TIMERFUNCTION, set_timer);
	(void)curl_multi_setopt(m->curl, CURLMOPT_TIMERDATA, m);
	(void)curl_multi_setopt(m->curl, CURLMOPT_MAX_TOTAL_CONNECTIONS, CONNECTIONS_MAX);
	(void)curl_multi_setopt(m->curl, CURLMOPT_PIPELINING, CURLPIPE_MULTIPLEX);
	return 0;
}

int multi_new(struct loop *loop, const struct multi_owner *owner, void *data, struct multi **ret)
{
	struct multi *m = calloc(1, sizeof *m);
	int r;

	if (!m)
		return -ENOMEM;
	*m = (struct multi){.loop = loop, .owner = owner, .owner_data = data};
	r = start(m);
	if (r < 0) {
		multi_free(m);
		return r;
	}
	*ret = m;
	return 0;
}

void multi_free(struct multi *m)
{
	if (!m)
		return;
	if (m->curl)
		(void)curl_multi_cleanup(m->curl);
	while (m->sockets)
		forget_socket(m->sockets);
	loop_timer_free(m->timer);
	loop_timer_free(m->loss_timer);
	free(m);
	curl_global_cleanup();
}
