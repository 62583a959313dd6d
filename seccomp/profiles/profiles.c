/* SPDX-License-Identifier: Apache-2.0 */
/* From the tables of groups and rules to a policy. */
#include "seccomp/profiles/profiles.h"

#include <errno.h>
#include <string.h>

static bool lists(const char *calls, const char *name)
{
	size_t len = strlen(name);

	for (const char *p = calls; (p = strstr(p, name)); p++)
		if ((p == calls || p[-1] == ' ') && (p[len] == ' ' || !p[len]))
			return true;
	return false;
}

const struct seccomp_group *seccomp_group_of(const char *call)
{
	for (size_t i = 0; i < seccomp_group_count; i++)
		if (lists(seccomp_groups[i].calls, call))
			return &seccomp_groups[i];
	return NULL;
}

static uint32_t action_of(enum seccomp_fate fate)
{
	switch (fate) {
	case FATE_ALLOW:
		return SECCOMP_RET_ALLOW;
	case FATE_ENOSYS:
		return SECCOMP_RET_ERRNO | ENOSYS;
	default:
		return SECCOMP_RET_ERRNO | EPERM;
	}
}

static int add_rule(struct seccomp_policy *p, const struct seccomp_rule *r)
{
	const struct syscall_info *s = syscall_by_name(r->call);

	if (!s)
		return -EINVAL;
	if (s->nr[p->arch] < 0)
		return 0;
	struct policy_rule rule = {.nr = s->nr[p->arch], .action = action_of(r->fate)};
	for (size_t i = 0; i < sizeof(r->args) / sizeof(r->args[0]) && r->args[i].mask; i++)
		rule.args[rule.n_args++] = (struct policy_arg){
			.index = r->args[i].index,
			.op = POLICY_EQ,
			.mask = r->args[i].mask,
			.value = r->args[i].value,
		};
	if (!rule.n_args) {
		p->numbers[rule.nr] = rule.action;
		return 0;
	}
	return seccomp_policy_add(p, &rule);
}

static int add_rules(struct seccomp_policy *p, enum seccomp_filter filter)
{
	for (size_t i = 0; i < seccomp_rule_count; i++) {
		int r = seccomp_rules[i].filters & 1u << filter ? add_rule(p, &seccomp_rules[i])
								: 0;
		if (r < 0)
			return r;
	}
	return 0;
}

static int add_groups(struct seccomp_policy *p, enum seccomp_filter filter)
{
	for (unsigned i = 0; i < syscall_count; i++) {
		int nr = syscall_table[i].nr[p->arch];
		const struct seccomp_group *g = seccomp_group_of(syscall_table[i].name);
		if (!g)
			return -EINVAL;
		if (nr >= 0)
			p->numbers[nr] = action_of(filter == FILTER_DEV ? g->dev : g->strict);
	}
	return 0;
}

/* Numbers without a name are what the kernel gained since: ENOSYS lets callers fall back. */
int seccomp_profile_policy(
	enum seccomp_filter filter, enum seccomp_arch arch, struct seccomp_policy *ret)
{
	struct seccomp_policy p;
	int r = 0;

	seccomp_policy_init(
		&p, arch, filter == FILTER_GUARD ? SECCOMP_RET_ALLOW : SECCOMP_RET_ERRNO | ENOSYS);
	if (filter != FILTER_GUARD)
		r = add_groups(&p, filter);
	if (r >= 0)
		r = add_rules(&p, filter);
	if (r < 0) {
		seccomp_policy_done(&p);
		return r;
	}
	*ret = p;
	return 0;
}
