/* SPDX-License-Identifier: Apache-2.0 */
/* Whether this node's NFS client still has anything to do with a server. */
#include "nfs/client_state.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "mountd/base/cleanup.h"

static void format_key(const struct addr *server, uint16_t port, char *text, size_t size)
{
	size_t length = server->family == AF_INET ? 4 : 16;
	char hex[33];

	for (size_t i = 0; i < length; i++)
		(void)snprintf(hex + 2 * i, 3, "%02x", server->bytes[i]);
	(void)snprintf(text, size, "v4 %s %4x ", hex, port);
}

bool client_state_names(const char *text, const struct addr *server, uint16_t port)
{
	char key[64];

	format_key(server, port, key, sizeof key);
	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, key, strlen(key)) == 0)
			return true;
	}
	return false;
}

int client_state_holds(const struct addr *server, uint16_t port)
{
	_cleanup_fclose_ FILE *file = fopen("/proc/fs/nfsfs/servers", "re");
	_cleanup_free_ char *line = NULL;
	size_t size = 0;

	if (!file)
		return errno == ENOENT ? 0 : -errno;
	while (getline(&line, &size, file) >= 0)
		if (client_state_names(line, server, port))
			return 1;
	return ferror(file) ? -EIO : 0;
}
