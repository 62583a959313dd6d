/* SPDX-License-Identifier: Apache-2.0 */
/* The operations, drawn by their weights. */
#include "tests/soak/ops.h"

bool is_both(const struct world *w, const struct run *r)
{
	(void)w;
	return r->mounted && r->exported;
}

struct run *any(struct world *w, test *is)
{
	struct run *list[RUNS];
	unsigned n = 0;

	for (size_t i = 0; i < RUNS; i++)
		if (is(w, &w->runs[i]))
			list[n++] = &w->runs[i];
	return n ? list[pick(w, n)] : NULL;
}

bool has_power(const struct world *w, size_t node)
{
	return w->nodes[node].init != 0;
}

/* Weights: faults are rarer than work, their ends likelier than their beginnings. */
static const struct {
	unsigned weight;
	bool (*run)(struct world *w);
} operations[] = {
	{12, do_export},
	{12, do_mount},
	{10, do_replace},
	{6, do_release},
	{3, do_release_export},
	{3, do_release_mount},
	{3, do_bind},
	{2, do_unbind},
	{8, do_kill},
	{14, do_start},
	{5, do_kill_workers},
	{2, do_stop_nfsd},
	{3, do_power_off},
	{14, do_power_on},
	{4, do_cut},
	{1, do_lose},
	{14, do_heal},
	{1, do_drain},
	{12, do_resume},
	{2, do_unmount},
	{1, do_remake_folder},
};
#define OPERATIONS (sizeof operations / sizeof *operations)

#define OPERATIONS (sizeof operations / sizeof *operations)

static bool operate_once(struct world *w)
{
	unsigned total = 0, n;
	size_t i = 0;

	for (size_t k = 0; k < OPERATIONS; k++)
		total += operations[k].weight;
	for (n = pick(w, total); n >= operations[i].weight; i++)
		n -= operations[i].weight;
	return operations[i].run(w);
}

/* Most often one thing at a time; at times several before anything has come to rest. */
void operate(struct world *w)
{
	unsigned n = chance(w, 75) ? 1 : 2 + pick(w, 4);

	w->what[0] = '\0';
	for (unsigned done = 0; done < n;)
		done += operate_once(w);
}

void end_everything(struct world *w)
{
	w->what[0] = '\0';
	say(w, "all faults end");
	while (do_heal(w) || do_power_on(w) || do_start(w) || do_resume(w))
		continue;
	compare(w);
	w->step++;
	w->what[0] = '\0';
	say(w, "all runs end");
	while (do_release(w) || do_release_export(w) || do_release_mount(w) || do_unbind(w))
		continue;
	compare(w);
}
