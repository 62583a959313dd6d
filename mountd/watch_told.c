/* SPDX-License-Identifier: Apache-2.0 */
/* What each pod has been told. */
#include "mountd/watch_told.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t position(const struct tolds *t, const char *uid)
{
	size_t low = 0, high = t->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(t->list[middle]->uid, uid) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct told *tolds_find(const struct tolds *t, const char *uid)
{
	size_t at = position(t, uid);

	return at < t->n && strcmp(t->list[at]->uid, uid) == 0 ? t->list[at] : NULL;
}

static struct told *make(const struct pod *pod, uint64_t now_ms)
{
	struct told *told = calloc(1, sizeof *told);

	if (!told)
		return NULL;
	(void)snprintf(told->uid, sizeof told->uid, "%s", pod->uid);
	told->backoff = (struct backoff){.first_ms = 1000, .most_ms = 60000};
	told->since_ms = now_ms;
	/* A watch that has been started anew repeats nothing. */
	told->was_ready = strcmp(pod->condition_status, "True") == 0;
	told->last = told->was_ready ? HAPPENED_MOUNTED : HAPPENED_NOTHING;
	return told;
}

struct told *tolds_find_or_add(struct tolds *t, const struct pod *pod, uint64_t now_ms)
{
	size_t at = position(t, pod->uid);
	struct told *told;

	if (at < t->n && strcmp(t->list[at]->uid, pod->uid) == 0)
		return t->list[at];
	if (t->n == t->room) {
		size_t room = t->room ? 2 * t->room : 16;
		struct told **list = reallocarray(t->list, room, sizeof *list);

		if (!list)
			return NULL;
		t->list = list;
		t->room = room;
	}
	told = make(pod, now_ms);
	if (!told)
		return NULL;
	memmove(&t->list[at + 1], &t->list[at], (t->n - at) * sizeof(struct told *));
	t->list[at] = told;
	t->n++;
	return told;
}

void tolds_begin(struct tolds *t)
{
	for (size_t i = 0; i < t->n; i++)
		t->list[i]->seen = false;
}

void tolds_end(struct tolds *t)
{
	size_t kept = 0;

	for (size_t i = 0; i < t->n; i++) {
		if (t->list[i]->seen)
			t->list[kept++] = t->list[i];
		else
			free(t->list[i]);
	}
	t->n = kept;
}

void tolds_clear(struct tolds *t)
{
	tolds_begin(t);
	tolds_end(t);
	free(t->list);
	*t = (struct tolds){0};
}
