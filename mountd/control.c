/* SPDX-License-Identifier: Apache-2.0 */
/* The control socket: who may connect, how many, and packets in and out without ever blocking. */
#include "mountd/control.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "mountd/base/cleanup.h"
#include "mountd/base/utf8.h"
#include "mountd/control_listen.h"
#include "mountd/json_text.h"
#include "mountd/server.h"
#include "mountd/snapshot.h"

/* What one peer may leave unread before it is dropped. */
#define OUTPUT_MAX (8U << 20)
/* After a connection that could not be taken: it stays readable, and must not make us spin. */
#define ACCEPT_PAUSE_MS 500

struct packet {
	struct packet *next;
	size_t size;
	char text[];
};

struct peer {
	struct control *control;
	int fd; /* -1: free slot */
	struct loop_poll *poll;
	struct loop_timer *timer;
	uint64_t active_ms;
	struct waiting waiting;
	struct snapshot *snapshot;
	struct packet *first, **last;
	size_t unsent;
	bool broken; /* to be dropped as soon as nobody uses it */
};

struct control {
	struct daemon *daemon;
	char path[sizeof((struct sockaddr_un *)0)->sun_path];
	int fd;
	struct loop_poll *poll;
	struct loop_timer *pause;
	struct peer peers[CONTROL_CONNECTIONS];
};

struct daemon *peer_daemon(struct peer *p)
{
	return p->control->daemon;
}

struct waiting *peer_waiting(struct peer *p)
{
	return &p->waiting;
}

struct snapshot **peer_snapshot(struct peer *p)
{
	return &p->snapshot;
}

static void stop_waiting(struct peer *p)
{
	if (p->waiting.what == AWAIT_STATUS)
		server_refresh_forget(p->control->daemon->server, p);
	if (p->waiting.what == AWAIT_READY)
		spec_clear(&p->waiting.spec);
	p->waiting.what = AWAIT_NOTHING;
	loop_timer_stop(p->timer);
}

static void drop(struct peer *p)
{
	stop_waiting(p);
	snapshot_free(p->snapshot);
	loop_poll_free(p->poll);
	loop_timer_free(p->timer);
	cleanup_close(&p->fd);
	while (p->first) {
		struct packet *packet = p->first;

		p->first = packet->next;
		free(packet);
	}
	*p = (struct peer){.control = p->control, .fd = -1};
}

/* Reading goes on when the last request is answered and the answer is out. */
static void set_events(struct peer *p)
{
	unsigned events = LOOP_HANGUP;

	if (p->first)
		events |= LOOP_WRITE;
	else if (p->waiting.what == AWAIT_NOTHING)
		events |= LOOP_READ;
	if (loop_poll_set(p->poll, events) < 0)
		p->broken = true;
}

static void flush(struct peer *p)
{
	while (p->first) {
		struct packet *packet = p->first;

		if (send(p->fd, packet->text, packet->size, MSG_NOSIGNAL | MSG_DONTWAIT) < 0) {
			p->broken = errno != EAGAIN && errno != EWOULDBLOCK && errno != ENOBUFS;
			return;
		}
		p->first = packet->next;
		p->unsent -= packet->size;
		free(packet);
	}
	p->last = &p->first;
}

static void put(struct peer *p, json_t *object)
{
	char *text = object ? json_dumps(object, JSON_COMPACT) : NULL;
	size_t size = text ? strlen(text) : 0;
	struct packet *packet = NULL;

	json_decref(object);
	if (!p->broken && size && p->unsent + size <= OUTPUT_MAX)
		packet = malloc(sizeof *packet + size);
	if (packet) {
		*packet = (struct packet){.size = size};
		memcpy(packet->text, text, size);
		*p->last = packet;
		p->last = &packet->next;
		p->unsent += size;
		flush(p);
	} else {
		p->broken = true;
	}
	free(text);
}

void peer_item(struct peer *p, json_t *item)
{
	put(p, json_pack("{s:o}", "item", item));
}

void peer_answer(struct peer *p, json_t *answer)
{
	stop_waiting(p);
	put(p, answer);
	p->active_ms = loop_clock_ms();
}

void peer_refuse(struct peer *p, const char *kind, const char *field, const char *format, ...)
{
	char message[1024];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(message, sizeof message, format, args);
	va_end(args);
	utf8_trim(message);
	peer_answer(
		p, json_pack("{s:b, s:s, s:o, s:o*}", "ok", 0, "kind", kind, "message",
			   json_text(message), "field", field && *field ? json_text(field) : NULL));
}

static void on_status_fresh(void *data)
{
	struct peer *p = data;

	verbs_timeout(p);
	set_events(p);
	if (p->broken)
		drop(p);
}

static void on_timeout(void *data)
{
	struct peer *p = data;

	if (p->waiting.what != AWAIT_NOTHING)
		verbs_timeout(p);
	set_events(p);
	if (p->broken)
		drop(p);
}

void peer_wait(struct peer *p, enum await what, uint64_t wait_ms)
{
	p->waiting.what = what;
	loop_timer_set(p->timer, wait_ms);
	if (what == AWAIT_STATUS)
		server_refresh(p->control->daemon->server, on_status_fresh, p);
	else
		verbs_check(p);
}

static void receive(struct peer *p)
{
	/* Only ever used here, and large: not on the stack, not per connection. */
	static char buffer[CONTROL_PACKET_MAX + 1];
	ssize_t n = recv(p->fd, buffer, sizeof buffer, MSG_DONTWAIT | MSG_TRUNC);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		p->broken = true;
		return;
	}
	p->active_ms = loop_clock_ms();
	if (n > CONTROL_PACKET_MAX)
		peer_refuse(p, "usage", NULL, "a request is one packet of at most %d bytes",
			CONTROL_PACKET_MAX);
	else
		verbs_handle(p, buffer, (size_t)n);
}

static void on_peer(void *data, unsigned events)
{
	struct peer *p = data;

	if (events & LOOP_WRITE)
		flush(p);
	if (events & LOOP_READ)
		receive(p);
	else if (events & LOOP_HANGUP)
		p->broken = true;
	set_events(p);
	if (p->broken)
		drop(p);
}

static bool is_allowed(const struct control *c, int fd)
{
	gid_t gid = c->daemon->preflight.control_gid;
	struct ucred cred;
	socklen_t size = sizeof cred;

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &size) < 0)
		return false;
	return cred.uid == 0 || (gid != (gid_t)-1 && cred.gid == gid);
}

/* A peer that waits and has hung up, which the loop has not told yet. */
static bool has_left(const struct peer *p)
{
	struct pollfd fd = {.fd = p->fd, .events = POLLRDHUP};

	return poll(&fd, 1, 0) == 1;
}

/* A free slot, if need be that of the peer that has been idle for longest. */
static struct peer *find_slot(struct control *c)
{
	struct peer *oldest = NULL;

	for (size_t i = 0; i < CONTROL_CONNECTIONS; i++) {
		struct peer *p = &c->peers[i];

		if (p->fd < 0)
			return p;
		if ((p->waiting.what == AWAIT_NOTHING || has_left(p)) &&
			(!oldest || p->active_ms < oldest->active_ms))
			oldest = p;
	}
	if (oldest)
		drop(oldest);
	return oldest;
}

static void say_no(int fd, const char *kind, const char *message)
{
	char text[256];
	int n = snprintf(text, sizeof text, "{\"ok\":false,\"kind\":\"%s\",\"message\":\"%s\"}",
		kind, message);

	(void)send(fd, text, (size_t)n, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void admit(struct control *c, struct peer *p, int fd)
{
	struct loop *loop = c->daemon->loop;
	int r = loop_timer_new(loop, on_timeout, p, &p->timer);

	if (r == 0)
		r = loop_poll_new(loop, fd, LOOP_READ | LOOP_HANGUP, on_peer, p, &p->poll);
	p->fd = fd;
	p->last = &p->first;
	p->active_ms = loop_clock_ms();
	if (r < 0)
		drop(p);
}

static void on_pause_over(void *data)
{
	struct control *c = data;

	(void)loop_poll_set(c->poll, LOOP_READ);
}

static void pause_accepting(struct control *c, int error)
{
	if (error == EAGAIN || error == EINTR || error == ECONNABORTED)
		return;
	log_event(LOG_LEVEL_WARNING, "control-refused", log_text("error", strerror(error)));
	(void)loop_poll_set(c->poll, 0);
	loop_timer_set(c->pause, ACCEPT_PAUSE_MS);
}

static void on_connection(void *data, unsigned events)
{
	struct control *c = data;
	_cleanup_close_ int fd = accept4(c->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	struct peer *slot;

	(void)events;
	if (fd < 0) {
		pause_accepting(c, errno);
		return;
	}
	if (!is_allowed(c, fd)) {
		say_no(fd, "refused", "only root and the control group may use this socket");
		return;
	}
	slot = find_slot(c);
	if (!slot) {
		say_no(fd, "failed", "too many requests are waiting; try again");
		return;
	}
	admit(c, slot, TAKE_FD(fd));
}

static int listen_at(struct control *c, struct kerr *e)
{
	int r = control_listen(c->path, c->daemon->preflight.control_gid, &c->fd, e);

	if (r < 0)
		return r;
	r = loop_poll_new(c->daemon->loop, c->fd, LOOP_READ, on_connection, c, &c->poll);
	return r < 0 ? kerr_set(e, r, "poll control socket", c->path, NULL) : 0;
}

int control_new(struct daemon *d, struct control **ret, struct kerr *e)
{
	struct control *c = calloc(1, sizeof *c);
	int r;

	if (!c)
		return kerr_set(e, -ENOMEM, "make control socket", NULL, NULL);
	c->daemon = d;
	c->fd = -1;
	for (size_t i = 0; i < CONTROL_CONNECTIONS; i++)
		c->peers[i] = (struct peer){.control = c, .fd = -1};
	(void)snprintf(c->path, sizeof c->path, "%s/control.sock", d->options.runtime_dir);
	r = loop_timer_new(d->loop, on_pause_over, c, &c->pause);
	r = r < 0 ? kerr_set(e, r, "make control socket", c->path, NULL) : listen_at(c, e);
	if (r < 0) {
		control_free(c);
		return r;
	}
	*ret = c;
	return 0;
}

void control_free(struct control *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < CONTROL_CONNECTIONS; i++)
		if (c->peers[i].fd >= 0)
			drop(&c->peers[i]);
	if (c->poll)
		(void)unlink(c->path);
	loop_poll_free(c->poll);
	loop_timer_free(c->pause);
	cleanup_close(&c->fd);
	free(c);
}

void control_check(struct control *c)
{
	for (size_t i = 0; i < CONTROL_CONNECTIONS; i++) {
		struct peer *p = &c->peers[i];

		if (p->fd < 0 || p->waiting.what == AWAIT_NOTHING ||
			p->waiting.what == AWAIT_STATUS)
			continue;
		verbs_check(p);
		set_events(p);
		if (p->broken)
			drop(p);
	}
}
