/* SPDX-License-Identifier: Apache-2.0 */
/* The control socket of a node's daemon, reached through its root directory. */
#include <jansson.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "tests/soak/soak.h"

#define INSIST_MS 30000

static int reach(const struct node *n)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	struct timeval limit = {.tv_sec = 10};
	int s = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	(void)snprintf(address.sun_path, sizeof address.sun_path,
		"/proc/%d/root/run/kora-sandbox-mount/control.sock", (int)n->init);
	(void)setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
	if (connect(s, (struct sockaddr *)&address, sizeof address) == 0)
		return s;
	(void)close(s);
	return -1;
}

static json_t *receive(int s)
{
	static char packet[65536];
	ssize_t n = recv(s, packet, sizeof packet, 0);

	return n > 0 ? json_loadb(packet, (size_t)n, 0, NULL) : NULL;
}

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

/* Calls each item; the last packet's verdict. */
static bool talk(const struct node *n, const char *request, char *text, size_t size, bool items)
{
	int s = reach(n);
	size_t used = 0;
	bool good = false;
	json_t *packet;

	text[0] = '\0';
	if (s < 0 || send(s, request, strlen(request), MSG_NOSIGNAL) < 0) {
		(void)snprintf(text, size, "the daemon does not answer");
		if (s >= 0)
			(void)close(s);
		return false;
	}
	while ((packet = receive(s))) {
		const json_t *item = json_object_get(packet, "item");

		if (item && items && used < size)
			used += (size_t)snprintf(text + used, size - used, "%s %s %s %s %s\n",
				text_of(item, "run"), text_of(item, "role"),
				text_of(item, "incarnation"), text_of(item, "state"),
				text_of(item, "fault"));
		good = json_is_true(json_object_get(packet, "ok"));
		if (!item && !good)
			(void)snprintf(text, size, "%s", text_of(packet, "message"));
		json_decref(packet);
		if (!item)
			break;
	}
	(void)close(s);
	return good;
}

bool control_ask(const struct node *n, const char *request, char *ret_fault, size_t size)
{
	return talk(n, request, ret_fault, size, false);
}

bool control_insist(
	struct world *w, struct node *n, const char *request, char *ret_fault, size_t size)
{
	uint64_t end = now_ms() + INSIST_MS;

	while (!control_ask(n, request, ret_fault, size)) {
		if (!w->harm || !w->harm->excuses(w, n, false) || now_ms() > end)
			return false;
		nap(50);
		node_tend(w, n);
	}
	return true;
}

bool control_runs(const struct node *n, char *text, size_t size)
{
	return talk(n, "{\"verb\":\"runs\"}", text, size, true);
}
