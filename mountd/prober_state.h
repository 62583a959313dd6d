/* SPDX-License-Identifier: Apache-2.0 */
/* Private to prober.c, prober_match.c and prober_judge.c: who is asked, and what it answers. */
#pragma once

#include "mountd/daemon.h"
#include "mountd/prober.h"
#include "nfs/client_lease.h"

enum answer {
	ANSWERS,
	SILENT, /* at least one probe went unanswered */
	LOST,	/* for longer than --lost-after: cut off */
};

struct peer {
	struct prober *prober;
	struct addr server;
	uint16_t port;
	enum answer answer;
	uint64_t answered_ms; /* monotonic: when it was last known to answer */
	uint64_t answers_ms;  /* monotonic: since when it has answered each time */
	uint64_t heard_ms;    /* monotonic: when it answered last, unasked time included */
	uint64_t lost_ms;     /* monotonic: when it was given up */
	uint64_t asked_ms;    /* monotonic: when the last attempt to ask it ended */
	struct loop_timer *timer;
	struct job *probe;
	struct tombstone_job *tombstone;
	struct mount_watch *mounts; /* or NULL: not yet, or no memory */
	bool used;
	bool attempted; /* a worker still tries to mount from it */
};

struct prober {
	struct daemon *daemon;
	struct peer **list;
	size_t n;
	unsigned left;	 /* the runs' count when what is unused was last dropped … */
	bool lingering;	 /* … but for some that hold up others */
	bool incomplete; /* for want of memory somebody is not asked that a run is served by */
	bool matched;	 /* once, so that all is known that a former daemon has left */
	int left_error;	 /* why it is not */
};

struct peer *prober_find(const struct prober *p, const struct addr *server, uint16_t port);
/* Attached and proven, or left by a former daemon: more than an attempt. */
bool prober_is_perhaps_shown(const struct run *run);
/* The means to fail all that waits for a lost server's mount. */
bool prober_has_shutdown(const struct prober *p);

/* "10.20.0.1:20490" into text, which it returns. */
const char *peer_text(const struct peer *peer, char *text, size_t size);
struct peer *peer_add(struct prober *p, const struct mount *m); /* NULL: no memory */
void peer_free(struct peer *peer);

/* Is m a mount from it? */
bool peer_serves(const struct peer *peer, const struct mount *m);
/* Takes in that it answered; before peer->answer tells that. */
void peer_heard(struct peer *peer, uint64_t now_ms);
/* The server answers us, and not this kernel, which nobody can ask why. */
bool peer_is_stuck(const struct peer *peer, const struct client_lease *lease, uint64_t now_ms);
