/* SPDX-License-Identifier: Apache-2.0 */
/* An NFSv4.2 client of no kernel: raw_client [-u] [-i UID] SERVER PORT ATTACK [ARG...]. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/vm/raw_client/attacks.h"

static const struct {
	const char *name;
	int (*run)(const struct attack *a);
} attacks[] = {
	{"walk", attack_walk},
	{"list", attack_list},
	{"handle", attack_handle},
	{"read", attack_read},
	{"write", attack_write},
	{"forge", attack_forge},
	{"inode", attack_inode},
	{"versions", attack_versions},
	{"flavors", attack_flavors},
	{"udp", attack_udp},
	{"oversized", attack_oversized},
	{"silence", attack_silence},
	{"garbage", attack_garbage},
	{"hold", attack_hold},
};

static int usage(void)
{
	(void)fprintf(stderr, "usage: raw_client [-u] [-i UID] SERVER PORT ATTACK [ARG...]\n"
			      "  -u      from a port that is not reserved\n"
			      "  -i UID  as that user, 0 by default\nattacks:");
	for (size_t i = 0; i < sizeof attacks / sizeof *attacks; i++)
		(void)fprintf(stderr, " %s", attacks[i].name);
	(void)fprintf(stderr, "\n");
	return 2;
}

int main(int argc, char **argv)
{
	struct attack a = {.target.reserved = true};
	int option;

	while ((option = getopt(argc, argv, "+ui:")) != -1)
		if (option == 'u')
			a.target.reserved = false;
		else if (option == 'i')
			a.uid = (uint32_t)strtoul(optarg, NULL, 10);
		else
			return usage();
	argc -= optind;
	argv += optind;
	if (argc < 3)
		return usage();
	a.target.server = argv[0];
	a.target.port = argv[1];
	a.n = argc - 3;
	a.args = argv + 3;
	for (size_t i = 0; i < sizeof attacks / sizeof *attacks; i++)
		if (strcmp(argv[2], attacks[i].name) == 0)
			return attacks[i].run(&a);
	return usage();
}
