/* SPDX-License-Identifier: Apache-2.0 */
/* What a filter shall decide, and its compilation to BPF. */
#pragma once

#include "seccomp/syscalls.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>

#define POLICY_NUMBERS 512

/* Comparisons of (argument & mask) with value, unsigned. */
enum policy_op {
	POLICY_EQ,
	POLICY_NE,
	POLICY_GT,
	POLICY_GE,
	POLICY_LT,
	POLICY_LE,
};

struct policy_arg {
	uint8_t index; /* 0..5 */
	enum policy_op op;
	uint64_t mask;
	uint64_t value;
};

/* All of args hold (none: always): the call's fate is action. */
struct policy_rule {
	int nr;
	uint32_t action; /* SECCOMP_RET_* with its data */
	uint8_t n_args;
	struct policy_arg args[6];
};

/*
 * The rules of a number are tried in the order in which they were added; where none holds, and for
 * numbers without rules, numbers[nr] decides, and beyond for POLICY_NUMBERS and above. A foreign
 * architecture and x32 kill the process, whatever the policy.
 */
struct seccomp_policy {
	enum seccomp_arch arch;
	uint32_t beyond;
	uint32_t numbers[POLICY_NUMBERS];
	struct policy_rule *rules;
	size_t n_rules;
};

/* Every number decides as action. */
void seccomp_policy_init(struct seccomp_policy *p, enum seccomp_arch arch, uint32_t action);
void seccomp_policy_done(struct seccomp_policy *p);

/* -ENOMEM. */
int seccomp_policy_add(struct seccomp_policy *p, const struct policy_rule *rule);
const struct policy_rule *seccomp_policy_next_rule(
	const struct seccomp_policy *p, int nr, const struct policy_rule *prev);

/*
 * The program, at most BPF_MAXINSNS instructions, as a binary search over the numbers. Owned by the
 * caller (free). -E2BIG, -ENOMEM.
 */
int seccomp_policy_compile(
	const struct seccomp_policy *p, struct sock_filter **ret, size_t *ret_len);

/* What a program says about a call; *ret_args (may be NULL): it looked at the arguments. */
uint32_t bpf_eval(const struct sock_filter *prog, size_t len, const struct seccomp_data *data,
	bool *ret_args);

/* What the kernel does with the answers of two stacked programs; newer wins a tie. */
uint32_t bpf_combine(uint32_t older, uint32_t newer);
