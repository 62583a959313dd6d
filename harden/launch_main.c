/* SPDX-License-Identifier: Apache-2.0 */
/* kora-launch: start a program under a restricted posture and prove it from the inside. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "harden/config.h"
#include "harden/execute.h"
#include "harden/launch.h"
#include "harden/options.h"
#include "harden/policy.h"
#include "harden/posture.h"
#include "mountd/base/cleanup.h"
#include "seccomp/seccomp.h"

#ifndef KORA_VERSION
#define KORA_VERSION "unversioned"
#endif

extern char **environ;

static int read_policy(struct policy *p, int argc, char **argv, int *program, struct fail *f)
{
	int r = options_early(p, argc, argv, program, f);

	if (r < 0 || p->help || p->version)
		return r;
	r = config_load(p, f);
	if (r == 0)
		r = options_apply(p, argc, argv, f);
	if (r == 0)
		r = policy_check(p, f);
	if (r == 0 && *program == argc)
		r = fail_set(f, EINVAL, "no program is named (see --help)");
	return r;
}

int main(int argc, char **argv)
{
	_cleanup_(policy_done) struct policy p;
	struct fail f = {0};
	int program = 0;

	if (argc > 1 && strcmp(argv[1], "verify") == 0)
		return posture_main(argc - 1, argv + 1);
	if (argc > 1 && strcmp(argv[1], "seccomp") == 0)
		return seccomp_main(argc - 1, argv + 1);
	if (policy_init(&p) < 0)
		return EXIT_POSTURE;
	if (read_policy(&p, argc, argv, &program, &f) < 0) {
		(void)fprintf(stderr, "kora-launch: %s\n", f.text);
		return EXIT_POSTURE;
	}
	if (p.help) {
		options_help(stdout);
		return 0;
	}
	if (p.version) {
		(void)printf("kora-launch %s\n", KORA_VERSION);
		return 0;
	}
	return launch(&p, argv + program, environ);
}
