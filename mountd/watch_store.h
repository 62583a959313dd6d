/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pods we know of, whoever told us. A pod that a watch has lost may only have lost its labels:
 * it stays, as a stray, until the API server says by name and uid that it is gone.
 */
#pragma once

#include "mountd/watch_pod.h"

#define STORE_SOURCES 2

struct store_entry {
	struct pod pod;
	unsigned sources; /* bits of those that show it now; 0: a stray */
	uint32_t seen[STORE_SOURCES];
	uint64_t check_ms; /* a stray is asked for at this time */
	bool checking;
};

struct store {
	struct store_entry **list; /* sorted by the pods' uid */
	size_t n;
	size_t room;
	uint32_t pass[STORE_SOURCES];
};

/*
 * Takes the pod over. 1: something has changed, 0: an older version than the one known, -ENOMEM
 * (the pod is then still the caller's).
 */
int store_put(struct store *s, unsigned source, struct pod *pod, uint64_t now_ms);
/* The source does not show it any more. */
void store_lose(struct store *s, unsigned source, const char *uid, uint64_t now_ms);
/* A new list of the source begins; at its end what was not in it is lost. */
void store_begin(struct store *s, unsigned source);
void store_end(struct store *s, unsigned source, uint64_t now_ms);

struct store_entry *store_find(const struct store *s, const char *uid); /* or NULL */

/*
 * What the API server says of a stray; takes the pod over. Its labels are not believed: it keeps
 * those it had, unless it now belongs to another agent node. Returns false when it was dropped.
 */
bool store_refresh(struct store *s, struct store_entry *entry, struct pod *pod, uint64_t now_ms);
void store_drop(struct store *s, struct store_entry *entry);
void store_clear(struct store *s);
