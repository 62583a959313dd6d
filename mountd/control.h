/* SPDX-License-Identifier: Apache-2.0 */
/* The control socket: connections, packets, and answers that may be a while in coming. */
#pragma once

#include "mountd/daemon.h"

#define CONTROL_CONNECTIONS 32
#define CONTROL_PACKET_MAX  65536
#define CONTROL_WAIT_MAX_MS 3600000

int control_new(struct daemon *d, struct control **ret, struct kerr *e);
void control_free(struct control *c); /* NULL is fine */

/* Something may have come true that a peer waits for. */
void control_check(struct control *c);

/* Between the socket and the verbs. */
struct peer;

enum await {
	AWAIT_NOTHING,
	AWAIT_READY, /* the spec's run is ready */
	AWAIT_GONE,  /* nothing is left of the run */
	AWAIT_DRAINED,
	AWAIT_STATUS, /* the server was looked at */
	AWAIT_CHANGE, /* the runs are not as they were at since */
};

/* What a request still waits for. */
struct waiting {
	enum await what;
	char run[NAME_MAX_LENGTH + 1];
	struct spec spec; /* AWAIT_READY; owned */
	uint64_t since;	  /* AWAIT_CHANGE */
};

struct daemon *peer_daemon(struct peer *p);
struct waiting *peer_waiting(struct peer *p);
/* The connection's snapshot under way; what is left at its end is freed. */
struct snapshot **peer_snapshot(struct peer *p);

/* A packet {"item": …}; takes the reference. */
void peer_item(struct peer *p, json_t *item);
/* The last packet; takes the reference. The peer's request is over. */
void peer_answer(struct peer *p, json_t *answer);
/* {"ok": false, …}; field may be NULL. */
void peer_refuse(struct peer *p, const char *kind, const char *field, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* The request is not over: verbs_check() is asked whenever something changes, for wait_ms. */
void peer_wait(struct peer *p, enum await what, uint64_t wait_ms);

/* control_verbs.c: carries out one request, and answers it or calls peer_wait(). */
void verbs_handle(struct peer *p, const char *packet, size_t size);
/* Answers if what the peer waits for has come true, or cannot any more. */
void verbs_check(struct peer *p);
/* All runs, and the serial number that goes with them. */
void verbs_tell_runs(struct peer *p);
/* The time to wait is over: answers in any case. */
void verbs_timeout(struct peer *p);
