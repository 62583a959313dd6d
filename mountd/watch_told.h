/* SPDX-License-Identifier: Apache-2.0 */
/* What each pod has been told, so that nothing is told twice. */
#pragma once

#include <time.h>

#include "mountd/watch_backoff.h"
#include "mountd/watch_condition.h"

/* What one pod has been told. */
struct told {
	char uid[NAME_MAX_LENGTH + 1];
	bool patching;
	struct backoff backoff;
	uint64_t not_before_ms;
	uint64_t patched_ms;
	char reason[64]; /* as patched last */
	char status[8];
	uint64_t since_ms;
	bool was_ready;
	enum happening last; /* the last one noticed */
	uint64_t said_ms[HAPPENINGS];
	unsigned count[HAPPENINGS]; /* not said yet */
	time_t first[HAPPENINGS];
	bool seen;
};

/* Sorted by uid. */
struct tolds {
	struct told **list;
	size_t n, room;
};

struct told *tolds_find(const struct tolds *t, const char *uid); /* or NULL */
/* NULL: -ENOMEM. */
struct told *tolds_find_or_add(struct tolds *t, const struct pod *pod, uint64_t now_ms);
/* Those that are not marked as seen in between are forgotten. */
void tolds_begin(struct tolds *t);
void tolds_end(struct tolds *t);
void tolds_clear(struct tolds *t);
