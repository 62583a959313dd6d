/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Build tool: compiles the built-in filters for every architecture into headers, once libseccomp
 * has confirmed them.
 *
 * The programs come from policy.c, not from libseccomp: a build with libseccomp 2.5 would lack
 * every call that it has no name for, more so for the foreign architecture, and programs that
 * differ with the library's version can't be reviewed. libseccomp is the second opinion instead: it
 * must know each number as our table has it, and its own program (binary tree) of the same policy
 * must decide the same. Where they differ the build stops.
 */
#include "seccomp/gen.h"
#include "seccomp/profiles/profiles.h"

#include "mountd/base/cleanup.h"

#include <string.h>

static const char *const filter_names[N_FILTERS] = {"strict", "dev", "guard"};

static void write_program(
	FILE *f, const char *arch, const char *name, const struct sock_filter *prog, size_t len)
{
	fprintf(f, "\nstatic const struct sock_filter seccomp_%s_%s[] = {\n", arch, name);
	for (size_t i = 0; i < len; i++)
		fprintf(f, "\t{0x%02x, %u, %u, 0x%08x},\n", prog[i].code, prog[i].jt, prog[i].jf,
			prog[i].k);
	fprintf(f, "};\n");
}

static int add_filter(FILE *f, enum seccomp_arch arch, enum seccomp_filter filter)
{
	_cleanup_free_ struct sock_filter *prog = NULL;
	struct seccomp_policy policy;
	size_t len = 0;

	int r = seccomp_profile_policy(filter, arch, &policy);
	if (r < 0)
		return r;
	r = seccomp_policy_compile(&policy, &prog, &len);
	if (r >= 0)
		r = gen_confirm(&policy, filter_names[filter], prog, len);
	seccomp_policy_done(&policy);
	if (r >= 0)
		write_program(f, seccomp_arch_name(arch), filter_names[filter], prog, len);
	return r;
}

static int write_header(const char *folder, enum seccomp_arch arch)
{
	char path[4096];

	(void)snprintf(path, sizeof(path), "%s/filters_%s.h", folder, seccomp_arch_name(arch));
	_cleanup_fclose_ FILE *f = fopen(path, "we");
	if (!f)
		return -errno;
	fprintf(f,
		"/* SPDX-License-Identifier: Apache-2.0 */\n"
		"/* Filters for %s, written by the build: see seccomp/gen.c. */\n"
		"#pragma once\n\n#include <linux/filter.h>\n",
		seccomp_arch_name(arch));
	for (enum seccomp_filter i = 0; i < N_FILTERS; i++) {
		int r = add_filter(f, arch, i);
		if (r < 0)
			return r;
	}
	return fflush(f) || ferror(f) ? -EIO : 0;
}

/* Each call is in exactly one group, and the groups name nothing else. */
static int check_groups(void)
{
	unsigned named = 0;

	for (size_t i = 0; i < seccomp_group_count; i++) {
		_cleanup_free_ char *calls = strdup(seccomp_groups[i].calls);
		char *state = NULL;
		if (!calls)
			return -ENOMEM;
		for (char *c = strtok_r(calls, " ", &state); c; c = strtok_r(NULL, " ", &state)) {
			named++;
			if (syscall_by_name(c) && seccomp_group_of(c) == &seccomp_groups[i])
				continue;
			fprintf(stderr, "gen: group %s: %s is unknown or in an earlier group\n",
				seccomp_groups[i].name, c);
			return -EINVAL;
		}
	}
	for (unsigned i = 0; i < syscall_count; i++)
		if (!seccomp_group_of(syscall_table[i].name))
			fprintf(stderr, "gen: %s is in no group\n", syscall_table[i].name);
	return named == syscall_count ? 0 : -EINVAL;
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
		return 2;
	}
	int r = check_groups();
	for (enum seccomp_arch a = 0; r >= 0 && a < SECCOMP_N_ARCHES; a++) {
		r = gen_confirm_numbers(a);
		if (r >= 0)
			r = write_header(argv[1], a);
	}
	if (r < 0)
		fprintf(stderr, "gen: %s\n", strerror(-r));
	return r < 0;
}
