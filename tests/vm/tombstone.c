/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the tombstone by hand: tombstone serve ADDRESS PORT (until standard input ends), tombstone
 * sweep. */
#include "nfs/tombstone.h"
#include "mountd/base/parse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int complain(const struct kerr *e)
{
	char text[600];

	kerr_format(e, text, sizeof text);
	(void)fprintf(stderr, "%s\n", text);
	return 1;
}

int main(int argc, char **argv)
{
	struct kerr e = {0};
	struct addr server;
	uint64_t port;

	if (argc == 2 && strcmp(argv[1], "sweep") == 0)
		return tombstone_sweep(&e) < 0 ? complain(&e) : 0;
	if (argc != 4 || strcmp(argv[1], "serve") != 0 || addr_parse(argv[2], &server) < 0 ||
		parse_unsigned(argv[3], 1, 65535, &port) < 0) {
		(void)fprintf(stderr, "usage: tombstone serve ADDRESS PORT | sweep\n");
		return 2;
	}
	return tombstone_serve(&server, (uint16_t)port, STDIN_FILENO, &e) < 0 ? complain(&e) : 0;
}
