/* SPDX-License-Identifier: Apache-2.0 */
/* What a policy decides, straight from its rules: the compiler's programs must decide the same. */
#pragma once

#include "seccomp/policy.h"

static inline bool reference_holds(const struct policy_arg *a, const struct seccomp_data *data)
{
	uint64_t v = data->args[a->index] & a->mask;

	switch (a->op) {
	case POLICY_EQ:
		return v == a->value;
	case POLICY_NE:
		return v != a->value;
	case POLICY_GT:
		return v > a->value;
	case POLICY_GE:
		return v >= a->value;
	case POLICY_LT:
		return v < a->value;
	default:
		return v <= a->value;
	}
}

static inline uint32_t reference_decide(
	const struct seccomp_policy *p, const struct seccomp_data *data)
{
	const struct policy_rule *r = NULL;
	uint32_t nr = (uint32_t)data->nr;

	if (data->arch != seccomp_arch_audit(p->arch))
		return SECCOMP_RET_KILL_PROCESS;
	if (p->arch == SECCOMP_X86_64 && nr & SECCOMP_X32_BIT && nr != UINT32_MAX)
		return SECCOMP_RET_KILL_PROCESS;
	if (nr >= POLICY_NUMBERS)
		return p->beyond;
	while ((r = seccomp_policy_next_rule(p, data->nr, r))) {
		size_t held = 0;
		while (held < r->n_args && reference_holds(&r->args[held], data))
			held++;
		if (held == r->n_args)
			return r->action;
	}
	return p->numbers[nr];
}

/* What the kernel asks of a program before it takes it, but for its instructions being known. */
static inline bool reference_loadable(const struct sock_filter *prog, size_t len)
{
	if (!len || len > BPF_MAXINSNS || prog[len - 1].code != (BPF_RET | BPF_K))
		return false;
	for (size_t i = 0; i < len; i++) {
		size_t far = 0;
		if (BPF_CLASS(prog[i].code) == BPF_JMP)
			far = prog[i].code == (BPF_JMP | BPF_JA) ? prog[i].k
			      : prog[i].jt > prog[i].jf		 ? prog[i].jt
								 : prog[i].jf;
		if (far >= len - i - 1 && BPF_CLASS(prog[i].code) != BPF_RET)
			return false;
	}
	return true;
}
