/* SPDX-License-Identifier: Apache-2.0 */
/* The watches are harmed, while pods come and go. */
#include <signal.h>
#include <string.h>

#include "tests/inject/watch.h"

static const char *sandbox_node(unsigned place)
{
	return place_node(place) == SANDBOX ? "sandbox" : "agent";
}

static struct sandbox_pod *any_pod(struct world *w, enum pod_state state)
{
	unsigned n = 0, at;

	for (size_t i = 0; i < PODS; i++)
		n += cluster.pods[i].state == state;
	at = n ? pick(w, n) : 0;
	for (size_t i = 0; n && i < PODS; i++)
		if (cluster.pods[i].state == state && at-- == 0)
			return &cluster.pods[i];
	return NULL;
}

/* The folder that kubelet makes for a pod, with a file that tells whose it is. */
static void make_folder(const struct sandbox_pod *p)
{
	char folder[160];

	(void)snprintf(folder, sizeof folder,
		"/disk/nodes/%s/kubelet/pods/uid-%s/volumes/kubernetes.io~empty-dir/sandbox",
		sandbox_node(p->place), p->name);
	if (shell("mkdir -p %s && echo -n %s >%s/id && chown -R %d:%d %s", folder, p->name, folder,
		    OWNER, OWNER, folder) != 0)
		broken("no folder for %s", p->name);
}

static struct sandbox_pod *make_pod(struct world *w, enum pod_state state, unsigned place)
{
	struct sandbox_pod *p = any_pod(w, POD_NONE);

	if (!p)
		return NULL;
	*p = (struct sandbox_pod){.state = state, .place = place};
	(void)snprintf(p->name, sizeof p->name, "p%05u", ++cluster.made % 100000);
	make_folder(p);
	return p;
}

static bool come_at(struct world *w, unsigned place)
{
	const char *verb = place_pod(place) ? "replace" : "make";
	const struct sandbox_pod *p = make_pod(w, POD_LIVE, place);

	if (!p)
		return false;
	say(w, "%s the sandbox of run-%u: %s", verb, place, p->name);
	(void)cluster_word("sandbox %s run-%u %s agent", p->name, place, sandbox_node(place));
	return true;
}

static void remove_pod(struct world *w, struct sandbox_pod *p)
{
	say(w, "remove %s of run-%u", p->name, p->place);
	(void)cluster_word("remove %s", p->name);
	p->state = POD_GONE;
}

/* Away with what has ended, or, where nothing has, with a live one by force. */
static bool remove_one(struct world *w)
{
	struct sandbox_pod *p = any_pod(w, POD_ENDING);

	if (!p)
		p = any_pod(w, POD_REFUSED);
	if (!p)
		p = any_pod(w, POD_LIVE);
	if (p)
		remove_pod(w, p);
	return p;
}

static bool come(struct world *w)
{
	return come_at(w, pick(w, PLACES)) || remove_one(w);
}

static bool end_one(struct world *w)
{
	struct sandbox_pod *p = any_pod(w, POD_LIVE);
	const char *how = chance(w, 70) ? "delete" : "fail";

	if (!p)
		return come(w);
	say(w, "%s %s of run-%u", how, p->name, p->place);
	(void)cluster_word("%s %s", how, p->name);
	p->state = POD_ENDING;
	return true;
}

static bool refuse_one(struct world *w)
{
	const struct sandbox_pod *p = any_pod(w, POD_REFUSED) ? NULL : make_pod(w, POD_REFUSED, 0);

	if (!p)
		return remove_one(w);
	say(w, "a sandbox of a run without a valid name: %s", p->name);
	(void)cluster_word("sandbox %s Run_%s sandbox agent", p->name, p->name);
	return true;
}

static bool toggle_runtime(struct world *w)
{
	cluster.runtime = !cluster.runtime;
	say(w, "the agent's pod %s", cluster.runtime ? "comes" : "goes");
	(void)cluster_word(cluster.runtime ? "runtime runtime agent" : "remove runtime");
	return true;
}

static bool restart_watch(struct world *w)
{
	size_t node = pick(w, NODES);
	int signal = chance(w, 50) ? SIGTERM : SIGKILL;

	say(w, "%s the watch of %s, and start it", signal == SIGTERM ? "end" : "kill",
		w->nodes[node].name);
	watch_kill(w, node, signal);
	watch_start(w, node);
	return true;
}

static bool restart_daemon(struct world *w)
{
	struct node *n = &w->nodes[pick(w, NODES)];

	say(w, "kill the daemon of %s, and start it", n->name);
	node_kill(w, n, SIGKILL);
	node_start(w, n);
	return true;
}

static bool relist(struct world *w)
{
	say(w, "all are to list anew");
	(void)cluster_word("relist");
	return true;
}

static bool refuse_requests(struct world *w)
{
	unsigned n = 1 + pick(w, 4);

	say(w, "the API server answers %u requests with an error", n);
	(void)cluster_word("refuse %u", n);
	return true;
}

static const struct operation operations[] = {
	{30, come},
	{20, end_one},
	{16, remove_one},
	{6, refuse_one},
	{10, toggle_runtime},
	{40, restart_watch},
	{12, restart_daemon},
	{12, relist},
	{8, refuse_requests},
};

static void begin(struct world *w, struct plan *p)
{
	cluster.plan = p;
	pipes_are_libuvs = true;
	world_begin(w);
	cluster_begin();
	(void)cluster_word("node sandbox 10.20.0.1");
	(void)cluster_word("node agent 10.20.0.2");
	(void)cluster_word("claim /workspaces/a");
	(void)toggle_runtime(w);
	for (size_t i = 0; i < NODES; i++) {
		(void)shell("mkdir -p /disk/nodes/%s/a /disk/nodes/%s/kubelet; "
			    "cd /proc/%d/root/root && echo one >token && cp "
			    "/run/cluster/ca.crt .",
			w->nodes[i].name, w->nodes[i].name, (int)w->nodes[i].init);
		watch_start(w, i);
	}
	for (unsigned place = 0; place < PLACES; place += 2)
		(void)come_at(w, place);
	watch_compare(w);
}

static void end(struct world *w)
{
	say(w, "all pods go");
	for (size_t i = 0; i < PODS; i++)
		if (cluster.pods[i].state != POD_NONE)
			remove_pod(w, &cluster.pods[i]);
	watch_compare(w);
}

const struct campaign watch_campaign = {
	.program = "/usr/local/bin/kora-sandbox-watch",
	.operations = operations,
	.n = sizeof operations / sizeof *operations,
	.begin = begin,
	.compare = watch_compare,
	.end = end,
};
