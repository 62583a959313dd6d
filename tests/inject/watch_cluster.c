/* SPDX-License-Identifier: Apache-2.0 */
/* The API server's process and words; the watches' processes and answers. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "tests/inject/watch.h"

#define PATIENCE_MS 60000
#define ANSWER_S    20

struct cluster cluster;

static int reach(const char *address, uint16_t port)
{
	struct sockaddr_in name = {.sin_family = AF_INET, .sin_port = htons(port)};
	struct timeval limit = {.tv_sec = ANSWER_S};
	int s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	(void)inet_pton(AF_INET, address, &name.sin_addr);
	(void)setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
	(void)setsockopt(s, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
	if (connect(s, (struct sockaddr *)&name, sizeof name) == 0)
		return s;
	(void)close(s);
	return -1;
}

/* Until the text's end or the line's. */
static size_t receive(int s, char *text, size_t size)
{
	size_t used = 0;
	ssize_t n;

	while (used + 1 < size && (n = recv(s, text + used, size - used - 1, 0)) > 0) {
		used += (size_t)n;
		if (text[used - 1] == '\n')
			break;
	}
	text[used] = '\0';
	return used;
}

const char *cluster_word(const char *format, ...)
{
	static char answer[8192];
	char word[256];
	va_list args;
	int s = reach("127.0.0.1", API_PORT + 1);
	size_t n;

	va_start(args, format);
	n = (size_t)vsnprintf(word, sizeof word - 1, format, args);
	va_end(args);
	word[n] = '\n';
	if (s < 0 || send(s, word, n + 1, MSG_NOSIGNAL) < 0 ||
		receive(s, answer, sizeof answer) == 0)
		broken("the API server does not answer '%.*s'", (int)n, word);
	(void)close(s);
	answer[strcspn(answer, "\n")] = '\0';
	if (strncmp(answer, "ERROR", 5) == 0)
		broken("%.*s: %s", (int)n, word, answer);
	return answer;
}

void cluster_begin(void)
{
	uint64_t end = now_ms() + PATIENCE_MS;

	if (shell("ip address add " API_ADDRESS "/24 dev nodes && mkdir -p /run/cluster && "
		  "{ setsid /usr/lib/kora-test/cluster /run/cluster " API_ADDRESS
		  " %d >/run/cluster/log 2>&1 </dev/null & }",
		    API_PORT) != 0)
		broken("the API server cannot be started");
	while (access("/run/cluster/ready", F_OK) < 0) {
		if (now_ms() > end)
			broken("the API server does not start: %s", slurp(0, "/run/cluster/log"));
		nap(20);
	}
}

unsigned watch_status(size_t node, const char *path)
{
	char text[512] = "";
	unsigned status = 0;
	int s = reach(node == SANDBOX ? "10.20.0.1" : "10.20.0.2", WATCH_PORT);

	if (s < 0)
		return 0;
	(void)snprintf(text, sizeof text, "GET %s HTTP/1.0\r\n\r\n", path);
	if (send(s, text, strlen(text), MSG_NOSIGNAL) > 0 && receive(s, text, sizeof text) > 0)
		(void)sscanf(text, "HTTP/%*s %u", &status);
	(void)close(s);
	return status;
}

static void exec_watch(void *arg)
{
	const struct node *n = arg;
	bool is_sandbox = strcmp(n->name, "sandbox") == 0;
	int log = open("/var/log/kora-sandbox-watch.log", O_WRONLY | O_CREAT | O_APPEND, 0644);
	int null = open("/dev/null", O_RDWR);
	char server[64], http[32];

	(void)dup2(null, 0);
	(void)dup2(log, 1);
	(void)dup2(log, 2);
	(void)close(null);
	(void)close(log);
	(void)snprintf(server, sizeof server, "https://" API_ADDRESS ":%d", API_PORT);
	(void)snprintf(
		http, sizeof http, "%s:%d", is_sandbox ? "10.20.0.1" : "10.20.0.2", WATCH_PORT);
	(void)execlp("kora-sandbox-watch", "kora-sandbox-watch", "--node", n->name, "--server",
		server, "--http", http, "--token-file", "/root/token", "--ca-file", "/root/ca.crt",
		"--kubelet-dir", "/workspaces/kubelet", "--workspace-root", "/workspaces",
		(char *)NULL);
	_exit(127);
}

static void launch(const struct world *w, size_t node)
{
	cluster.watches[node] =
		trace(cluster.plan, &w->nodes[node], exec_watch, (void *)&w->nodes[node]);
}

static bool has_ended(size_t node)
{
	return kill(cluster.watches[node], 0) < 0;
}

void watch_tend(const struct world *w, size_t node)
{
	const struct node *n = &w->nodes[node];

	if (!has_ended(node))
		return;
	if (!plan_excuses(cluster.plan, n, true))
		broken("step %u: the watch of %s has ended", w->step, n->name);
	watch_start(w, node);
}

void watch_start(const struct world *w, size_t node)
{
	const struct node *n = &w->nodes[node];
	uint64_t end = now_ms() + PATIENCE_MS;

	launch(w, node);
	while (watch_status(node, "/healthz") != 200) {
		bool ended = has_ended(node);

		if ((ended && !plan_excuses(cluster.plan, n, true)) || now_ms() > end)
			broken("step %u: the watch of %s did not start", w->step, n->name);
		if (ended)
			launch(w, node);
		nap(20);
	}
}

void watch_kill(const struct world *w, size_t node, int signal)
{
	uint64_t end = now_ms() + PATIENCE_MS;

	(void)kill(cluster.watches[node], signal);
	while (!has_ended(node)) {
		if (now_ms() > end)
			broken("step %u: the watch of %s does not end after signal %d", w->step,
				w->nodes[node].name, signal);
		nap(5);
	}
}
