/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes: power, daemons, packets, processes. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <netlink/netlink.h>
#include <netlink/route/rule.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/soak/soak.h"

#define PATIENCE_MS   60000
#define UNANSWERED_MS 2000
#define RULE_PROTO    75

bool node_owns(const struct node *n, pid_t pid)
{
	char path[64];
	struct stat a, b;

	(void)snprintf(path, sizeof path, "/proc/%d/ns/pid", (int)n->init);
	if (!n->init || stat(path, &a) < 0)
		return false;
	(void)snprintf(path, sizeof path, "/proc/%d/ns/pid", (int)pid);
	return stat(path, &b) == 0 && a.st_ino == b.st_ino;
}

size_t node_processes(const struct node *n, pid_t *list, size_t room)
{
	DIR *proc = opendir("/proc");
	const struct dirent *entry;
	size_t found = 0;

	while (proc && (entry = readdir(proc)) && found < room)
		if (isdigit((unsigned char)entry->d_name[0]) && node_owns(n, atoi(entry->d_name)))
			list[found++] = atoi(entry->d_name);
	if (proc)
		(void)closedir(proc);
	return found;
}

bool node_has_waiting(const struct node *n, pid_t pid)
{
	const char *status = slurp(2, "/proc/%d/status", (int)pid);
	const char *parent = strstr(status, "\nPPid:");

	return n->daemon && parent && atoi(parent + 6) == n->daemon &&
	       strncmp(status, "Name:\twaits\n", strlen("Name:\twaits\n")) == 0;
}

void node_join(const struct node *n, const char *kind)
{
	char path[64];
	int fd;

	(void)snprintf(path, sizeof path, "/proc/%d/ns/%s", (int)n->init, kind);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || setns(fd, 0) < 0)
		_exit(9);
	(void)close(fd);
}

pid_t node_told_pid(const struct node *n, void (*child)(const struct told *t), struct told *t)
{
	int pipes[2];
	pid_t between, pid = 0;

	if (pipe2(pipes, O_CLOEXEC) < 0)
		broken("pipe: %s", strerror(errno));
	(void)fflush(NULL);
	t->node = n;
	t->tell = pipes[1];
	between = fork();
	if (between == 0) {
		child(t);
		_exit(0);
	}
	(void)close(pipes[1]);
	if (read(pipes[0], &pid, sizeof pid) != sizeof pid)
		broken("no process can be started on %s", n->name);
	(void)close(pipes[0]);
	(void)waitpid(between, NULL, 0);
	return pid;
}

/* A process of the node is a grandchild: only a child made after joining is in its PID namespace.
 */
static void spawn(const struct told *t)
{
	pid_t pid;

	node_join(t->node, "net");
	node_join(t->node, "uts");
	node_join(t->node, "pid");
	node_join(t->node, "mnt");
	pid = fork();
	if (pid == 0) {
		(void)setsid();
		(void)close(t->tell);
		t->fn(t->arg);
		_exit(0);
	}
	_exit(write(t->tell, &pid, sizeof pid) != sizeof pid);
}

pid_t node_spawn(const struct node *n, void (*fn)(void *arg), void *arg)
{
	return node_told_pid(n, spawn, &(struct told){.fn = fn, .arg = arg});
}

static void exec_daemon(void *arg)
{
	const struct node *n = arg;
	char state[64], lost[16];
	int log = open("/var/log/kora-sandbox-mount.log", O_WRONLY | O_CREAT | O_APPEND, 0644);
	int null = open("/dev/null", O_RDWR);

	(void)dup2(null, 0);
	(void)dup2(log, 1);
	(void)dup2(log, 2);
	(void)snprintf(state, sizeof state, "/disk/state/%s", n->name);
	(void)snprintf(lost, sizeof lost, "%d", LOST_AFTER_MS / 1000);
	if (chdir("/root") < 0)
		_exit(127);
	(void)execlp("kora-sandbox-mount", "kora-sandbox-mount", "--node-name", n->name,
		"--state-dir", state, "--lost-after", lost, "--lease", "10", (char *)NULL);
	_exit(127);
}

static pid_t launch(const struct world *w, struct node *n)
{
	return w->harm ? w->harm->launch(n, exec_daemon, n) : node_spawn(n, exec_daemon, n);
}

static bool may_end(const struct world *w, const struct node *n)
{
	return w->harm && w->harm->excuses(w, n, true);
}

void node_start(struct world *w, struct node *n)
{
	uint64_t end = now_ms() + PATIENCE_MS;
	char fault[256];

	n->daemon = launch(w, n);
	n->frozen[0] = '\0';
	while (!control_ask(n, "{\"verb\":\"status\"}", fault, sizeof fault)) {
		bool ended = kill(n->daemon, 0) < 0;

		if ((ended && !may_end(w, n)) || now_ms() > end)
			broken("the daemon of %s did not start: %s", n->name, fault);
		if (ended)
			n->daemon = launch(w, n);
		nap(20);
	}
}

void node_tend(struct world *w, struct node *n)
{
	if (!n->daemon || kill(n->daemon, 0) == 0)
		return;
	if (!may_end(w, n))
		broken("step %u: the daemon of %s has ended", w->step, n->name);
	node_start(w, n);
}

static void mounted(const struct node *n, char *text, size_t size)
{
	const char *line = slurp(3, "/proc/%d/mountinfo", (int)n->init);
	size_t used = 0;

	for (; *line; line = strchr(line, '\n') + 1)
		if ((strstr(line, " - nfs4 ") && strstr(line, " - nfs4 ") < strchr(line, '\n')) &&
			used < size)
			used += (size_t)snprintf(
				text + used, size - used, "%.*s\n", (int)strcspn(line, "\n"), line);
}

void node_kill(struct world *w, struct node *n, int signal)
{
	uint64_t end = now_ms() + PATIENCE_MS;
	pid_t list[64];
	size_t many;

	(void)w;
	(void)kill(n->daemon, signal);
	while (kill(n->daemon, 0) == 0) {
		if (now_ms() > end)
			broken("the daemon of %s does not end after signal %d", n->name, signal);
		nap(5);
	}
	n->daemon = 0;
	/* Its workers die with it; what they were at in the kernel may take a moment. */
	for (;;) {
		size_t workers = 0;

		many = node_processes(n, list, 64);
		for (size_t i = 0; i < many; i++) {
			const char *exe = slurp(3, "/proc/%d/cmdline", (int)list[i]);

			workers += strcmp(exe, "kora-sandbox-mount") == 0;
		}
		if (!workers)
			break;
		if (now_ms() > end)
			broken("a worker of %s outlives its daemon", n->name);
		nap(5);
	}
	mounted(n, n->frozen, sizeof n->frozen);
}

void node_power_on(struct world *w, struct node *n)
{
	static const char *const addresses[NODES] = {
		"10.20.0.1/24 fd20::1/64", "10.20.0.2/24 fd20::2/64"};

	if (shell("/usr/lib/kora-test/node-up %s %s", n->name, addresses[n - w->nodes]) != 0)
		broken("node-up %s failed", n->name);
	n->init = atoi(slurp(0, "/run/nodes/%s/pid", n->name));
	/* The same machine, so the same hardware address. */
	(void)shell("nsenter -t %d -n ip link set eth0 address 52:54:00:20:00:0%zu; mkdir -p "
		    "/disk/state/%s",
		(int)n->init, (size_t)(n - w->nodes) + 1, n->name);
	for (size_t i = 0; n == &w->nodes[SANDBOX] && i < FOLDERS; i++)
		if (w->folders[i].name[0] && w->folders[i].own_fs)
			(void)shell("/usr/lib/kora-test/node-run sandbox 'f=/workspaces/local/%s; "
				    "mount -t tmpfs tmpfs "
				    "$f && chown %d:%d $f'",
				w->folders[i].name, OWNER, OWNER);
	if (w->cut && n == &w->nodes[AGENT]) {
		w->cut = false;
		node_cut(w, true);
	}
}

/*
 * Without power a client says no goodbye. One that is shut down does not either; older kernels know
 * no other way than to wait for the server.
 */
bool node_can_lose_power(const struct node *n)
{
	return !strstr(slurp(3, "/proc/%d/net/nfsfs/servers", (int)n->init), "\nv4 ") ||
	       shell("ls -d /proc/%d/root/sys/fs/nfs/*:*/shutdown >/dev/null 2>&1", (int)n->init) ==
		       0;
}

static void shut_down_mounts(const struct node *n)
{
	char pattern[64];
	glob_t found;

	(void)snprintf(
		pattern, sizeof pattern, "/proc/%d/root/sys/fs/nfs/*:*/shutdown", (int)n->init);
	if (glob(pattern, 0, NULL, &found) != 0)
		return;
	for (size_t i = 0; i < found.gl_pathc; i++)
		(void)spit("1\n", "%s", found.gl_pathv[i]);
	globfree(&found);
}

static void kill_everything(const struct node *n)
{
	pid_t list[64];
	size_t many = node_processes(n, list, 64);

	for (size_t i = 0; i < many; i++)
		if (list[i] != n->init)
			(void)kill(list[i], SIGKILL);
}

/*
 * A thread that waits for client tracking's answer ends once somebody gives it. A daemon killed
 * after it read the question leaves that to the next one; true: there had to be one.
 */
static bool stop_threads(struct world *w, struct node *n)
{
	uint64_t begin = now_ms();
	pid_t writer, answering = 0;
	bool needed;

	(void)fflush(NULL);
	writer = fork();
	if (writer == 0)
		_exit(!spit("0\n", "/proc/%d/root/proc/fs/nfsd/threads", (int)n->init));
	while (writer > 0 && waitpid(writer, NULL, WNOHANG) == 0) {
		if (now_ms() > begin + PATIENCE_MS)
			broken("nfsd's threads of %s do not end", n->name);
		if (n->daemon)
			node_tend(w, n);
		else if (!answering && now_ms() > begin + UNANSWERED_MS)
			answering = node_spawn(n, exec_daemon, n);
		nap(10);
	}
	needed = answering;
	if (needed)
		(void)kill(answering, SIGKILL);
	while (needed && kill(answering, 0) == 0 && now_ms() < begin + PATIENCE_MS)
		nap(10);
	return needed;
}

void node_stop_nfsd(struct world *w, struct node *n)
{
	if (n == &w->nodes[SANDBOX])
		w->answered = false;
	while (stop_threads(w, n))
		;
}

void node_power_off(struct world *w, struct node *n)
{
	uint64_t end = now_ms() + PATIENCE_MS;
	pid_t init = n->init;

	if (n == &w->nodes[SANDBOX])
		goes_out(w);
	(void)shell("ip link set n%d down", (int)init);
	if (n->daemon)
		(void)kill(n->daemon, SIGKILL);
	n->daemon = 0;
	shut_down_mounts(n);
	kill_everything(n);
	node_stop_nfsd(w, n);
	(void)kill(init, SIGKILL);
	while (kill(init, 0) == 0) {
		if (now_ms() > end)
			broken("node %s does not end: %s", n->name,
				slurp(0, "/proc/%d/stack", (int)init));
		nap(10);
	}
	(void)shell("ip link delete n%d 2>/dev/null; rm -rf /run/nodes/%s", (int)init, n->name);
	n->init = 0;
	n->frozen[0] = '\0';
}

void node_cut(struct world *w, bool cut)
{
	if (w->cut != cut && w->nodes[AGENT].init)
		(void)shell("ip link set n%d %s", (int)w->nodes[AGENT].init,
			cut ? "nomaster" : "master nodes");
	w->cut = cut;
	if (cut)
		goes_out(w);
}

static void count_rules(void *arg)
{
	int out = *(int *)arg;
	unsigned char ours = 0;
	struct nl_sock *s = nl_socket_alloc();
	struct nl_cache *rules;

	if (!s || nl_connect(s, NETLINK_ROUTE) < 0 ||
		rtnl_rule_alloc_cache(s, AF_UNSPEC, &rules) < 0)
		_exit(1);
	for (struct nl_object *o = nl_cache_get_first(rules); o; o = nl_cache_get_next(o)) {
		uint8_t protocol;

		ours += rtnl_rule_get_protocol((struct rtnl_rule *)o, &protocol) == 0 &&
			protocol == RULE_PROTO;
	}
	_exit(write(out, &ours, 1) != 1);
}

unsigned node_rules(const struct node *n)
{
	int pipes[2];
	unsigned char ours = 255;

	if (pipe2(pipes, O_CLOEXEC) < 0)
		return 0;
	(void)node_spawn(n, count_rules, &pipes[1]);
	(void)close(pipes[1]);
	if (read(pipes[0], &ours, 1) != 1)
		ours = 255;
	(void)close(pipes[0]);
	return ours;
}
