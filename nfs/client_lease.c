/* SPDX-License-Identifier: Apache-2.0 */
/* The lease that this node's NFS client holds at a server. */
#include "nfs/client_lease.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mountd/base/cleanup.h"

static const char device[] = "device ";

/* "device [fd20::1]:/workspaces/…" */
static bool is_from(const char *source, const struct addr *server)
{
	bool v6 = server->family == AF_INET6;
	char addr[ADDR_TEXT_SIZE], text[ADDR_TEXT_SIZE + 4];

	addr_format(server, addr);
	(void)snprintf(text, sizeof text, "%s%s%s:/", v6 ? "[" : "", addr, v6 ? "]" : "");
	return strncmp(source, text, strlen(text)) == 0;
}

static bool has_port(const char *line, uint16_t port)
{
	static const char key[] = ",port=";
	const char *at = strstr(line, key);

	return at && strtoul(at + sizeof key - 1, NULL, 10) == port;
}

static void take_in(struct client_lease_walk *w, unsigned length_s, unsigned over_s)
{
	if (!w->best.length_s || over_s < w->best.over_s)
		w->best = (struct client_lease){length_s, over_s};
}

void client_lease_line(struct client_lease_walk *w, const char *line)
{
	static const char opts[] = "\topts:", lease[] = ",lease_time=";
	unsigned length_s, over_s;
	const char *at;

	if (strncmp(line, device, sizeof device - 1) == 0)
		w->at = is_from(line + sizeof device - 1, w->server) ? LEASE_OF_SERVER
								     : LEASE_ELSEWHERE;
	else if (w->at == LEASE_OF_SERVER && strncmp(line, opts, sizeof opts - 1) == 0)
		w->at = has_port(line, w->port) ? LEASE_OF_PORT : LEASE_ELSEWHERE;
	else if (w->at == LEASE_OF_PORT && (at = strstr(line, lease)) &&
		 sscanf(at, ",lease_time=%u,lease_expired=%u", &length_s, &over_s) == 2)
		take_in(w, length_s, over_s);
}

struct client_lease client_lease_read(const struct addr *server, uint16_t port)
{
	_cleanup_fclose_ FILE *file = fopen("/proc/self/mountstats", "re");
	struct client_lease_walk walk = {.server = server, .port = port};
	_cleanup_free_ char *line = NULL;
	size_t size = 0;

	while (file && !(walk.best.length_s && walk.best.over_s == 0) &&
		getline(&line, &size, file) >= 0)
		client_lease_line(&walk, line);
	return walk.best;
}
