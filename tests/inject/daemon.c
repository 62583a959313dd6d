/* SPDX-License-Identifier: Apache-2.0 */
/* The daemon and its workers are harmed. */
#include <signal.h>
#include <string.h>

#include "tests/inject/campaign.h"
#include "tests/soak/ops.h"

static struct plan *plan;

static bool restart(struct world *w)
{
	struct node *n = &w->nodes[pick(w, NODES)];
	int signal = chance(w, 50) ? SIGTERM : SIGKILL;

	say(w, "%s the daemon of %s, and start it", signal == SIGTERM ? "end" : "kill", n->name);
	node_kill(w, n, signal);
	node_start(w, n);
	return true;
}

static bool power_cycle(struct world *w)
{
	return do_power_off(w) && do_power_on(w);
}

static bool lose_and_heal(struct world *w)
{
	return do_lose(w) && do_heal(w);
}

static bool drain_and_resume(struct world *w)
{
	return do_drain(w) && (do_resume(w) || true);
}

static const struct operation operations[] = {
	{16, do_export},
	{16, do_mount},
	{24, do_replace},
	{16, do_release},
	{12, do_bind},
	{12, do_unbind},
	{40, restart},
	{8, do_stop_nfsd},
	{12, drain_and_resume},
	{8, do_unmount},
	{4, power_cycle},
	{2, lose_and_heal},
};

static bool excuses(const struct world *w, const struct node *n, bool ended)
{
	(void)w;
	return plan_excuses(plan, n, ended);
}

static pid_t launch(const struct node *n, void (*fn)(void *arg), void *arg)
{
	return trace(plan, n, fn, arg);
}

/* Something must be there to be done harm to. */
static void begin(struct world *w, struct plan *p)
{
	static const struct harm harm = {launch, excuses};

	plan = p;
	w->harm = &harm;
	world_begin(w);
	for (unsigned i = 0; i < 2; i++)
		(void)(do_export(w) && do_mount(w) && do_bind(w));
	compare(w);
}

/* While a call goes on failing, whoever waits for it is told why. */
static void look_on(void)
{
	static char text[16384];

	for (size_t i = 0; i < plan->n_shots; i++) {
		const struct shot *s = &plan->shots[i];

		if (s->mode != FAIL_ON || !s->started || s->times < 2 || !s->node->daemon)
			continue;
		(void)control_runs(s->node, text, sizeof text);
		for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
			if (!strstr(line, " ready") && line[strlen(line) - 1] == ' ')
				printf("     untold: %s\n", line);
	}
}

const struct campaign daemon_campaign = {
	.program = "/usr/local/bin/kora-sandbox-mount",
	.operations = operations,
	.n = sizeof operations / sizeof *operations,
	.begin = begin,
	.look_on = look_on,
	.compare = compare,
	.end = end_everything,
};
