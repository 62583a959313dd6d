/* SPDX-License-Identifier: Apache-2.0 */
/* What the generated programs of either architecture decide, and a count of what was checked. */
#pragma once

#include "seccomp/profiles/profiles.h"

#include "filters_aarch64.h"
#include "filters_x86_64.h"

#include <errno.h>
#include <linux/audit.h>
#include <stdio.h>
#include <string.h>

#define HIGHEST_TRIED 1200

struct program {
	const struct sock_filter *insns;
	size_t len;
};

#define PROGRAM(name) \
	{ \
		name, sizeof(name) / sizeof(name[0]) \
	}

static const struct program programs[SECCOMP_N_ARCHES][N_FILTERS] = {
	[SECCOMP_X86_64] = {PROGRAM(seccomp_x86_64_strict), PROGRAM(seccomp_x86_64_dev),
		PROGRAM(seccomp_x86_64_guard)},
	[SECCOMP_AARCH64] = {PROGRAM(seccomp_aarch64_strict), PROGRAM(seccomp_aarch64_dev),
		PROGRAM(seccomp_aarch64_guard)},
};

static unsigned passed, failed;

static inline uint32_t decide_data(
	enum seccomp_arch arch, enum seccomp_filter filter, const struct seccomp_data *data)
{
	const struct program *p = &programs[arch][filter];

	return bpf_eval(p->insns, p->len, data, NULL);
}

static inline uint32_t decide(
	enum seccomp_arch arch, enum seccomp_filter filter, uint32_t nr, const uint64_t args[3])
{
	struct seccomp_data data = {.nr = (int)nr, .arch = seccomp_arch_audit(arch)};

	memcpy(data.args, args, 3 * sizeof(args[0]));
	return decide_data(arch, filter, &data);
}

/* The filter looks at nothing but the number. */
static inline bool is_constant(enum seccomp_arch arch, enum seccomp_filter filter, uint32_t nr)
{
	const struct program *p = &programs[arch][filter];
	const struct seccomp_data data = {.nr = (int)nr, .arch = seccomp_arch_audit(arch)};
	bool args;

	(void)bpf_eval(p->insns, p->len, &data, &args);
	return !args;
}

static inline const char *word_of(uint32_t action)
{
	switch (action) {
	case SECCOMP_RET_ALLOW:
		return "allow";
	case SECCOMP_RET_ERRNO | EPERM:
		return "EPERM";
	case SECCOMP_RET_ERRNO | ENOSYS:
		return "ENOSYS";
	case SECCOMP_RET_KILL_PROCESS:
		return "kill";
	default:
		return "?";
	}
}

static inline void check(bool ok, const char *format, ...) __attribute__((format(printf, 2, 3)));

#include <stdarg.h>

static inline void check(bool ok, const char *format, ...)
{
	va_list ap;

	if (ok) {
		passed++;
		return;
	}
	failed++;
	va_start(ap, format);
	printf("FAIL ");
	vprintf(format, ap);
	printf("\n");
	va_end(ap);
}

static inline int finish(void)
{
	printf("%u passed, %u failed\n", passed, failed);
	return failed != 0;
}

/* Three arguments that the rule takes. */
static inline void witness(const struct policy_rule *r, uint64_t args[3])
{
	memset(args, 0, 3 * sizeof(args[0]));
	for (size_t i = 0; i < r->n_args; i++)
		args[r->args[i].index] = r->args[i].value;
}
