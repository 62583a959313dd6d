/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of this network namespace's NFS client: read, and taken line by line. */
#include "nfs/client_table.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "mountd/base/cleanup.h"

int client_table_read(const char *path, char **ret)
{
	_cleanup_fclose_ FILE *file = fopen(path, "re");
	_cleanup_free_ char *text = NULL;
	size_t size = 0;

	if (!file)
		return -errno;
	/* No NUL is in it, so this reads all. */
	if (getdelim(&text, &size, '\0', file) < 0)
		return ferror(file) && errno ? -errno : -EIO;
	*ret = TAKE_PTR(text);
	return 0;
}

/* As mounts are named: an address that means this one wherever it is written. */
static bool parse_address(const char *hex, struct addr *ret)
{
	size_t length = strlen(hex);
	struct addr addr = {.family = length == 8 ? AF_INET : AF_INET6}, parsed;
	char text[ADDR_TEXT_SIZE];

	if (length != 8 && length != 32)
		return false;
	for (size_t i = 0; i < length / 2; i++)
		if (sscanf(hex + 2 * i, "%2hhx", &addr.bytes[i]) != 1)
			return false;
	addr_format(&addr, text);
	if (addr_parse(text, &parsed) < 0 || !addr_equal(&addr, &parsed))
		return false;
	*ret = addr;
	return true;
}

static bool parse_line(const char *line, struct client_line *ret)
{
	unsigned port;
	char hex[34];
	int length = 0;

	if (sscanf(line, "v4 %33[0-9a-f] %4x %n", hex, &port, &length) != 2 || !length ||
		!parse_address(hex, &ret->server))
		return false;
	ret->port = (uint16_t)port;
	ret->rest = line + length;
	return true;
}

bool client_table_next(const char **table, struct client_line *ret)
{
	while (*table && **table) {
		const char *line = *table, *end = strchr(line, '\n');

		*table = end ? end + 1 : NULL;
		if (parse_line(line, ret))
			return true;
	}
	return false;
}
