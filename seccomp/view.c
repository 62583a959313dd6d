/* SPDX-License-Identifier: Apache-2.0 */
/* Asks the programs what they decide, and the tables why. */
#include "seccomp/show.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int view_open(struct view *v, enum seccomp_profile p, const struct seccomp_program *oci,
	const char *title)
{
	*v = (struct view){.title = title, .builtin = !oci, .filter = seccomp_filter_of(p)};
	if (!oci) {
		v->insns = seccomp_builtin(v->filter, &v->len);
		return seccomp_profile_policy(v->filter, SECCOMP_NATIVE, &v->policy);
	}
	v->insns = oci->insns;
	v->len = oci->len;
	v->policy = oci->policy;
	v->guard = seccomp_builtin(FILTER_GUARD, &v->guard_len);
	return seccomp_profile_policy(FILTER_GUARD, SECCOMP_NATIVE, &v->guard_policy);
}

void view_close(struct view *v)
{
	seccomp_policy_done(&v->guard_policy);
	if (v->builtin)
		seccomp_policy_done(&v->policy);
}

uint32_t view_decide(const struct view *v, uint32_t nr, bool *ret_args)
{
	const struct seccomp_data data = {
		.nr = (int)nr, .arch = seccomp_arch_audit(SECCOMP_NATIVE)};
	bool own, below = false;

	uint32_t profile = bpf_eval(v->insns, v->len, &data, &own);
	uint32_t guard =
		v->builtin ? SECCOMP_RET_ALLOW : bpf_eval(v->guard, v->guard_len, &data, &below);
	/* What the guard answers, EPERM and ENOSYS, counts only where the profile allows. */
	*ret_args = own || (below && (int32_t)(profile & SECCOMP_RET_ACTION_FULL) >
					     (int32_t)SECCOMP_RET_ERRNO);
	return bpf_combine(guard, profile);
}

const char *view_word(uint32_t action, char buf[32])
{
	unsigned data = action & SECCOMP_RET_DATA;

	switch (action & SECCOMP_RET_ACTION_FULL) {
	case SECCOMP_RET_ALLOW:
		return "allow";
	case SECCOMP_RET_LOG:
		return "allow and log";
	case SECCOMP_RET_TRACE:
		return "trace";
	case SECCOMP_RET_TRAP:
		return "SIGSYS";
	case SECCOMP_RET_KILL_THREAD:
		return "kill thread";
	case SECCOMP_RET_ERRNO:
		if (data == EPERM || data == ENOSYS)
			return data == EPERM ? "EPERM" : "ENOSYS";
		(void)snprintf(buf, 32, "errno %u", data);
		return buf;
	default:
		return "kill process";
	}
}

static const struct seccomp_group *group_of(const struct view *v, uint32_t nr)
{
	const struct syscall_info *s = syscall_by_number(SECCOMP_NATIVE, nr);

	return s && v->builtin ? seccomp_group_of(s->name) : NULL;
}

const char *view_group(const struct view *v, uint32_t nr)
{
	const struct seccomp_group *g = group_of(v, nr);

	return g ? g->name : "-";
}

const char *view_reason(const struct view *v, uint32_t nr)
{
	const struct seccomp_group *g = group_of(v, nr);

	if (g)
		return g->reason;
	if (v->policy.arch == SECCOMP_X86_64 && nr & SECCOMP_X32_BIT && nr != UINT32_MAX)
		return "a call of the x32 architecture, a second table of calls";
	if ((int)nr > syscall_highest(SECCOMP_NATIVE) || nr > INT32_MAX)
		return "above the highest number known to this build";
	if (!syscall_by_number(SECCOMP_NATIVE, nr))
		return "a number that no call has";
	return "as the profile says, and never more than the guard allows";
}

static const char *text_of(enum seccomp_filter filter, const char *call, size_t nth)
{
	for (size_t i = 0; i < seccomp_rule_count; i++)
		if (seccomp_rules[i].filters & 1u << filter &&
			!strcmp(seccomp_rules[i].call, call) && !nth--)
			return seccomp_rules[i].text;
	return NULL;
}

void view_rules(const struct view *v, uint32_t nr,
	void (*each)(const struct policy_rule *rule, const char *text, bool guard, void *arg),
	void *arg)
{
	const struct syscall_info *s = syscall_by_number(SECCOMP_NATIVE, nr);
	const struct policy_rule *r = NULL;

	for (size_t n = 0; s && (r = seccomp_policy_next_rule(&v->guard_policy, (int)nr, r)); n++)
		each(r, text_of(FILTER_GUARD, s->name, n), true, arg);
	r = NULL;
	for (size_t n = 0; s && (r = seccomp_policy_next_rule(&v->policy, (int)nr, r)); n++)
		each(r, v->builtin ? text_of(v->filter, s->name, n) : NULL, false, arg);
}

void view_conditions(const struct policy_rule *rule, char *buf, size_t len)
{
	static const char *const words[] = {
		[POLICY_EQ] = "==",
		[POLICY_NE] = "!=",
		[POLICY_GT] = ">",
		[POLICY_GE] = ">=",
		[POLICY_LT] = "<",
		[POLICY_LE] = "<=",
	};
	size_t used = 0;

	*buf = '\0';
	for (size_t i = 0; i < rule->n_args && used < len; i++) {
		const struct policy_arg *a = &rule->args[i];
		char mask[32] = "";
		if (a->mask != UINT32_MAX && a->mask != UINT64_MAX)
			(void)snprintf(mask, sizeof(mask), " & %#llx", (unsigned long long)a->mask);
		int n = snprintf(buf + used, len - used, "%sargument %u%s %s %#llx",
			i ? " and " : "", a->index, mask, words[a->op],
			(unsigned long long)a->value);
		used += n > 0 ? (size_t)n : 0;
	}
}
