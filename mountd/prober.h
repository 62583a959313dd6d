/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asks the servers of this node's mounts whether they still answer, each on its own schedule and
 * never through a mount. A server that has been silent for too long is lost: its mounts are cut
 * off, and made anew when it answers again. One lost server delays no other.
 */
#pragma once

#include "nfs/addr.h"

struct daemon;
#define ATTEMPTS_END_MS 2000 /* killed attempts at a lost server, at most */

struct prober;

/* Takes away what a killed daemon's tombstones left. Negative errno. */
int prober_new(struct daemon *d, struct prober **ret);
void prober_free(struct prober *p);

/* Follows the runs: begins and ends to ask. To be called before planning. */
void prober_match(struct prober *p);

/* The server did answer: a mount of it was made. */
void prober_answered(struct prober *p, const struct addr *server, uint16_t port);

bool prober_is_silent(const struct prober *p, const struct addr *server, uint16_t port);
/* Since when it is lost, monotonic; 0: it is not. */
uint64_t prober_lost_ms(const struct prober *p, const struct addr *server, uint16_t port);

/* Is it asked? */
bool prober_knows(const struct prober *p, const struct addr *server, uint16_t port);
/* At the last match: did some worker try to mount from it, or was not yet let go? */
bool prober_is_attempted(const struct prober *p, const struct addr *server, uint16_t port);

/* For each server that does not answer: where it is, since when, and whether it is lost. */
typedef void prober_tell(void *data, const char *address, uint64_t silent_ms, bool lost);
void prober_tell_silent(const struct prober *p, prober_tell *tell, void *data); /* p: or NULL */
