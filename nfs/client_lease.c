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

static void take_in(struct client_lease *l, unsigned over_s)
{
	if (!l->told || over_s < l->over_s)
		l->over_s = over_s;
	l->told = true;
	l->at = LEASE_ELSEWHERE;
}

void client_lease_line(struct client_lease *l, const char *line)
{
	static const char opts[] = "\topts:", over[] = ",lease_expired=";
	const char *at;

	if (strncmp(line, device, sizeof device - 1) == 0)
		l->at = is_from(line + sizeof device - 1, l->server) ? LEASE_OF_SERVER
								     : LEASE_ELSEWHERE;
	else if (l->at == LEASE_OF_SERVER && strncmp(line, opts, sizeof opts - 1) == 0)
		l->at = has_port(line, l->port) ? LEASE_OF_PORT : LEASE_ELSEWHERE;
	else if (l->at == LEASE_OF_PORT && (at = strstr(line, over)))
		take_in(l, (unsigned)strtoul(at + sizeof over - 1, NULL, 10));
}

unsigned client_lease_over_s(const struct addr *server, uint16_t port)
{
	_cleanup_fclose_ FILE *file = fopen("/proc/self/mountstats", "re");
	struct client_lease lease = {.server = server, .port = port};
	_cleanup_free_ char *line = NULL;
	size_t size = 0;

	while (file && !(lease.told && lease.over_s == 0) && getline(&line, &size, file) >= 0)
		client_lease_line(&lease, line);
	return lease.over_s;
}
