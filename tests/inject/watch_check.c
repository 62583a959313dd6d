/* SPDX-License-Identifier: Apache-2.0 */
/* What must be true, by the pods that the API server has. */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/inject/watch.h"
#include "tests/soak/check.h"

#define READ_SECONDS 5
#define SOCKETS_MAX  14 /* two to the daemon, two that listen and ask, the API server's */

size_t place_node(unsigned place)
{
	return place < REMOTE ? SANDBOX : AGENT;
}

const struct sandbox_pod *place_pod(unsigned place)
{
	const struct sandbox_pod *newest = NULL;

	for (size_t i = 0; i < PODS; i++) {
		const struct sandbox_pod *p = &cluster.pods[i];

		if (p->state == POD_LIVE && p->place == place &&
			(!newest || strcmp(p->name, newest->name) > 0))
			newest = p;
	}
	return newest;
}

/* NULL: nothing is wished of that node for that run. */
static const char *wished_role(size_t node, unsigned place)
{
	if (!place_pod(place))
		return NULL;
	if (node == AGENT)
		return !cluster.runtime ? NULL : place_node(place) == AGENT ? "bind" : "mount";
	return place_node(place) == SANDBOX ? "export" : NULL;
}

static bool daemon_differs(const struct node *n, size_t node)
{
	static char text[16384];
	size_t wished = 0;
	char line[128];

	(void)control_runs(n, text, sizeof text);
	for (unsigned place = 0; place < PLACES; place++) {
		const char *role = wished_role(node, place);

		if (!role)
			continue;
		wished++;
		(void)snprintf(line, sizeof line, "run-%u %s uid-%s ready ", place, role,
			place_pod(place)->name);
		if (!strstr(text, line))
			return differs(
				"the daemon of %s tells %s: it tells\n%s", n->name, line, text);
	}
	return count(text, "\n") != wished &&
	       differs("the daemon of %s knows %zu runs: it tells\n%s", n->name, wished, text);
}

/* The files of the wishes, and nothing beside them. */
static bool specs_differ(const struct node *n, size_t node)
{
	char path[96];
	size_t wished = 0, found = 0;
	const struct dirent *entry;
	DIR *dir;

	(void)snprintf(path, sizeof path, "/disk/state/%s/specs", n->name);
	for (unsigned place = 0; place < PLACES; place++)
		wished += wished_role(node, place) != NULL;
	dir = opendir(path);
	while (dir && (entry = readdir(dir)))
		found += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
	if (dir)
		(void)closedir(dir);
	return found != wished && differs("%zu spec files on %s: seen %zu", wished, n->name, found);
}

static const char *wished_condition(const struct sandbox_pod *p)
{
	if (p->state == POD_REFUSED)
		return "False:InvalidRun";
	if (p->state == POD_ENDING)
		return "False:Unmounted";
	if (p != place_pod(p->place))
		return "False:Superseded";
	return cluster.runtime ? "True:Mounted" : "False:WaitingForRuntimePod";
}

static bool conditions_differ(void)
{
	char text[4096], one[96];

	(void)snprintf(text, sizeof text, " %s ", cluster_word("conditions"));
	for (size_t i = 0; i < PODS; i++) {
		const struct sandbox_pod *p = &cluster.pods[i];

		if (p->state == POD_NONE || p->state == POD_GONE)
			continue;
		(void)snprintf(one, sizeof one, " %s=%s ", p->name, wished_condition(p));
		if (!strstr(text, one))
			return differs("the API server has%s: it has%s", one, text);
	}
	return false;
}

/* In a process of its own: a server that does not answer holds it. */
static bool reads(const char *path, const char *wanted)
{
	char text[64] = "";
	pid_t reader;
	int status, fd;

	(void)fflush(NULL);
	reader = fork();
	if (reader == 0) {
		(void)alarm(READ_SECONDS);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		_exit(fd < 0 || read(fd, text, sizeof text - 1) < 0 || strcmp(text, wanted) != 0);
	}
	return reader > 0 && waitpid(reader, &status, 0) == reader && status == 0;
}

/* The id of the last mount in that place, or 0; what a bind's guard is does not count. */
static unsigned long find_mount(const struct node *agent, unsigned place, size_t *ret_n)
{
	const char *line = slurp(0, "/proc/%d/mountinfo", (int)agent->init);
	char folder[64], one[1024];
	unsigned long id = 0;

	(void)snprintf(folder, sizeof folder, " /workspaces/a/run-%u/sandbox ", place);
	*ret_n = 0;
	for (; *line; line = strchr(line, '\n') + 1) {
		(void)snprintf(one, sizeof one, "%.*s", (int)strcspn(line, "\n"), line);
		if (!strstr(one, folder) || strstr(one, " kora-bind:"))
			continue;
		id = strtoul(one, NULL, 10);
		++*ret_n;
	}
	return id;
}

static bool agent_differs(const struct node *n)
{
	for (unsigned place = 0; place < PLACES; place++) {
		const struct sandbox_pod *p = cluster.runtime ? place_pod(place) : NULL;
		const struct shown *before = &cluster.shown[place];
		unsigned long mount;
		char path[96];
		size_t found;

		mount = find_mount(n, place, &found);
		if (found != (p != NULL))
			return differs(
				"run-%u is mounted %d times: seen %zu", place, p != NULL, found);
		if (!p)
			continue;
		if (p == before->pod && mount != before->mount)
			return differs("the mount of run-%u stays: it is another one", place);
		(void)snprintf(path, sizeof path, "/proc/%d/root/workspaces/a/run-%u/sandbox/id",
			(int)n->init, place);
		if (!reads(path, p->name))
			return differs("run-%u shows the folder of %s", place, p->name);
	}
	return false;
}

/* At rest its descriptors are those it began with; of connections it keeps a few. */
static bool descriptors_differ(const struct node *n, size_t node)
{
	unsigned others = 0, sockets = 0;
	const struct dirent *entry;
	char path[64], object[64];
	DIR *dir;

	(void)snprintf(path, sizeof path, "/proc/%d/fd", (int)cluster.watches[node]);
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		ssize_t size = readlinkat(dirfd(dir), entry->d_name, object, sizeof object - 1);

		if (size <= 0)
			continue;
		object[size] = '\0';
		*(strncmp(object, "socket:", strlen("socket:")) == 0 ? &sockets : &others) += 1;
	}
	if (dir)
		(void)closedir(dir);
	if (!cluster.descriptors[node])
		cluster.descriptors[node] = others;
	return (others != cluster.descriptors[node] || sockets > SOCKETS_MAX) &&
	       differs("the watch of %s has %u descriptors and %u sockets at most: seen %u and %u",
		       n->name, cluster.descriptors[node], SOCKETS_MAX, others, sockets);
}

static bool strays_differ(const struct node *n, size_t node)
{
	pid_t list[64];
	size_t many = node_processes(n, list, 64);

	for (size_t i = 0; i < many; i++) {
		const char *name = slurp(0, "/proc/%d/comm", (int)list[i]);

		if (list[i] == n->init || list[i] == n->daemon ||
			list[i] == cluster.watches[node] || !*name ||
			strcmp(name, "sleep\n") == 0 || node_has_waiting(n, list[i]))
			continue;
		return differs("no process of %s is left: seen %d %s", n->name, (int)list[i], name);
	}
	return false;
}

/* kubelet can delete the folder of a pod that is gone. */
static bool folders_are_held(const struct world *w)
{
	for (size_t i = 0; i < PODS; i++) {
		struct sandbox_pod *p = &cluster.pods[i];

		if (p->state != POD_GONE)
			continue;
		if (shell("rm -rf /disk/nodes/%s/kubelet/pods/uid-%s",
			    w->nodes[place_node(p->place)].name, p->name) != 0)
			return differs("the folder of %s can be deleted", p->name);
		p->state = POD_NONE;
	}
	return false;
}

static bool anything_differs(struct world *w)
{
	for (size_t i = 0; i < NODES; i++) {
		node_tend(w, &w->nodes[i]);
		watch_tend(w, i);
	}
	for (size_t i = 0; i < NODES; i++)
		if (daemon_differs(&w->nodes[i], i) || specs_differ(&w->nodes[i], i))
			return true;
	if (conditions_differ() || agent_differs(&w->nodes[AGENT]))
		return true;
	for (size_t i = 0; i < NODES; i++) {
		if (watch_status(i, "/readyz") != 200)
			return differs("the watch of %s is ready", w->nodes[i].name);
		if (strays_differ(&w->nodes[i], i) || descriptors_differ(&w->nodes[i], i))
			return true;
	}
	return folders_are_held(w);
}

/* A pod whose mount was there all the time was told nothing else. */
static bool was_misled(void)
{
	char text[8192], one[64];

	(void)snprintf(text, sizeof text, " %s ", cluster_word("patched"));
	for (unsigned place = 0; place < PLACES; place++) {
		const struct sandbox_pod *p = cluster.runtime ? place_pod(place) : NULL;

		if (!p || p != cluster.shown[place].pod)
			continue;
		(void)snprintf(one, sizeof one, " %s=False:", p->name);
		if (strstr(text, one))
			return differs(
				"%s, whose mount stayed, is told so: it was told%s", p->name, text);
	}
	return false;
}

static void settle(const struct world *w)
{
	size_t found;

	for (unsigned place = 0; place < PLACES; place++)
		cluster.shown[place] = (struct shown){cluster.runtime ? place_pod(place) : NULL,
			find_mount(&w->nodes[AGENT], place, &found)};
}

static void fail(const struct world *w)
{
	static char text[16384];

	for (unsigned i = w->step > 23 ? w->step - 23 : 1; i <= w->step; i++)
		(void)fprintf(stderr, "step %u: %s\n", i, w->history[i % 24]);
	(void)fprintf(stderr, "expected: %s\n", difference);
	for (size_t i = 0; i < NODES; i++) {
		const struct node *n = &w->nodes[i];

		(void)control_runs(n, text, sizeof text);
		(void)fprintf(stderr, "--- %s\n%s", n->name, text);
		(void)shell("ls /disk/state/%s/specs >&2; ls -l /proc/%d/fd >&2; cd "
			    "/proc/%d/root/var/log; tail -n 40 kora-sandbox-watch.log "
			    "kora-sandbox-mount.log >&2",
			n->name, (int)cluster.watches[i], (int)n->init);
	}
	exit(1);
}

void watch_compare(struct world *w)
{
	uint64_t begin = now_ms();
	char waited[128] = "";
	unsigned took;

	(void)snprintf(w->history[w->step % 24], sizeof w->history[0], "%s", w->what);
	while (anything_differs(w)) {
		(void)snprintf(
			waited, sizeof waited, "%.*s", (int)strcspn(difference, "\n"), difference);
		if (now_ms() - begin > w->patience_ms)
			fail(w);
		nap(20);
	}
	if (was_misled())
		fail(w);
	settle(w);
	took = (unsigned)(now_ms() - begin);
	printf("%4u %6u ms  %s%s%s\n", w->step, took, w->what,
		took > 3000 ? "   # waited for: " : "", took > 3000 ? waited : "");
}
