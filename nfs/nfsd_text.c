/* SPDX-License-Identifier: Apache-2.0 */
/* The texts that nfsd and its sockets show. */
#include "nfs/nfsd_text.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#define STATE_LISTEN 0x0A /* TCP_LISTEN in /proc/net/tcp's fourth column */

/* Copies one line (cut when longer than the buffer) and moves on; false at the end. */
static bool next_line(const char **text, char *line, size_t size)
{
	size_t length = strcspn(*text, "\n");
	size_t kept = length < size ? length : size - 1;

	if (!**text)
		return false;
	memcpy(line, *text, kept);
	line[kept] = '\0';
	*text += length + ((*text)[length] == '\n');
	return true;
}

int nfsd_portlist_next(const char **text, struct nfsd_port *ret)
{
	char line[64];

	while (next_line(text, line, sizeof line)) {
		struct nfsd_port port = {0};
		if (sscanf(line, "%15s %" SCNu16, port.transport, &port.port) != 2)
			continue;
		*ret = port;
		return 1;
	}
	return 0;
}

/* Words of 32 bits in the host's order, each printed as one number. */
static int parse_address(const char *hex, struct addr *ret)
{
	struct sockaddr_in in = {.sin_family = AF_INET};
	struct sockaddr_in6 in6 = {.sin6_family = AF_INET6};
	uint32_t w[4];

	if (strlen(hex) == 8 && sscanf(hex, "%8" SCNx32, &w[0]) == 1) {
		memcpy(&in.sin_addr, w, 4);
		return addr_from_sockaddr((const struct sockaddr *)&in, ret);
	}
	if (strlen(hex) == 32 && sscanf(hex, "%8" SCNx32 "%8" SCNx32 "%8" SCNx32 "%8" SCNx32, &w[0],
					 &w[1], &w[2], &w[3]) == 4) {
		memcpy(&in6.sin6_addr, w, 16);
		return addr_from_sockaddr((const struct sockaddr *)&in6, ret);
	}
	return -EINVAL;
}

int proc_tcp_next(const char **text, struct listener *ret)
{
	char line[256], hex[33];
	unsigned port, state;

	while (next_line(text, line, sizeof line)) {
		if (sscanf(line, " %*u: %32[0-9A-Fa-f]:%4x %*[0-9A-Fa-f]:%*x %2x", hex, &port,
			    &state) != 3 ||
			state != STATE_LISTEN || parse_address(hex, &ret->addr) < 0)
			continue;
		ret->port = (uint16_t)port;
		return 1;
	}
	return 0;
}

/* address: "10.20.0.2:921" or "[fd20::2]:921". The client's own texts come on later lines. */
int nfsd_client_address(const char *info, struct addr *ret)
{
	static const char key[] = "address: \"";
	char line[256], text[ADDR_TEXT_SIZE];

	while (next_line(&info, line, sizeof line)) {
		if (strncmp(line, key, sizeof key - 1) != 0)
			continue;
		if (sscanf(line + sizeof key - 1, "[%45[0-9a-fA-F:.]]:", text) != 1 &&
			sscanf(line + sizeof key - 1, "%45[0-9.]:", text) != 1)
			return -EINVAL;
		return addr_parse(text, ret);
	}
	return -EINVAL;
}

/* What is not plain is printed with backslashes. */
static void take_name(const char *text, struct nfsd_client *client)
{
	size_t length = strlen(text);

	if (length < 3 || length - 2 >= sizeof client->name || text[0] != '"' ||
		text[length - 1] != '"' || strchr(text, '\\'))
		return;
	memcpy(client->name, text + 1, length - 2);
	client->name[length - 2] = '\0';
}

int nfsd_client_parse(const char *info, struct nfsd_client *ret)
{
	struct nfsd_client client = {.quiet_seconds = UINT_MAX};
	int error = nfsd_client_address(info, &client.addr);
	unsigned revoked;
	char line[256];

	if (error < 0)
		return error;
	while (next_line(&info, line, sizeof line)) {
		if (strcmp(line, "status: confirmed") == 0 || strcmp(line, "status: courtesy") == 0)
			client.confirmed = true;
		else if (strcmp(line, "callback state: FAULT") == 0)
			client.recall_failed = true;
		else if (strncmp(line, "name: ", 6) == 0)
			take_name(line + 6, &client);
		else if (sscanf(line, "admin-revoked states: %u", &revoked) == 1)
			client.holds_revoked = revoked > 0;
		else if (client.quiet_seconds == UINT_MAX)
			(void)sscanf(line, "seconds from last renew: %u", &client.quiet_seconds);
	}
	*ret = client;
	return 0;
}

/*
 * A file name, which is printed raw, comes after the superblock, so it can forge further lines
 * but never hide one.
 */
int nfsd_states_next(const char **text, struct nfsd_state *ret)
{
	static const char key[] = "superblock: \"";
	char line[1024];

	while (next_line(text, line, sizeof line)) {
		struct nfsd_state state = {0};
		const char *at = strncmp(line, "- 0x", 4) == 0 ? strstr(line, key) : NULL;
		if (!at || sscanf(at + sizeof key - 1, "%x:%x:%" SCNu64, &state.major, &state.minor,
				   &state.inode) != 3)
			continue;
		*ret = state;
		return 1;
	}
	return 0;
}
