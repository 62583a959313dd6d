/* SPDX-License-Identifier: Apache-2.0 */
/* getopt_long over the table of keys. */
#include "harden/options.h"

#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "harden/keys.h"

#define MAX_KEYS 64
#define FIRST	 256 /* option values above any character */

static void long_options(struct option *v)
{
	for (size_t i = 0; i < n_keys; i++)
		v[i] = (struct option){
			.name = keys[i].name,
			.has_arg = keys[i].arg ? required_argument : optional_argument,
			.val = FIRST + (int)i,
		};
	v[n_keys] = (struct option){0};
}

static int refused(const char *arg, int opt, struct fail *f)
{
	if (opt == ':')
		return fail_set(f, EINVAL, "option %s needs a value", arg);
	return fail_set(f, EINVAL, "unknown or ambiguous option %s (see --help)", arg);
}

static int apply_key(struct policy *p, size_t i, bool *seen, struct fail *f)
{
	struct fail why = {0};

	if (seen[i] && !keys[i].many)
		return fail_set(f, EINVAL, "option --%s is given twice", keys[i].name);
	seen[i] = true;
	int r = keys[i].set(p, optarg ? optarg : "yes", &why);

	if (r == -EINVAL)
		return fail_set(f, EINVAL, "--%s '%.200s': %s", keys[i].name,
			optarg ? optarg : "yes", why.text);
	return r < 0 ? fail_set(f, -r, "--%s: %s", keys[i].name, strerror(-r)) : 0;
}

static int walk(struct policy *p, int argc, char **argv, bool early, struct fail *f)
{
	struct option longs[MAX_KEYS];
	bool seen[MAX_KEYS] = {false};
	int opt;

	if (n_keys >= MAX_KEYS)
		return fail_set(f, ENOMEM, "more keys than MAX_KEYS");
	long_options(longs);
	optind = 0; /* also resets a scan that was begun */
	opterr = 0;
	while ((opt = getopt_long(argc, argv, "+:hv", longs, NULL)) != -1) {
		if (opt == '?' || opt == ':')
			return refused(argv[optind - 1], opt, f);
		if (opt == 'h' || opt == 'v') {
			*(opt == 'h' ? &p->help : &p->version) = true;
			continue;
		}
		size_t i = (size_t)(opt - FIRST);

		if (early && !keys[i].cmdline)
			continue;
		int r = apply_key(p, i, seen, f);

		if (r < 0)
			return r;
	}
	return 0;
}

int options_early(struct policy *p, int argc, char **argv, int *ret_program, struct fail *f)
{
	int r = walk(p, argc, argv, true, f);

	if (r == 0)
		*ret_program = optind;
	return r;
}

int options_apply(struct policy *p, int argc, char **argv, struct fail *f)
{
	return walk(p, argc, argv, false, f);
}

void options_help(FILE *out)
{
	(void)fputs("usage: kora-launch [options] [--] PROGRAM [ARGUMENT...]\n"
		    "       kora-launch verify [--pid PID] [-o table|json]\n"
		    "       kora-launch seccomp show|explain NAME\n"
		    "\n"
		    "Starts PROGRAM under the restricted posture and proves it from the inside.\n"
		    "Options are also keys of /etc/kora/launch.d/*.conf (key = value).\n"
		    "A switch takes =yes or =no.\n"
		    "\n",
		out);
	for (size_t i = 0; i < n_keys; i++) {
		char left[48];

		(void)snprintf(left, sizeof(left), "--%s%s%s", keys[i].name, keys[i].arg ? " " : "",
			keys[i].arg ? keys[i].arg : "");
		(void)fprintf(out, "  %-25s %s\n", left, keys[i].help);
	}
	(void)fputs(
		"\n"
		"Exit status: the program's; 124 the mount did not come in time; 125 the posture\n"
		"can't be enforced or a mistake in the options; 126 the program can't be\n"
		"executed; 127 it was not found.\n",
		out);
}
