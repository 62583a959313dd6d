/* SPDX-License-Identifier: Apache-2.0 */
/* What must be true, given what was done. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/soak/check.h"

#define ERRORS_AT_MS 3000 /* an outage this much shorter than the limit must cost nothing */

bool is_shared(const struct world *w, const struct run *r)
{
	return r - w->runs < SHARED;
}

bool serves(const struct world *w)
{
	const struct node *n = &w->nodes[SANDBOX];

	return n->init && !w->cut && nfsd_answers(n);
}

bool maybe_lost(const struct world *w)
{
	return w->out_since_ms && now_ms() - w->out_since_ms > LOST_AFTER_MS - ERRORS_AT_MS;
}

void goes_out(struct world *w)
{
	if (!w->out_since_ms)
		w->out_since_ms = now_ms();
}

void excuse(struct run *r)
{
	r->excused = true;
	r->begun = false;
}

void forget_live(struct world *w)
{
	for (size_t i = 0; i < RUNS; i++) {
		w->runs[i].live = 0;
		excuse(&w->runs[i]);
	}
}

/* A round that is done next may have had its answers before the outage: the one after has not. */
static void ask_for_new_rounds(struct world *w)
{
	for (size_t i = 0; i < SHARED; i++)
		w->runs[i].worked = w->runs[i].load->rounds + 1;
}

void follow_outage(struct world *w)
{
	/* nfsd itself waits for whoever answers its first questions. */
	if (serves(w) && (w->answered || w->nodes[SANDBOX].daemon)) {
		if (maybe_lost(w))
			forget_live(w);
		if (w->out_since_ms)
			ask_for_new_rounds(w);
		w->out_since_ms = 0;
		w->lost = false;
	} else {
		goes_out(w);
	}
	if (maybe_lost(w))
		for (size_t i = 0; i < RUNS; i++)
			excuse(&w->runs[i]);
}

bool is_up(const struct node *n)
{
	return n->init && n->daemon;
}

/* Wished for on both sides, and nothing is in the way. */
bool must_work(const struct world *w, const struct run *r)
{
	const struct node *s = &w->nodes[SANDBOX], *a = &w->nodes[AGENT];

	if (!r->mounted || r->mounted != r->exported || w->out_since_ms || !a->init || s->drained ||
		a->drained)
		return false;
	return (s->daemon && a->daemon) || r->live == r->mounted;
}

void world_begin(struct world *w)
{
	struct load *loads = mmap(NULL, sizeof *loads * RUNS, PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (loads == MAP_FAILED)
		broken("no memory");
	for (size_t i = 0; i < RUNS; i++) {
		w->runs[i].load = &loads[i];
		(void)snprintf(
			w->runs[i].name, sizeof w->runs[i].name, i < SHARED ? "r%zu" : "b%zu", i);
	}
	w->nodes[SANDBOX].name = "sandbox";
	w->nodes[AGENT].name = "agent";
	for (size_t i = 0; i < NODES; i++) {
		node_power_on(w, &w->nodes[i]);
		node_start(w, &w->nodes[i]);
	}
}
