/* SPDX-License-Identifier: Apache-2.0 */
/* The built-in profiles as tables: groups of calls, each with its reason, and rules on arguments.
 */
#pragma once

#include "seccomp/policy.h"
#include "seccomp/seccomp.h"

/* Errno is negative here; one of these is the fate of a group in a profile. */
enum seccomp_fate {
	FATE_ALLOW, /* but for what the rules refuse */
	FATE_EPERM,
	FATE_ENOSYS,
	FATE_ARGS, /* EPERM, but for what the rules allow */
};

struct seccomp_group {
	const char *name;
	enum seccomp_fate strict;
	enum seccomp_fate dev;
	const char *reason;
	const char *calls; /* names, separated by spaces */
};

enum seccomp_filter {
	FILTER_STRICT,
	FILTER_DEV,
	FILTER_GUARD, /* the deny filter below an OCI profile; the built-in ones contain it */
	N_FILTERS,
};

#define IN_STRICT (1u << FILTER_STRICT)
#define IN_DEV	  (1u << FILTER_DEV)
#define IN_GUARD  (1u << FILTER_GUARD)

/*
 * Every comparison is (argument & mask) == value with a mask of 32 bits: the kernel ignores the
 * upper half of these arguments, so a filter that looks at it can be passed by setting a bit there.
 */
struct seccomp_rule {
	unsigned filters;
	enum seccomp_fate fate;
	const char *call;
	const char *text;
	struct {
		uint8_t index;
		uint32_t mask;
		uint32_t value;
	} args[3]; /* mask 0: the list ends */
};

extern const struct seccomp_group seccomp_groups[];
extern const size_t seccomp_group_count;
extern const struct seccomp_rule seccomp_rules[];
extern const size_t seccomp_rule_count;

/* NULL for a call that is in no group. */
const struct seccomp_group *seccomp_group_of(const char *call);

/* The filter's policy. -ENOMEM, or -EINVAL when the tables contradict themselves. */
int seccomp_profile_policy(
	enum seccomp_filter filter, enum seccomp_arch arch, struct seccomp_policy *ret);
