/* SPDX-License-Identifier: Apache-2.0 */
/* What operators, kernels and fate do. */
#include <signal.h>
#include <string.h>

#include "tests/soak/ops.h"

/* Whose daemon is killed again and again begins again and again. */
#define NOTICED_MS(w) ((w)->harm ? 180000 : 60000)

bool do_kill(struct world *w)
{
	struct node *n = &w->nodes[pick(w, NODES)];
	int signal = chance(w, 75) ? SIGKILL : SIGTERM;
	bool again = chance(w, 60);

	if (!n->daemon)
		return false;
	say(w, "%s the daemon of %s%s", signal == SIGKILL ? "kill" : "end", n->name,
		again ? ", and start it" : "");
	node_kill(w, n, signal);
	if (again)
		node_start(w, n);
	return true;
}

bool do_start(struct world *w)
{
	for (size_t i = 0; i < NODES; i++) {
		struct node *n = &w->nodes[i];

		if (!n->init || n->daemon)
			continue;
		say(w, "start the daemon of %s", n->name);
		node_start(w, n);
		return true;
	}
	return false;
}

/* Whatever it does at this moment: the daemon's children are its workers. */
bool do_kill_workers(struct world *w)
{
	const struct node *n = &w->nodes[pick(w, NODES)];

	if (!n->daemon)
		return false;
	nap(pick(w, 60));
	(void)shell("pkill -KILL -P %d", (int)n->daemon);
	say(w, "kill the workers of %s", n->name);
	return true;
}

bool do_stop_nfsd(struct world *w)
{
	struct node *n = &w->nodes[SANDBOX];

	if (!n->daemon || n->drained)
		return false;
	goes_out(w);
	node_stop_nfsd(w, n);
	(void)kill(n->daemon, SIGHUP);
	say(w, "stop nfsd behind the daemon's back");
	return true;
}

bool do_power_off(struct world *w)
{
	struct node *n = &w->nodes[pick(w, NODES)];

	if (!n->init || !node_can_lose_power(n))
		return false;
	say(w, "power cut of %s", n->name);
	for (size_t i = 0; n == &w->nodes[AGENT] && i < RUNS; i++) {
		w->runs[i].load->pid = 0;
		w->runs[i].live = 0;
		w->ghost = true;
	}
	for (size_t i = 0; n == &w->nodes[SANDBOX] && i < RUNS; i++)
		if (w->runs[i].folder && w->runs[i].folder->own_fs)
			excuse(&w->runs[i]); /* its files are gone with the memory */
	node_power_off(w, n);
	return true;
}

bool do_power_on(struct world *w)
{
	for (size_t i = 0; i < NODES; i++) {
		struct node *n = &w->nodes[i];

		if (n->init)
			continue;
		say(w, "power of %s", n->name);
		node_power_on(w, n);
		node_start(w, n);
		return true;
	}
	return false;
}

bool do_cut(struct world *w)
{
	unsigned ms = pick(w, 2500);

	if (w->cut || !has_power(w, SANDBOX) || !has_power(w, AGENT))
		return false;
	node_cut(w, true);
	if (chance(w, 60)) {
		nap(ms);
		node_cut(w, false);
		say(w, "no packets for %u ms", ms);
	} else {
		say(w, "no packets from now on");
	}
	return true;
}

static bool is_mounting(const struct node *n)
{
	return strstr(slurp(0, "/proc/%d/mountinfo", (int)n->init), " - nfs4 ");
}

bool do_lose(struct world *w)
{
	struct node *n = &w->nodes[AGENT];
	uint64_t end = now_ms() + NOTICED_MS(w);

	if (w->cut || !n->daemon || !has_power(w, SANDBOX) || !is_mounting(n))
		return false;
	node_cut(w, true);
	say(w, "no packets until the agent node gives up");
	while (is_mounting(n)) {
		if (now_ms() > end)
			broken("step %u: %s is not given up within %d ms", w->step,
				w->nodes[SANDBOX].name, NOTICED_MS(w));
		node_tend(w, n);
		nap(50);
	}
	w->lost = w->ghost = true;
	return true;
}

bool do_heal(struct world *w)
{
	if (!w->cut)
		return false;
	node_cut(w, false);
	say(w, "packets again");
	return true;
}

static void drain(struct world *w, struct node *n, bool drained)
{
	char fault[256];

	if (!control_insist(w, n,
		    drained ? "{\"verb\":\"drain\",\"wait_ms\":0}" : "{\"verb\":\"resume\"}", fault,
		    sizeof fault))
		broken("step %u: %s is not drained or resumed: %s", w->step, n->name, fault);
	n->drained = drained;
	if (drained && n == &w->nodes[SANDBOX])
		goes_out(w);
	if (drained && n == &w->nodes[AGENT])
		w->ghost = true; /* what is in use is cut off without a word */
	forget_live(w);
	say(w, "%s %s", drained ? "drain" : "resume", n->name);
}

bool do_drain(struct world *w)
{
	struct node *n = &w->nodes[pick(w, NODES)];

	if (!n->daemon || n->drained)
		return false;
	drain(w, n, true);
	if (chance(w, 50))
		drain(w, n, false);
	return true;
}

bool do_resume(struct world *w)
{
	for (size_t i = 0; i < NODES; i++)
		if (w->nodes[i].daemon && w->nodes[i].drained) {
			drain(w, &w->nodes[i], false);
			return true;
		}
	return false;
}

bool do_unmount(struct world *w)
{
	const struct node *n = &w->nodes[AGENT];
	struct run *r = has_power(w, AGENT) && n->daemon && !w->cut ? any(w, is_both) : NULL;

	if (!r || !r->live ||
		shell("nsenter -t %d -m umount -l /workspaces/%s/sandbox 2>/dev/null", (int)n->init,
			r->name) != 0)
		return false;
	r->live = 0;
	excuse(r);
	say(w, "somebody unmounts %s", r->name);
	return true;
}
