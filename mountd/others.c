/* SPDX-License-Identifier: Apache-2.0 */
/* The exports beside the one that ends. */
#include "mountd/others.h"

#include <errno.h>
#include <stdlib.h>

static bool is_ending(const struct run *run, const struct held_export *held)
{
	return !run->wished ||
	       (!held->served && !run_id_equal(&run->wish.export.id, &held->export.id));
}

/* Behind the n that are there already; returns how many are there then. */
static size_t append(const struct runs *runs, const struct export *but, bool ending,
	const struct export **list, size_t n)
{
	for (size_t i = 0; i < runs->n; i++)
		for (size_t k = 0; k < runs->list[i]->n_held; k++) {
			const struct held_export *held = &runs->list[i]->held[k];

			if (&held->export != but && is_ending(runs->list[i], held) == ending)
				list[n++] = &held->export;
		}
	return n;
}

int other_exports_list(
	const struct runs *runs, const struct export *but, bool unread, struct other_exports *ret)
{
	const struct export **list;
	size_t room = 1, n_staying;

	for (size_t i = 0; i < runs->n; i++)
		room += runs->list[i]->n_held;
	list = calloc(room, sizeof *list);
	if (!list)
		return -ENOMEM;
	n_staying = append(runs, but, false, list, 0);
	ret->list = list;
	ret->n = append(runs, but, true, list, n_staying);
	ret->n_staying = unread ? ret->n : n_staying;
	return 0;
}
