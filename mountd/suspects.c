/* SPDX-License-Identifier: Apache-2.0 */
/* Servers that have not answered lately: their runs wait behind the others'. */
#include "mountd/suspects.h"

#include <stdlib.h>

static struct addr *find(const struct suspects *s, const struct addr *server)
{
	for (size_t i = 0; i < s->n; i++)
		if (addr_equal(&s->list[i], server))
			return &s->list[i];
	return NULL;
}

bool suspects_have(const struct suspects *s, const struct addr *server)
{
	return find(s, server);
}

void suspects_add(struct suspects *s, const struct addr *server)
{
	struct addr *list;

	if (find(s, server))
		return;
	list = reallocarray(s->list, s->n + 1, sizeof *list);
	if (!list)
		return;
	s->list = list;
	s->list[s->n++] = *server;
}

void suspects_remove(struct suspects *s, const struct addr *server)
{
	struct addr *found = find(s, server);

	if (found)
		*found = s->list[--s->n];
}

void suspects_clear(struct suspects *s)
{
	free(s->list);
	*s = (struct suspects){0};
}
