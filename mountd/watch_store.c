/* SPDX-License-Identifier: Apache-2.0 */
/* The pods we know of, whoever told us. */
#include "mountd/watch_store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define STRAY_CHECK_MS 10000

static size_t position(const struct store *s, const char *uid)
{
	size_t low = 0, high = s->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(s->list[middle]->pod.uid, uid) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct store_entry *store_find(const struct store *s, const char *uid)
{
	size_t at = position(s, uid);

	return at < s->n && strcmp(s->list[at]->pod.uid, uid) == 0 ? s->list[at] : NULL;
}

static struct store_entry *add(struct store *s, const char *uid)
{
	size_t at = position(s, uid);
	struct store_entry *entry;

	if (s->n == s->room) {
		size_t room = s->room ? 2 * s->room : 64;
		struct store_entry **list = reallocarray(s->list, room, sizeof *list);

		if (!list)
			return NULL;
		s->list = list;
		s->room = room;
	}
	entry = calloc(1, sizeof *entry);
	if (!entry)
		return NULL;
	memmove(&s->list[at + 1], &s->list[at], (s->n - at) * sizeof(struct store_entry *));
	s->list[at] = entry;
	s->n++;
	return entry;
}

static void replace(struct store_entry *entry, struct pod *pod, uint64_t now_ms)
{
	pod->ending_since_ms = entry->pod.ending_since_ms;
	if (!pod->ending_since_ms && (pod->deleting || pod->ended))
		pod->ending_since_ms = now_ms ? now_ms : 1;
	pod_clear(&entry->pod);
	entry->pod = *pod;
	*pod = (struct pod){0};
}

int store_put(struct store *s, unsigned source, struct pod *pod, uint64_t now_ms)
{
	struct store_entry *entry = store_find(s, pod->uid);

	if (!entry)
		entry = add(s, pod->uid);
	if (!entry)
		return -ENOMEM;
	entry->sources |= 1U << source;
	entry->seen[source] = s->pass[source];
	/* Two watches tell of one pod, each at its own pace. */
	if (entry->pod.version && pod->version && pod->version < entry->pod.version) {
		pod_clear(pod);
		return 0;
	}
	replace(entry, pod, now_ms);
	return 1;
}

static void lose(struct store_entry *entry, unsigned source, uint64_t now_ms)
{
	if (!(entry->sources & 1U << source))
		return;
	entry->sources &= ~(1U << source);
	if (!entry->sources)
		entry->check_ms = now_ms;
}

void store_lose(struct store *s, unsigned source, const char *uid, uint64_t now_ms)
{
	struct store_entry *entry = store_find(s, uid);

	if (entry)
		lose(entry, source, now_ms);
}

void store_begin(struct store *s, unsigned source)
{
	s->pass[source]++;
}

void store_end(struct store *s, unsigned source, uint64_t now_ms)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->list[i]->seen[source] != s->pass[source])
			lose(s->list[i], source, now_ms);
}

static void swap(char **a, char **b)
{
	char *c = *a;

	*a = *b;
	*b = c;
}

bool store_refresh(struct store *s, struct store_entry *entry, struct pod *pod, uint64_t now_ms)
{
	struct pod *old = &entry->pod;

	if (pod->component == POD_SANDBOX && *pod->agent_node &&
		strcmp(pod->agent_node, old->agent_node) != 0) {
		pod_clear(pod);
		store_drop(s, entry);
		return false;
	}
	swap(&pod->run, &old->run);
	swap(&pod->agent_node, &old->agent_node);
	swap(&pod->runtime_pod, &old->runtime_pod);
	/* Read by the component, which may be gone with the labels. */
	swap(&pod->volume_type, &old->volume_type);
	swap(&pod->claim, &old->claim);
	pod->component = old->component;
	pod->volume = old->volume;
	pod->use = old->use;
	pod->uid_number = old->uid_number;
	pod->gid_number = old->gid_number;
	replace(entry, pod, now_ms);
	entry->check_ms = now_ms + STRAY_CHECK_MS;
	return true;
}

void store_drop(struct store *s, struct store_entry *entry)
{
	size_t at = position(s, entry->pod.uid);

	s->n--;
	memmove(&s->list[at], &s->list[at + 1], (s->n - at) * sizeof(struct store_entry *));
	pod_clear(&entry->pod);
	free(entry);
}

void store_clear(struct store *s)
{
	while (s->n)
		store_drop(s, s->list[s->n - 1]);
	free(s->list);
	*s = (struct store){0};
}
