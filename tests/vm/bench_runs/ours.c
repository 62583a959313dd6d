/* SPDX-License-Identifier: Apache-2.0 */
/* Runs wished for through the control sockets of both daemons. */
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "mountd/base/cleanup.h"
#include "tests/vm/bench_runs/bench_runs.h"

#define PATIENCE_US   UINT64_C(900000000)
#define LOOK_EVERY_MS 50  /* of the very many: looking costs the time that is measured */
#define PART	      150 /* specs in a packet of 64 KiB */

static int reach(const struct node *n)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int s = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	(void)snprintf(address.sun_path, sizeof address.sun_path,
		"/proc/%d/root/run/kora-sandbox-mount/control.sock", (int)n->init);
	if (s < 0 || connect(s, (struct sockaddr *)&address, sizeof address) < 0)
		die("%s", address.sun_path);
	return s;
}

/* Sends a request; fails unless its last packet is "ok". Returns the number of items before. */
static unsigned ask(int s, const char *request)
{
	static char packet[65536 + 1];
	unsigned items = 0;

	if (send(s, request, strlen(request), MSG_NOSIGNAL) < 0)
		die("send");
	for (;;) {
		ssize_t n = recv(s, packet, sizeof packet - 1, 0);
		if (n <= 0)
			die("no answer");
		packet[n] = '\0';
		if (strncmp(packet, "{\"item\"", 7) != 0)
			break;
		items++;
	}
	if (!strstr(packet, "\"ok\":true") && !strstr(packet, "\"ok\": true"))
		die("%.200s: %s", request, packet);
	return items;
}

static int export_spec(char *text, size_t size, unsigned run)
{
	return snprintf(text, size,
		"{\"kind\":\"export\",\"run\":\"r%u\",\"incarnation\":\"one\",\"volume\":"
		"\"/workspaces/local\",\"folder\":\"r%u\",\"clients\":[\"" AGENT_ADDRESS
		"\"],\"uid\":%d,\"gid\":%d}",
		run, run, OWNER, OWNER);
}

static int mount_spec(char *text, size_t size, unsigned run)
{
	return snprintf(text, size,
		"{\"kind\":\"mount\",\"run\":\"r%u\",\"incarnation\":\"one\",\"server\":"
		"\"" SANDBOX_ADDRESS "\",\"volume\":\"/workspaces\",\"uid\":%d,\"gid\":%d}",
		run, OWNER, OWNER);
}

typedef int spec_fn(char *text, size_t size, unsigned run);

static void apply(int s, spec_fn *spec, unsigned run, unsigned wait_ms)
{
	char text[1024], request[1200];

	(void)spec(text, sizeof text, run);
	(void)snprintf(request, sizeof request, "{\"verb\":\"apply\",\"spec\":%s,\"wait_ms\":%u}",
		text, wait_ms);
	(void)ask(s, request);
}

/* As the watch does it. */
static void snapshot(int s, spec_fn *spec, unsigned first, unsigned n)
{
	static char text[65536];
	unsigned part = 0, done = 0;

	do {
		unsigned end = done + PART < n ? done + PART : n;
		size_t used = (size_t)snprintf(text, sizeof text,
			"{\"verb\":\"snapshot\",\"source\":\"bench\",\"part\":%u,\"complete\":%s,"
			"\"specs\":[",
			++part, end == n ? "true" : "false");
		for (unsigned i = done; i < end; i++) {
			used += (size_t)spec(text + used, sizeof text - used, first + i);
			text[used++] = i + 1 < end ? ',' : ' ';
		}
		(void)snprintf(text + used, sizeof text - used, "]}");
		(void)ask(s, text);
		done = end;
	} while (done < n);
}

/* Looks only when the mounts have changed, and not all the time then. */
static void watch(struct bench *b, int mountinfo)
{
	uint64_t end = now_us() + PATIENCE_US;

	for (unsigned left = b->n; left;) {
		struct pollfd p = {.fd = mountinfo, .events = POLLPRI};

		if (now_us() > end)
			die("%u of %u runs are not ready", left, b->n);
		(void)poll(&p, 1, 1000);
		for (unsigned i = 0; i < b->n; i++) {
			if (b->listed_us[i] || !is_listed(b->first + i))
				continue;
			listed(b, b->first + i);
			left--;
		}
		(void)poll(NULL, 0, LOOK_EVERY_MS);
	}
}

static int open_mountinfo(const struct node *n)
{
	char path[64];
	int fd;

	(void)snprintf(path, sizeof path, "/proc/%d/mountinfo", (int)n->init);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		die("%s", path);
	return fd;
}

void ours(struct bench *b)
{
	struct node sandbox, agent;
	_cleanup_close_ int to_sandbox = -1, to_agent = -1, mountinfo = -1;

	node_open("sandbox", &sandbox);
	node_open("agent", &agent);
	to_sandbox = reach(&sandbox);
	to_agent = reach(&agent);
	mountinfo = open_mountinfo(&agent);
	node_join_mounts(&agent);
	b->began_us = now_us();
	if (b->n == 1) {
		apply(to_sandbox, export_spec, b->first, 0);
		apply(to_agent, mount_spec, b->first, 60000);
		if (!is_listed(b->first))
			die("r%u is ready, and not listed", b->first);
		listed(b, b->first);
		return;
	}
	snapshot(to_sandbox, export_spec, b->first, b->n);
	snapshot(to_agent, mount_spec, b->first, b->n);
	watch(b, mountinfo);
}

static void release(int s, unsigned run)
{
	char request[128];

	(void)snprintf(request, sizeof request,
		"{\"verb\":\"release\",\"run\":\"r%u\",\"wait_ms\":60000}", run);
	(void)ask(s, request);
}

/* All of the source's at once; what was wished for otherwise stays. */
static void release_all(int s, unsigned n)
{
	uint64_t end = now_us() + PATIENCE_US;
	unsigned before = ask(s, "{\"verb\":\"runs\"}"), keep = before > n ? before - n : 0;

	snapshot(s, mount_spec, 0, 0);
	while (ask(s, "{\"verb\":\"runs\"}") > keep) {
		if (now_us() > end)
			die("runs do not end");
		(void)poll(NULL, 0, 200);
	}
}

void ours_end(struct bench *b)
{
	struct node sandbox, agent;
	_cleanup_close_ int to_sandbox = -1, to_agent = -1;

	node_open("sandbox", &sandbox);
	node_open("agent", &agent);
	to_sandbox = reach(&sandbox);
	to_agent = reach(&agent);
	if (b->n == 1) {
		release(to_agent, b->first);
		release(to_sandbox, b->first);
	} else {
		release_all(to_agent, b->n);
		release_all(to_sandbox, b->n);
	}
}
