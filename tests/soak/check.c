/* SPDX-License-Identifier: Apache-2.0 */
/* What is, beside what must be: looks until there is no difference, or for too long. */
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/soak/check.h"

#define SLOW_MS 5000

char difference[1024];

bool differs(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	(void)vsnprintf(difference, sizeof difference, format, args);
	va_end(args);
	return true;
}

size_t count(const char *text, const char *word)
{
	size_t n = 0;

	for (; (text = strstr(text, word)); text += strlen(word))
		n++;
	return n;
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

/*
 * Since it was last asked: on kernels that cannot do less, what is held in one run costs its client
 * the calls that are under way in others.
 */
static bool client_was_expired(struct world *w)
{
	static char text[256 * 1024];
	char path[96];
	ssize_t n;
	int fd;

	(void)snprintf(path, sizeof path, "/proc/%d/root/var/log/kora-sandbox-mount.log",
		(int)w->nodes[SANDBOX].init);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	if (lseek(fd, 0, SEEK_END) < w->log_read)
		w->log_read = 0; /* the node was without power */
	n = pread(fd, text, sizeof text - 1, w->log_read);
	(void)close(fd);
	if (n <= 0)
		return false;
	text[n] = '\0';
	w->log_read += n;
	return strstr(text, "rung=expire-client");
}

/* A harness that must work does one round more; none sees an error that is not excused. */
static bool harness_differs(struct world *w)
{
	if (client_was_expired(w))
		for (size_t i = 0; i < SHARED; i++)
			excuse(&w->runs[i]);
	for (size_t i = 0; i < SHARED; i++) {
		struct run *r = &w->runs[i];

		if (!r->load->pid)
			continue;
		if (r->load->errors > r->forgiven && !r->excused)
			return differs(
				"the harness of %s sees no error: seen %llu, the last: %s: %s",
				r->name, (unsigned long long)(r->load->errors - r->forgiven),
				(char *)r->load->call, strerror(r->load->error));
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
		/* Whoever was not cut off yet when the daemon went has to wait for the next one. */
		if (w->lost && w->nodes[AGENT].daemon && r->live && r->load->errors <= r->forgiven)
			return differs(
				"the harness of %s gets an error from the lost server", r->name);
	}
	return false;
}

static bool anything_differs(struct world *w)
{
	follow_outage(w);
	for (size_t i = 0; i < NODES; i++)
		node_tend(w, &w->nodes[i]);
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

static void settle(struct world *w)
{
	for (size_t i = 0; i < SHARED; i++) {
		struct run *r = &w->runs[i];
		bool works = must_work(w, r);

		if (works && !r->load->pid)
			load_start(w, r);
		else if (works)
			r->excused = false;
		if (!r->mounted && r->load->pid && load_can_end(w))
			load_stop(r);
		r->live = works ? r->mounted : r->live == r->mounted ? r->live : 0;
		if (works) {
			w->ghost = false;
			w->answered = true;
		}
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
