/* SPDX-License-Identifier: Apache-2.0 */
/* What is, beside what must be. Each look finds the first difference, and looks again until none
 * is. */
#include <dirent.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/soak/soak.h"

#define SLOW_MS	     5000
#define ERRORS_AT_MS 3000 /* an outage this much shorter than the limit must cost nothing */

static char difference[1024];

static bool differs(const char *format, ...) __attribute__((format(printf, 1, 2)));
static bool differs(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	(void)vsnprintf(difference, sizeof difference, format, args);
	va_end(args);
	return true;
}

static size_t count(const char *text, const char *word)
{
	size_t n = 0;

	for (; (text = strstr(text, word)); text += strlen(word))
		n++;
	return n;
}

static bool is_shared(const struct world *w, const struct run *r)
{
	return r - w->runs < SHARED;
}

bool serves(const struct world *w)
{
	const struct node *n = &w->nodes[SANDBOX];

	return n->init && !w->cut &&
	       atoi(slurp(0, "/proc/%d/root/proc/fs/nfsd/threads", (int)n->init)) > 0;
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

static void follow_outage(struct world *w)
{
	if (serves(w)) {
		if (maybe_lost(w))
			forget_live(w);
		w->out_since_ms = 0;
		w->lost = false;
	} else {
		goes_out(w);
	}
	if (maybe_lost(w))
		for (size_t i = 0; i < RUNS; i++)
			excuse(&w->runs[i]);
}

static bool is_up(const struct node *n)
{
	return n->init && n->daemon;
}

/* Wished for on both sides, and nothing is in the way. */
static bool must_work(const struct world *w, const struct run *r)
{
	const struct node *s = &w->nodes[SANDBOX], *a = &w->nodes[AGENT];

	if (!r->mounted || r->mounted != r->exported || w->out_since_ms || !a->init || s->drained ||
		a->drained)
		return false;
	return (s->daemon && a->daemon) || r->live == r->mounted;
}

/* Lines of a cache that have the word; what begins with # is refused or on its way out. */
static size_t count_entries(const char *text, const char *word)
{
	size_t n = 0;

	for (const char *end; *text && (end = strchr(text, '\n')); text = end + 1) {
		const char *found = strstr(text, word);

		n += *text != '#' && found && found < end;
	}
	return n;
}

/* For each of the agent node's addresses, what is exported and nothing else. */
static bool kernel_serves_otherwise(struct world *w)
{
	static const char *const clients[] = {"\tkora-10.20.0.2(rw,", "\tkora-fd20::2(rw,"};
	const struct node *n = &w->nodes[SANDBOX];
	const char *text = slurp(0, "/proc/%d/net/rpc/nfsd.export/content", (int)n->init);
	char line[96];

	for (size_t k = 0; k < 2 && is_up(n); k++) {
		size_t wished = 0;

		for (size_t i = 0; i < SHARED && !n->drained; i++) {
			const struct run *r = &w->runs[i];

			wished += r->exported != 0;
			(void)snprintf(line, sizeof line, "\n/workspaces/%s/i%u%s", r->name,
				r->exported, clients[k]);
			if (r->exported && count(text, line) != 1)
				return differs("nfsd serves %s: seen%s", line + 1, text);
		}
		if (count_entries(text, clients[k]) != wished)
			return differs(
				"nfsd serves %zu runs to each address: seen\n%s", wished, text);
	}
	return false;
}

static bool daemon_tells_otherwise(struct world *w, size_t which)
{
	static char text[16384];
	const struct node *n = &w->nodes[which];
	size_t wished = 0;
	char line[128];

	if (!is_up(n))
		return false;
	if (!control_runs(n, text, sizeof text))
		return differs("the daemon of %s answers: %s", n->name, text);
	for (size_t i = 0; i < RUNS && !n->drained; i++) {
		const struct run *r = &w->runs[i];
		const char *role = which == AGENT ? "mount" : is_shared(w, r) ? "export" : "bind";
		unsigned incarnation = which == AGENT	 ? r->mounted
				       : is_shared(w, r) ? r->exported
							 : r->bound;

		wished += incarnation != 0;
		(void)snprintf(line, sizeof line, "%s %s i%u ready\n", r->name, role, incarnation);
		if (incarnation && (which == SANDBOX || (must_work(w, r))) && !strstr(text, line))
			return differs("%s tells %s: it tells\n%s", n->name, line, text);
	}
	if (count(text, "\n") != wished)
		return differs("%s knows %zu runs: it tells\n%s", n->name, wished, text);
	return false;
}

/* Every mount of the agent node in a run's place is the one that must be there. */
static bool agent_shows_otherwise(struct world *w)
{
	const struct node *n = &w->nodes[AGENT];
	const char *text = n->init ? slurp(0, "/proc/%d/mountinfo", (int)n->init) : "";
	char place[64], source[64];

	for (size_t i = 0; i < SHARED && n->daemon; i++) {
		const struct run *r = &w->runs[i];
		size_t here;

		(void)snprintf(place, sizeof place, " /workspaces/%s/sandbox ", r->name);
		(void)snprintf(source, sizeof source, ":/workspaces/%s/i%u ", r->name, r->mounted);
		here = count(text, place);
		if ((!r->mounted || n->drained || w->lost) && here)
			return differs("nothing is mounted at%s: seen %zu", place, here);
		if (here > 1)
			return differs("one mount at%s: seen %zu", place, here);
		if (must_work(w, r) && !(here == 1 && count(text, source) == 1))
			return differs("%s is mounted once at%s: seen %zu", source, place, here);
		if (w->out_since_ms && !maybe_lost(w) && r->live && r->live == r->mounted &&
			here != 1)
			return differs("a short outage leaves the mount at%s alone", place);
	}
	if (count(text, " - nfs4 ") > SHARED || strstr(text, "kora-bind:"))
		return differs("no other mount: seen\n%s", text);
	if (n->init && !n->daemon) {
		const char *line = n->frozen;

		for (; *line; line = strchr(line, '\n') + 1) {
			char one[1024];

			(void)snprintf(one, sizeof one, "%.*s", (int)strcspn(line, "\n"), line);
			if (!strstr(text, one))
				return differs("a mount outlives its daemon: %s", one);
		}
		if (count(text, " - nfs4 ") != count(n->frozen, "\n"))
			return differs("no mount comes without a daemon");
	}
	return false;
}

static bool binds_differ(struct world *w)
{
	const struct node *n = &w->nodes[SANDBOX];
	const char *text = slurp(0, "/proc/%d/mountinfo", (int)n->init);
	size_t markers = 0;
	char place[64], folder[128];

	if (!is_up(n))
		return false;
	for (size_t i = SHARED; i < RUNS; i++) {
		const struct run *r = &w->runs[i];
		bool there = r->bound && !n->drained;

		markers += there;
		(void)snprintf(place, sizeof place, " /workspaces/%s/sandbox ", r->name);
		if (count(text, place) != (there ? 2 : 0))
			return differs(
				"a bind and its marker at%s: seen %zu", place, count(text, place));
		(void)snprintf(folder, sizeof folder, "/local/%s%s",
			r->folder ? r->folder->name : "", place);
		if (there && !r->folder->own_fs && !strstr(text, folder))
			return differs("%s bound: seen\n%s", folder, text);
	}
	if (count(text, " kora-bind:") != markers)
		return differs("%zu markers: seen\n%s", markers, text);
	return false;
}

static bool is_exported_folder(const struct world *w, const char *name, size_t length)
{
	for (size_t i = 0; i < SHARED; i++) {
		const struct folder *f = w->runs[i].folder;

		if (w->runs[i].exported && f && strlen(f->name) == length &&
			!strncmp(f->name, name, length))
			return true;
	}
	return length == 0;
}

/* nfsd's clients: one for the one agent node, with nothing open outside of what is exported. */
static bool clients_differ(struct world *w)
{
	const struct node *n = &w->nodes[SANDBOX];
	size_t clients = 0, wished = 0;
	char path[96];
	const struct dirent *entry;
	DIR *dir;

	(void)snprintf(path, sizeof path, "/proc/%d/root/proc/fs/nfsd/clients", (int)n->init);
	if (!is_up(n) || w->cut || !is_up(&w->nodes[AGENT]) || !(dir = opendir(path)))
		return false;
	for (size_t i = 0; i < SHARED; i++)
		wished += w->runs[i].mounted && !w->nodes[AGENT].drained;
	difference[0] = '\0';
	while ((entry = readdir(dir)) && !difference[0]) {
		const char *s, *end;

		if (entry->d_name[0] == '.')
			continue;
		clients++;
		s = slurp(0, "%s/%s/states", path, entry->d_name);
		while ((s = strstr(s, "filename: \""))) {
			s += strlen("filename: \"");
			end = strpbrk(s, "/\"");
			if (end && *end == '/' && !is_exported_folder(w, s, (size_t)(end - s)))
				(void)differs(
					"no client holds what is not exported: seen %.60s", s);
		}
	}
	(void)closedir(dir);
	if (difference[0])
		return true;
	if (clients > 1)
		return differs("one agent node is one client: seen %zu", clients);
	return !wished && clients && !w->ghost &&
	       differs("no client without a mount: seen %zu", clients);
}

static bool is_harness(const struct world *w, pid_t pid)
{
	for (size_t i = 0; i < RUNS; i++)
		if (w->runs[i].load->pid == pid)
			return true;
	return false;
}

/* A mount that cannot be made yet is tried again and again, each time by a worker. */
static bool tries_on(const struct world *w)
{
	for (size_t i = 0; i < SHARED; i++)
		if (w->runs[i].mounted && !must_work(w, &w->runs[i]))
			return true;
	return w->out_since_ms;
}

static bool processes_differ(struct world *w, const struct node *n)
{
	pid_t list[64];
	size_t many = node_processes(n, list, 64);

	for (size_t i = 0; i < many; i++) {
		const char *status;
		char name[32] = "";

		if (list[i] == n->init || list[i] == n->daemon || is_harness(w, list[i]))
			continue;
		status = slurp(0, "/proc/%d/status", (int)list[i]);
		(void)sscanf(status, "Name:\t%31s", name);
		if (!name[0] || strcmp(name, "sleep") == 0 ||
			(tries_on(w) && atoi(strstr(status, "\nPPid:") + 6) == n->daemon))
			continue;
		return differs("no process of %s is left: seen %d %s, %s", n->name, (int)list[i],
			name, slurp(1, "/proc/%d/wchan", (int)list[i]));
	}
	return false;
}

static bool bare_folder_used(const struct world *w, const struct node *n)
{
	for (size_t i = 0; i < RUNS; i++) {
		const struct dirent *entry;
		char path[96];
		DIR *dir;

		(void)snprintf(
			path, sizeof path, "/disk/nodes/%s/%s/sandbox", n->name, w->runs[i].name);
		dir = opendir(path);
		while (dir && (entry = readdir(dir)))
			if (entry->d_name[0] != '.') {
				(void)differs(
					"%s is bare and empty: seen %s in it", path, entry->d_name);
				(void)closedir(dir);
				return true;
			}
		if (dir)
			(void)closedir(dir);
	}
	return false;
}

/* Records of what is attached: exactly what is wished for. */
static bool records_differ(struct world *w)
{
	size_t wished = 0, found = 0;
	char path[96];

	if (!is_up(&w->nodes[SANDBOX]))
		return false;
	for (size_t i = 0; i < RUNS && !w->nodes[SANDBOX].drained; i++)
		wished += (w->runs[i].exported != 0) + (w->runs[i].bound != 0);
	(void)snprintf(path, sizeof path, "/disk/state/sandbox/attached");
	DIR *dir = opendir(path);
	const struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		found += entry->d_name[0] != '.';
	if (dir)
		(void)closedir(dir);
	return found != wished &&
	       differs("%zu records of what the sandbox node attached: seen %zu", wished, found);
}

static void fail(struct world *w);

/* A harness that must work does one round more; none sees an error that is not excused. */
static bool harness_differs(struct world *w)
{
	for (size_t i = 0; i < SHARED; i++) {
		struct run *r = &w->runs[i];

		if (!r->load->pid)
			continue;
		if (r->load->errors > r->forgiven && !r->excused) {
			(void)differs(
				"the harness of %s sees no error: seen %llu, the last: %s: %s",
				r->name, (unsigned long long)(r->load->errors - r->forgiven),
				(char *)r->load->call, strerror(r->load->error));
			fail(w);
		}
		if (must_work(w, r) && r->excused && !r->begun) {
			r->begun = true;
			r->load->asked++;
		}
		if (must_work(w, r) &&
			(r->load->rounds <= r->worked || r->load->clean != r->load->asked))
			return differs(
				"the harness of %s works: %llu rounds; the last error: %s: %s",
				r->name, (unsigned long long)r->load->rounds, (char *)r->load->call,
				strerror(r->load->error));
		if (w->lost && r->live && r->load->errors <= r->forgiven)
			return differs(
				"the harness of %s gets an error from the lost server", r->name);
	}
	return false;
}

static bool rules_differ(struct world *w)
{
	const struct node *n = &w->nodes[AGENT];

	return is_up(n) && !w->out_since_ms && node_rules(n) > 0 &&
	       differs("no routing of ours is left: seen %u rules", node_rules(n));
}

/* Folders of ended sandboxes go, at once and whole. */
static bool folders_differ(struct world *w)
{
	if (!is_up(&w->nodes[SANDBOX]))
		return false;
	for (size_t i = 0; i < FOLDERS; i++) {
		struct folder *f = &w->folders[i];
		bool used = !f->name[0];

		for (size_t k = 0; k < RUNS; k++)
			used |= w->runs[k].folder == f;
		if (used)
			continue;
		if (f->own_fs && shell("nsenter -t %d -m umount /workspaces/local/%s 2>/dev/null",
					 (int)w->nodes[SANDBOX].init, f->name) != 0)
			return differs(
				"the filesystem of the ended sandbox %s can be unmounted: busy",
				f->name);
		f->own_fs = false;
		if (shell("rm -rf /disk/nodes/sandbox/local/%s", f->name) != 0)
			return differs("the folder %s can be deleted", f->name);
		f->name[0] = '\0';
	}
	return false;
}

static bool anything_differs(struct world *w)
{
	follow_outage(w);
	if (kernel_serves_otherwise(w) || agent_shows_otherwise(w) || binds_differ(w) ||
		daemon_tells_otherwise(w, SANDBOX) || daemon_tells_otherwise(w, AGENT) ||
		clients_differ(w) || harness_differs(w) || records_differ(w) || folders_differ(w) ||
		rules_differ(w))
		return true;
	for (size_t i = 0; i < NODES; i++)
		if (w->nodes[i].init &&
			(processes_differ(w, &w->nodes[i]) || bare_folder_used(w, &w->nodes[i])))
			return true;
	return false;
}

static void fail(struct world *w)
{
	(void)fprintf(stderr, "--- step %u is not as the model says\n", w->step);
	for (unsigned i = w->step > 23 ? w->step - 23 : 1; i <= w->step; i++)
		(void)fprintf(stderr, "step %u: %s\n", i, w->history[i % 24]);
	(void)fprintf(stderr, "expected: %s\n", difference);
	for (size_t i = 0; i < NODES; i++) {
		static char text[16384];
		const struct node *n = &w->nodes[i];

		(void)fprintf(stderr, "--- %s: power %s, daemon %s%s\n", n->name,
			n->init ? "on" : "off", n->daemon ? "runs" : "does not run",
			n->drained ? ", drained" : "");
		if (n->daemon) {
			(void)control_runs(n, text, sizeof text);
			(void)fputs(text, stderr);
		}
		if (n->init)
			(void)shell(
				"grep -h ' /workspaces/.* - ' /proc/%d/mountinfo >&2; tail -n 40 "
				"/proc/%d/root/var/log/kora-sandbox-mount.log >&2",
				(int)n->init, (int)n->init);
	}
	exit(1);
}

static void settle(struct world *w)
{
	for (size_t i = 0; i < SHARED; i++) {
		struct run *r = &w->runs[i];
		bool works = must_work(w, r);

		if (works && !r->load->pid)
			load_start(w, r);
		else if (works)
			r->excused = false;
		if (!r->mounted && r->load->pid)
			load_stop(r);
		r->live = works ? r->mounted : r->live == r->mounted ? r->live : 0;
		if (works)
			w->ghost = false;
		r->forgiven = r->load->errors;
		r->worked = r->load->rounds;
	}
}

/* What the nodes' processes and the NFS clients' kernel threads sit in while something takes its
 * time. */
static void show_processes(const struct world *w)
{
	for (size_t i = 0; i < NODES; i++) {
		pid_t list[64];
		size_t many = node_processes(&w->nodes[i], list, 64);

		for (size_t k = 0; k < many; k++)
			printf("     %s %d %s%s", w->nodes[i].name, (int)list[k],
				slurp(0, "/proc/%d/comm", (int)list[k]),
				slurp(1, "/proc/%d/stack", (int)list[k]));
		(void)shell("nsenter -t %d -n bash -c 'ip neigh; ss -Htanoe | grep -v TIME-WAIT'; "
			    "grep proc4 /proc/%d/net/rpc/nfs",
			(int)w->nodes[i].init, (int)w->nodes[i].init);
	}
	(void)shell("pgrep '^10[.]20' | while read -r p; do cat /proc/$p/comm /proc/$p/stack; "
		    "done");
}

void compare(struct world *w)
{
	uint64_t begin = now_ms(), took;
	char waited[128] = "";
	bool shown = false;

	(void)snprintf(w->history[w->step % 24], sizeof w->history[0], "%s", w->what);
	while (anything_differs(w)) {
		(void)snprintf(
			waited, sizeof waited, "%.*s", (int)strcspn(difference, "\n"), difference);
		if (now_ms() - begin > w->patience_ms)
			fail(w);
		if (now_ms() - begin > SLOW_MS && !shown) {
			shown = true;
			printf("     %s: not after %d ms: %s\n", w->what, SLOW_MS, difference);
			show_processes(w);
		}
		nap(20);
	}
	settle(w);
	took = now_ms() - begin;
	if (took > w->slowest_ms)
		w->slowest_ms = took;
	printf("%4u %6llu ms  %s%s%s\n", w->step, (unsigned long long)took, w->what,
		took > 3000 ? "   # waited for: " : "", took > 3000 ? waited : "");
}
