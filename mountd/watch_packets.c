/* SPDX-License-Identifier: Apache-2.0 */
/* A snapshot of specs as the packets that the control socket takes. */
#include "mountd/watch_packets.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <limits.h>

#include "mountd/base/cleanup.h"

#define FRAME_MAX 256 /* what a packet holds besides its specs */

struct maker {
	const char *source;
	size_t size_max;
	struct packets packets;
	char *specs; /* of the packet under way, with commas between */
	size_t size;
};

void packets_clear(struct packets *p)
{
	while (p->n)
		free(p->list[--p->n]);
	free(p->list);
	*p = (struct packets){0};
}

bool packets_equal(const struct packets *a, const struct packets *b)
{
	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (strcmp(a->list[i], b->list[i]) != 0)
			return false;
	return true;
}

static int flush(struct maker *m, bool last)
{
	char **list = reallocarray(m->packets.list, m->packets.n + 1, sizeof *list);
	char *text;

	if (!list)
		return -ENOMEM;
	m->packets.list = list;
	if (asprintf(&text,
		    "{\"verb\":\"snapshot\",\"source\":\"%s\",\"part\":%zu,\"complete\":%s,"
		    "\"specs\":[%.*s]}",
		    m->source, m->packets.n + 1, last ? "true" : "false", (int)m->size,
		    m->specs) < 0)
		return -ENOMEM;
	list[m->packets.n++] = text;
	m->size = 0;
	return 0;
}

static int add(struct maker *m, const struct spec *spec)
{
	json_t *object = spec_to_json(spec);
	_cleanup_free_ char *text =
		object ? json_dumps(object, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
	size_t n = text ? strlen(text) : 0;
	int r = 0;

	json_decref(object);
	if (!text)
		return -ENOMEM;
	if (m->size && m->size + 1 + n + FRAME_MAX > m->size_max)
		r = flush(m, false);
	if (r < 0)
		return r;
	if (m->size)
		m->specs[m->size++] = ',';
	memcpy(m->specs + m->size, text, n);
	m->size += n;
	return 0;
}

int packets_make(const char *source, const struct spec *specs, size_t n, size_t size_max,
	struct packets *ret)
{
	/* No spec is longer than its two paths and 64 addresses. */
	_cleanup_free_ char *room = malloc(size_max + 16 * PATH_MAX);
	struct maker m = {.source = source, .size_max = size_max, .specs = room};
	int r = room ? 0 : -ENOMEM;

	for (size_t i = 0; i < n && r == 0; i++)
		r = add(&m, &specs[i]);
	if (r == 0)
		r = flush(&m, true);
	if (r < 0) {
		packets_clear(&m.packets);
		return r;
	}
	*ret = m.packets;
	return 0;
}
