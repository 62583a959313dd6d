/* SPDX-License-Identifier: Apache-2.0 */
/* The exports beside the one that ends. */
#include "mountd/others.h"

#include <errno.h>
#include <stdlib.h>

static bool is_ending(const struct run *run, const struct held_export *held)
{
	return !held->served &&
	       !(run->wished && run_id_equal(&run->wish.export.id, &held->export.id));
}

static void append(
	const struct runs *runs, const struct export *but, bool ending, struct other_exports *to)
{
	for (size_t i = 0; i < runs->n; i++)
		for (size_t k = 0; k < runs->list[i]->n_held; k++) {
			const struct held_export *held = &runs->list[i]->held[k];

			if (&held->export != but && is_ending(runs->list[i], held) == ending)
				to->list[to->n++] = &held->export;
		}
}

int other_exports_list(const struct runs *runs, const struct export *but, struct other_exports *ret)
{
	struct other_exports others = {0};
	size_t n = 0;

	for (size_t i = 0; i < runs->n; i++)
		n += runs->list[i]->n_held;
	others.list = calloc(n + 1, sizeof *others.list);
	if (!others.list)
		return -ENOMEM;
	append(runs, but, false, &others);
	others.n_staying = others.n;
	append(runs, but, true, &others);
	*ret = others;
	return 0;
}
