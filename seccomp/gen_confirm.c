/* SPDX-License-Identifier: Apache-2.0 */
/* Build tool: the same policies through libseccomp, and do both decide the same? */
#include "seccomp/gen.h"

#include "mountd/base/cleanup.h"

#include <seccomp.h>
#include <string.h>
#include <sys/mman.h>

#define HIGHEST_NUMBER 1200

static uint32_t token_of(enum seccomp_arch arch)
{
	return arch == SECCOMP_X86_64 ? SCMP_ARCH_X86_64 : SCMP_ARCH_AARCH64;
}

int gen_confirm_numbers(enum seccomp_arch arch)
{
	int r = 0;

	for (unsigned i = 0; i < syscall_count; i++) {
		const struct syscall_info *s = &syscall_table[i];
		int theirs = seccomp_syscall_resolve_name_arch(token_of(arch), s->name);
		if (theirs == __NR_SCMP_ERROR || theirs == s->nr[arch] ||
			(theirs < 0 && s->nr[arch] < 0))
			continue;
		fprintf(stderr, "gen: %s on %s: %d here, %d in libseccomp\n", s->name,
			seccomp_arch_name(arch), s->nr[arch], theirs);
		r = -EINVAL;
	}
	return r;
}

/*
 * The number to give to libseccomp: for a foreign architecture it goes by the name, so that a
 * number without one can't be added (false).
 */
static bool number_for(enum seccomp_arch arch, int nr, int *ret)
{
	*ret = nr;
	if (token_of(arch) == seccomp_arch_native())
		return true;
	const struct syscall_info *s = syscall_by_number(arch, (uint32_t)nr);
	if (!s)
		return false;
	*ret = seccomp_syscall_resolve_name(s->name);
	return *ret != __NR_SCMP_ERROR;
}

static int add_rule(scmp_filter_ctx ctx, int nr, const struct policy_rule *r)
{
	struct scmp_arg_cmp cmp[6];

	for (unsigned i = 0; i < r->n_args; i++)
		cmp[i] = (struct scmp_arg_cmp){
			r->args[i].index, SCMP_CMP_MASKED_EQ, r->args[i].mask, r->args[i].value};
	return seccomp_rule_add_array(ctx, r->action, nr, r->n_args, cmp);
}

static int add_policy(scmp_filter_ctx ctx, const struct seccomp_policy *p)
{
	for (int nr = 0; nr < POLICY_NUMBERS; nr++) {
		const struct policy_rule *rule = seccomp_policy_next_rule(p, nr, NULL);
		int theirs;

		if ((!rule && p->numbers[nr] == p->beyond) || !number_for(p->arch, nr, &theirs))
			continue;
		int r = rule ? 0 : seccomp_rule_add(ctx, p->numbers[nr], theirs, 0);
		for (; rule && r >= 0; rule = seccomp_policy_next_rule(p, nr, rule))
			r = add_rule(ctx, theirs, rule);
		if (r < 0)
			return r;
	}
	return 0;
}

static int export_program(
	scmp_filter_ctx ctx, struct sock_filter prog[BPF_MAXINSNS], size_t *ret_len)
{
	_cleanup_close_ int fd = memfd_create("filter", MFD_CLOEXEC);

	if (fd < 0)
		return -errno;
	int r = seccomp_export_bpf(ctx, fd);
	if (r < 0)
		return r;
	ssize_t n = pread(fd, prog, BPF_MAXINSNS * sizeof(*prog), 0);
	if (n < 0)
		return -errno;
	*ret_len = (size_t)n / sizeof(*prog);
	return 0;
}

static int compile_theirs(
	const struct seccomp_policy *p, struct sock_filter prog[BPF_MAXINSNS], size_t *ret_len)
{
	scmp_filter_ctx ctx = seccomp_init(p->beyond);
	int r = -ENOMEM;

	if (!ctx)
		return r;
	(void)seccomp_api_set(3); /* kill_process, whatever the kernel that builds has */
	r = seccomp_attr_set(ctx, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
	if (r >= 0)
		r = seccomp_attr_set(ctx, SCMP_FLTATR_CTL_OPTIMIZE, 2);
	if (r >= 0 && token_of(p->arch) != seccomp_arch_native()) {
		r = seccomp_arch_add(ctx, token_of(p->arch));
		if (r >= 0)
			r = seccomp_arch_remove(ctx, SCMP_ARCH_NATIVE);
	}
	if (r >= 0)
		r = add_policy(ctx, p);
	if (r >= 0)
		r = export_program(ctx, prog, ret_len);
	seccomp_release(ctx);
	return r;
}

struct pair {
	const struct seccomp_policy *policy;
	const char *name;
	const struct sock_filter *ours, *theirs;
	size_t n_ours, n_theirs;
};

/*
 * libseccomp has one default for everything that no rule takes, so a number with rules has two
 * fates there and up to three here: what must agree is whether a rule takes the call.
 */
static int compare(const struct pair *c, const struct seccomp_data *data)
{
	uint32_t a = bpf_eval(c->ours, c->n_ours, data, NULL);
	uint32_t b = bpf_eval(c->theirs, c->n_theirs, data, NULL);
	bool ruled = data->nr >= 0 && seccomp_policy_next_rule(c->policy, data->nr, NULL);

	if (ruled && a == c->policy->numbers[data->nr])
		a = c->policy->beyond;
	if (a == b)
		return 0;
	fprintf(stderr, "gen: %s %s: call %d(%#llx, %#llx, %#llx): %#x here, %#x in libseccomp\n",
		seccomp_arch_name(c->policy->arch), c->name, data->nr, data->args[0], data->args[1],
		data->args[2], a, b);
	return -EINVAL;
}

static int compare_numbers(const struct pair *c)
{
	struct seccomp_data data = {.arch = seccomp_arch_audit(c->policy->arch)};
	int theirs, r = 0;

	for (data.nr = 0; r >= 0 && data.nr <= HIGHEST_NUMBER; data.nr++)
		if (!syscall_by_number(c->policy->arch, (uint32_t)data.nr) ||
			number_for(c->policy->arch, data.nr, &theirs))
			r = compare(c, &data);
	data.arch ^= 1;
	return r < 0 ? r : compare(c, &data);
}

/* A call that the rule takes, then the same with each bit of each argument flipped. */
static int compare_rule(const struct pair *c, const struct policy_rule *rule)
{
	struct seccomp_data data = {.nr = rule->nr, .arch = seccomp_arch_audit(c->policy->arch)};

	for (unsigned i = 0; i < rule->n_args; i++)
		data.args[rule->args[i].index] = rule->args[i].value;
	int r = compare(c, &data);
	for (unsigned bit = 0; r >= 0 && bit < 6 * 64; bit++) {
		data.args[bit / 64] ^= 1ull << bit % 64;
		r = compare(c, &data);
		data.args[bit / 64] ^= 1ull << bit % 64;
	}
	return r;
}

int gen_confirm(const struct seccomp_policy *p, const char *name, const struct sock_filter *prog,
	size_t len)
{
	static struct sock_filter theirs[BPF_MAXINSNS];
	struct pair c = {.policy = p, .name = name, .ours = prog, .theirs = theirs, .n_ours = len};

	int r = compile_theirs(p, theirs, &c.n_theirs);
	if (r < 0) {
		fprintf(stderr, "gen: libseccomp does not compile %s\n", name);
		return r;
	}
	r = compare_numbers(&c);
	for (size_t i = 0; r >= 0 && i < p->n_rules; i++)
		r = compare_rule(&c, &p->rules[i]);
	return r;
}
