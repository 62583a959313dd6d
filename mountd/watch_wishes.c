/* SPDX-License-Identifier: Apache-2.0 */
/* From pods to what this node has to do: each sandbox is judged, then those of one run contend. */
#include "mountd/watch_wishes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "mountd/base/cleanup.h"
#include "mountd/watch_judge.h"

/* A sandbox with what it was judged to get. */
struct candidate {
	const struct pod *pod;
	struct verdict verdict;
	struct spec spec;
	bool has_spec;
	bool live;
};

struct work {
	struct judge judge;
	const struct pod **runtimes;
	size_t n_runtimes;
	struct candidate *candidates; /* sorted by run, then oldest first */
	size_t n;
};

static void clear_work(struct work *w)
{
	for (size_t i = 0; i < w->n; i++)
		spec_clear(&w->candidates[i].spec);
	free(w->candidates);
	free(w->runtimes);
}

void wishes_clear(struct wishes *w)
{
	for (size_t i = 0; i < w->n_specs; i++)
		spec_clear(&w->specs[i]);
	free(w->specs);
	free(w->verdicts);
	free(w->needs);
	*w = (struct wishes){0};
}

static int compare_age(const struct pod *a, const struct pod *b)
{
	if (a->created != b->created)
		return a->created < b->created ? -1 : 1;
	return strcmp(a->uid, b->uid);
}

static int compare_candidate(const void *a, const void *b)
{
	const struct pod *x = ((const struct candidate *)a)->pod;
	const struct pod *y = ((const struct candidate *)b)->pod;
	int order = strcmp(x->run, y->run);

	return order ? order : compare_age(x, y);
}

static int compare_runtime(const void *a, const void *b)
{
	return judge_compare_runtime(*(const struct pod *const *)a, *(const struct pod *const *)b);
}

static bool concerns(const struct wishes_input *in, const struct pod *pod)
{
	return pod->component == POD_SANDBOX &&
	       (strcmp(pod->node, in->config->node) == 0 ||
		       strcmp(pod->agent_node, in->config->node) == 0);
}

static int sort_pods(const struct wishes_input *in, struct work *w)
{
	w->runtimes = calloc(in->n_pods + 1, sizeof(struct pod *));
	w->candidates = calloc(in->n_pods + 1, sizeof *w->candidates);
	if (!w->runtimes || !w->candidates)
		return -ENOMEM;
	for (size_t i = 0; i < in->n_pods; i++) {
		const struct pod *pod = in->pods[i];

		if (concerns(in, pod))
			w->candidates[w->n++].pod = pod;
		else if (pod->component == POD_RUNTIME && strcmp(pod->node, in->config->node) == 0)
			w->runtimes[w->n_runtimes++] = pod;
	}
	qsort(w->candidates, w->n, sizeof *w->candidates, compare_candidate);
	qsort(w->runtimes, w->n_runtimes, sizeof(struct pod *), compare_runtime);
	return 0;
}

static void give_way(struct candidate *loser, const struct candidate *winner)
{
	bool other = strcmp(loser->pod->namespace, winner->pod->namespace) != 0;

	spec_clear(&loser->spec);
	loser->spec = (struct spec){0};
	loser->has_spec = false;
	if (!loser->live)
		return;
	judge_say(&loser->verdict, VERDICT_REFUSED, other ? "RunTaken" : "Superseded",
		other ? "run %s belongs to pod %s/%.253s, which is older and of another namespace"
		      : "run %s has a newer sandbox, pod %s/%.253s: the newest counts",
		loser->pod->run, winner->pod->namespace, winner->pod->name);
}

/*
 * Sandboxes of one run: the newest that can be served counts, or else the newest live one, among
 * those of the namespace that had the run first, so that nobody takes a run over from another
 * namespace. None is live: one that is still held.
 */
static struct candidate *find_winner(struct candidate *first, size_t n, enum role role)
{
	struct candidate *owner = NULL, *winner = NULL, *held = NULL;

	for (struct candidate *c = first; c < first + n; c++) {
		if (c->verdict.role != role)
			continue;
		if (c->has_spec && !c->live)
			held = c;
		if (!c->live)
			continue;
		if (!owner)
			owner = c;
		if (strcmp(c->pod->namespace, owner->pod->namespace) != 0)
			continue;
		if (!winner || c->has_spec || !winner->has_spec)
			winner = c;
	}
	return winner && (winner->has_spec || !held) ? winner : held;
}

static void contend(struct candidate *first, size_t n, enum role role)
{
	struct candidate *winner = find_winner(first, n, role);

	for (struct candidate *c = first; winner && c < first + n; c++)
		if (c != winner && c->verdict.role == role &&
			(c->has_spec || compare_age(c->pod, winner->pod) < 0 ||
				strcmp(c->pod->namespace, winner->pod->namespace) != 0))
			give_way(c, winner);
}

static void judge_all(struct work *w)
{
	for (size_t i = 0; i < w->n; i++) {
		struct candidate *c = &w->candidates[i];

		judge_sandbox(&w->judge, c->pod, &c->verdict, &c->spec, &c->has_spec);
		c->live = c->verdict.kind == VERDICT_WISHED || c->verdict.kind == VERDICT_WAITING;
	}
	for (size_t i = 0, n; i < w->n; i += n) {
		n = 1;
		while (i + n < w->n &&
			strcmp(w->candidates[i + n].pod->run, w->candidates[i].pod->run) == 0)
			n++;
		contend(&w->candidates[i], n, ROLE_EXPORT);
		contend(&w->candidates[i], n, ROLE_MOUNT);
	}
}

static int hand_out(struct work *w, struct wishes *out)
{
	out->specs = calloc(w->n + 1, sizeof *out->specs);
	out->verdicts = calloc(w->n + 1, sizeof *out->verdicts);
	if (!out->specs || !out->verdicts || w->judge.out_of_memory)
		return -ENOMEM;
	for (size_t i = 0; i < w->n; i++) {
		struct candidate *c = &w->candidates[i];

		out->verdicts[out->n_verdicts++] = c->verdict;
		if (!c->has_spec)
			continue;
		out->specs[out->n_specs++] = c->spec;
		c->spec = (struct spec){0};
	}
	return 0;
}

int wishes_find(const struct wishes_input *in, struct wishes *ret)
{
	_cleanup_(clear_work) struct work w = {0};
	_cleanup_(wishes_clear) struct wishes out = {.wake_ms = UINT64_MAX};
	int r = sort_pods(in, &w);

	if (r < 0)
		return r;
	w.judge = (struct judge){
		.in = in, .out = &out, .runtimes = w.runtimes, .n_runtimes = w.n_runtimes};
	judge_all(&w);
	r = hand_out(&w, &out);
	if (r < 0)
		return r;
	*ret = out;
	out = (struct wishes){0};
	return 0;
}

bool wishes_are_partial(const struct wishes *w, const struct facts *facts)
{
	for (size_t i = 0; i < w->n_needs; i++) {
		const struct need *need = &w->needs[i];
		const struct fact *fact =
			facts_find(facts, need->kind, need->namespace, need->name);

		if (!fact || fact->state == FACT_UNKNOWN)
			return true;
	}
	return false;
}
