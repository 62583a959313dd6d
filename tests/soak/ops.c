/* SPDX-License-Identifier: Apache-2.0 */
/* The operations: what sources, operators, kernels and fate do to two nodes. */
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/soak/soak.h"

#define NOTICED_MS 60000

typedef bool test(const struct world *w, const struct run *r);

static bool is_free(const struct world *w, const struct run *r)
{
	return r - w->runs < SHARED && !r->exported;
}
static bool is_exported(const struct world *w, const struct run *r)
{
	(void)w;
	return r->exported;
}
static bool is_not_mounted(const struct world *w, const struct run *r)
{
	return r - w->runs < SHARED && !r->mounted;
}
static bool is_mounted(const struct world *w, const struct run *r)
{
	(void)w;
	return r->mounted;
}
static bool is_both(const struct world *w, const struct run *r)
{
	(void)w;
	return r->mounted && r->exported;
}
static bool is_unbound(const struct world *w, const struct run *r)
{
	return r - w->runs >= SHARED && !r->bound;
}
static bool is_bound(const struct world *w, const struct run *r)
{
	(void)w;
	return r->bound;
}

/* One of the runs that the test is true of, or NULL. */
static struct run *any(struct world *w, test *is)
{
	struct run *list[RUNS];
	unsigned n = 0;

	for (size_t i = 0; i < RUNS; i++)
		if (is(w, &w->runs[i]))
			list[n++] = &w->runs[i];
	return n ? list[pick(w, n)] : NULL;
}

static bool has_power(const struct world *w, size_t node)
{
	return w->nodes[node].init != 0;
}

static struct folder *make_folder(struct world *w, const struct run *r)
{
	struct folder *f = w->folders;
	static unsigned made;

	while (f->name[0])
		if (++f == w->folders + FOLDERS)
			broken("more folders than are foreseen are left");
	(void)snprintf(f->name, sizeof f->name, "%s-f%u", r->name, ++made);
	f->own_fs = chance(w, 25);
	(void)shell("mkdir -p /disk/nodes/sandbox/local/%s", f->name);
	if (f->own_fs)
		(void)shell("nsenter -t %d -m mount -t tmpfs tmpfs /workspaces/local/%s",
			(int)w->nodes[SANDBOX].init, f->name);
	(void)shell("nsenter -t %d -m chown %d:%d /workspaces/local/%s",
		(int)w->nodes[SANDBOX].init, OWNER, OWNER, f->name);
	return f;
}

/* A wish reaches the daemon as a file, or over its socket where it runs. */
static void wish(struct world *w, size_t node, const char *file, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
static void wish(struct world *w, size_t node, const char *file, const char *format, ...)
{
	const struct node *n = &w->nodes[node];
	char spec[512], request[640], fault[256];
	bool by_socket = chance(w, 50);
	va_list args;

	va_start(args, format);
	(void)vsnprintf(spec, sizeof spec, format, args);
	va_end(args);
	(void)snprintf(
		request, sizeof request, "{\"verb\":\"apply\",\"wait_ms\":0,\"spec\":%s}", spec);
	if (by_socket && n->daemon && !n->drained) {
		if (!control_ask(n, request, fault, sizeof fault))
			broken("step %u: %s refuses %s: %s", w->step, n->name, spec, fault);
		return;
	}
	(void)shell("mkdir -p /disk/state/%s/specs", n->name);
	if (!spit(spec, "/disk/state/%s/specs/.%s", n->name, file))
		broken("spec %s cannot be written", file);
	(void)shell("mv /disk/state/%s/specs/.%s /disk/state/%s/specs/%s", n->name, file, n->name,
		file);
}

static void wish_no_more(struct world *w, size_t node, const struct run *r, const char *file)
{
	const struct node *n = &w->nodes[node];
	char request[128], fault[256];

	if (chance(w, 50) && n->daemon) {
		(void)snprintf(request, sizeof request,
			"{\"verb\":\"release\",\"run\":\"%s\",\"wait_ms\":0}", r->name);
		if (!control_ask(n, request, fault, sizeof fault))
			broken("step %u: %s does not release %s: %s", w->step, n->name, r->name,
				fault);
		return;
	}
	(void)shell("rm /disk/state/%s/specs/%s", n->name, file);
}

static void export_run(struct world *w, struct run *r, unsigned incarnation)
{
	char file[32];

	r->exported = r->last_exported = incarnation;
	excuse(r);
	(void)snprintf(file, sizeof file, "%s.export.json", r->name);
	wish(w, SANDBOX, file,
		"{\"kind\":\"export\",\"run\":\"%s\",\"incarnation\":\"i%u\",\"volume\":\"/"
		"workspaces/local\",\"folder\":\"%s\","
		"\"clients\":[\"10.20.0.2\",\"fd20::2\"],\"uid\":%d,\"gid\":%d}",
		r->name, incarnation, r->folder->name, OWNER, OWNER);
}

static void mount_run(struct world *w, struct run *r, unsigned incarnation)
{
	char file[32];

	r->mounted = incarnation;
	excuse(r);
	(void)snprintf(file, sizeof file, "%s.mount.json", r->name);
	wish(w, AGENT, file,
		"{\"kind\":\"mount\",\"run\":\"%s\",\"incarnation\":\"i%u\",\"server\":\"10.20.0."
		"1\",\"port\":20490,"
		"\"volume\":\"/workspaces\",\"uid\":%d,\"gid\":%d}",
		r->name, incarnation, OWNER, OWNER);
}

static bool do_export(struct world *w)
{
	struct run *r = has_power(w, SANDBOX) ? any(w, is_free) : NULL;

	if (!r)
		return false;
	r->folder = make_folder(w, r);
	/* A sandbox that has ended does not come back under its own identity. */
	export_run(w, r, r->mounted > r->last_exported ? r->mounted : ++w->incarnations);
	say(w, "export %s i%u %s%s", r->name, r->exported, r->folder->name,
		r->folder->own_fs ? ", a filesystem" : "");
	return true;
}

static bool do_mount(struct world *w)
{
	struct run *r = has_power(w, AGENT) ? any(w, is_not_mounted) : NULL;

	if (!r)
		return false;
	mount_run(w, r, r->exported ? r->exported : ++w->incarnations);
	say(w, "mount %s i%u", r->name, r->mounted);
	return true;
}

static void release_export(struct world *w, struct run *r)
{
	char file[32];

	(void)snprintf(file, sizeof file, "%s.export.json", r->name);
	if (chance(w, 20) && !r->folder->own_fs) {
		(void)shell("rm -rf /disk/nodes/sandbox/local/%s", r->folder->name);
		say(w, "delete the folder of %s", r->name);
	}
	wish_no_more(w, SANDBOX, r, file);
	say(w, "release export %s", r->name);
	r->exported = r->live = 0;
	r->folder = NULL;
	excuse(r);
}

static void release_mount(struct world *w, struct run *r)
{
	char file[32];

	(void)snprintf(file, sizeof file, "%s.mount.json", r->name);
	if (chance(w, 50))
		load_stop(r);
	else if (r->load->pid)
		w->ghost = true; /* in use: cut off without a word */
	if (!r->live)
		w->ghost = true; /* an attempt may be cancelled half-way */
	wish_no_more(w, AGENT, r, file);
	say(w, "release mount %s", r->name);
	r->mounted = r->live = 0;
	excuse(r);
}

static bool do_replace(struct world *w)
{
	struct run *r = has_power(w, SANDBOX) && has_power(w, AGENT) ? any(w, is_both) : NULL;
	unsigned incarnation = w->incarnations + 1;
	bool agent_first = chance(w, 30);

	if (!r)
		return false;
	w->incarnations++;
	r->live = 0;
	say(w, "replace %s by i%u%s", r->name, incarnation, agent_first ? ", agent first" : "");
	if (agent_first)
		mount_run(w, r, incarnation);
	r->folder = make_folder(w, r);
	export_run(w, r, incarnation);
	if (!agent_first)
		mount_run(w, r, incarnation);
	return true;
}

static bool do_release(struct world *w)
{
	struct run *r = has_power(w, SANDBOX) && has_power(w, AGENT) ? any(w, is_both) : NULL;

	if (!r)
		return false;
	if (chance(w, 50)) {
		release_mount(w, r);
		release_export(w, r);
	} else {
		release_export(w, r);
		release_mount(w, r);
	}
	return true;
}

static bool do_release_export(struct world *w)
{
	struct run *r = has_power(w, SANDBOX) ? any(w, is_exported) : NULL;

	if (r)
		release_export(w, r);
	return r;
}

static bool do_release_mount(struct world *w)
{
	struct run *r = has_power(w, AGENT) ? any(w, is_mounted) : NULL;

	if (r)
		release_mount(w, r);
	return r;
}

static bool do_bind(struct world *w)
{
	struct run *r = has_power(w, SANDBOX) ? any(w, is_unbound) : NULL;
	char file[32];

	if (!r)
		return false;
	r->folder = make_folder(w, r);
	r->bound = ++w->incarnations;
	(void)snprintf(file, sizeof file, "%s.mount.json", r->name);
	wish(w, SANDBOX, file,
		"{\"kind\":\"bind\",\"run\":\"%s\",\"incarnation\":\"i%u\",\"source_volume\":\"/"
		"workspaces/local\","
		"\"source_folder\":\"%s\",\"volume\":\"/workspaces\",\"uid\":%d,\"gid\":%d}",
		r->name, r->bound, r->folder->name, OWNER, OWNER);
	say(w, "bind %s i%u %s%s", r->name, r->bound, r->folder->name,
		r->folder->own_fs ? ", a filesystem" : "");
	return true;
}

static bool do_unbind(struct world *w)
{
	struct run *r = has_power(w, SANDBOX) ? any(w, is_bound) : NULL;
	char file[32];

	if (!r)
		return false;
	(void)snprintf(file, sizeof file, "%s.mount.json", r->name);
	wish_no_more(w, SANDBOX, r, file);
	say(w, "release bind %s", r->name);
	r->bound = 0;
	r->folder = NULL;
	return true;
}

static bool do_kill(struct world *w)
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

static bool do_start(struct world *w)
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
static bool do_kill_workers(struct world *w)
{
	const struct node *n = &w->nodes[pick(w, NODES)];

	if (!n->daemon)
		return false;
	nap(pick(w, 60));
	(void)shell("pkill -KILL -P %d", (int)n->daemon);
	say(w, "kill the workers of %s", n->name);
	return true;
}

static bool do_stop_nfsd(struct world *w)
{
	const struct node *n = &w->nodes[SANDBOX];

	if (!n->daemon || n->drained)
		return false;
	goes_out(w);
	(void)spit("0\n", "/proc/%d/root/proc/fs/nfsd/threads", (int)n->init);
	(void)kill(n->daemon, SIGHUP);
	say(w, "stop nfsd behind the daemon's back");
	return true;
}

static bool do_power_off(struct world *w)
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

static bool do_power_on(struct world *w)
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

static bool do_cut(struct world *w)
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

static bool do_lose(struct world *w)
{
	const struct node *n = &w->nodes[AGENT];
	uint64_t end = now_ms() + NOTICED_MS;

	if (w->cut || !n->daemon || !has_power(w, SANDBOX) || !is_mounting(n))
		return false;
	node_cut(w, true);
	say(w, "no packets until the agent node gives up");
	while (is_mounting(n)) {
		if (now_ms() > end)
			broken("step %u: %s is not given up within %d ms", w->step,
				w->nodes[SANDBOX].name, NOTICED_MS);
		nap(50);
	}
	w->lost = w->ghost = true;
	return true;
}

static bool do_heal(struct world *w)
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

	if (!control_ask(n,
		    drained ? "{\"verb\":\"drain\",\"wait_ms\":0}" : "{\"verb\":\"resume\"}", fault,
		    sizeof fault))
		broken("step %u: %s is not drained or resumed: %s", w->step, n->name, fault);
	n->drained = drained;
	if (drained && n == &w->nodes[SANDBOX])
		goes_out(w);
	forget_live(w);
	say(w, "%s %s", drained ? "drain" : "resume", n->name);
}

static bool do_drain(struct world *w)
{
	struct node *n = &w->nodes[pick(w, NODES)];

	if (!n->daemon || n->drained)
		return false;
	drain(w, n, true);
	if (chance(w, 50))
		drain(w, n, false);
	return true;
}

static bool do_resume(struct world *w)
{
	for (size_t i = 0; i < NODES; i++)
		if (w->nodes[i].daemon && w->nodes[i].drained) {
			drain(w, &w->nodes[i], false);
			return true;
		}
	return false;
}

static bool do_unmount(struct world *w)
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
	{3, do_unmount},
};
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
