/* SPDX-License-Identifier: Apache-2.0 */
/* Policies and their compilation to BPF, last instruction first: jumps only go forward. */
#include "seccomp/policy.h"

#include "mountd/base/cleanup.h"

#include <string.h>

void seccomp_policy_init(struct seccomp_policy *p, enum seccomp_arch arch, uint32_t action)
{
	*p = (struct seccomp_policy){.arch = arch, .beyond = action};
	for (size_t i = 0; i < POLICY_NUMBERS; i++)
		p->numbers[i] = action;
}

void seccomp_policy_done(struct seccomp_policy *p)
{
	free(p->rules);
	p->rules = NULL;
	p->n_rules = 0;
}

int seccomp_policy_add(struct seccomp_policy *p, const struct policy_rule *rule)
{
	struct policy_rule *r = realloc(p->rules, (p->n_rules + 1) * sizeof(*r));

	if (!r)
		return -ENOMEM;
	r[p->n_rules++] = *rule;
	p->rules = r;
	return 0;
}

const struct policy_rule *seccomp_policy_next_rule(
	const struct seccomp_policy *p, int nr, const struct policy_rule *prev)
{
	for (size_t i = prev ? (size_t)(prev - p->rules) + 1 : 0; i < p->n_rules; i++)
		if (p->rules[i].nr == nr)
			return &p->rules[i];
	return NULL;
}

/* A jump reaches 255 instructions; what a rule adds before the jump is left free. */
#define NEAR 200

/* Instructions are counted from the end of the program; used is the one that runs next. */
struct code {
	struct sock_filter *insns;
	size_t used;
	bool full;
	size_t rets[8]; /* where the last few answers are, to be jumped to again */
	size_t n_rets;
};

static size_t emit(struct code *c, uint16_t op, uint8_t jt, uint8_t jf, uint32_t k)
{
	if (c->used == BPF_MAXINSNS) {
		c->full = true;
		return c->used;
	}
	c->insns[BPF_MAXINSNS - ++c->used] = (struct sock_filter){op, jt, jf, k};
	return c->used;
}

static size_t emit_ret(struct code *c, uint32_t action)
{
	return emit(c, BPF_RET | BPF_K, 0, 0, action);
}

/* The kernel compiles a program each time it is installed: the shorter, the sooner. */
static size_t ret_nearby(struct code *c, uint32_t action)
{
	const size_t size = sizeof(c->rets) / sizeof(c->rets[0]);

	for (size_t i = 0; i < size && i < c->n_rets; i++)
		if (c->used - c->rets[i] <= NEAR && c->insns[BPF_MAXINSNS - c->rets[i]].k == action)
			return c->rets[i];
	return c->rets[c->n_rets++ % size] = emit_ret(c, action);
}

/* Both targets are at most 255 instructions away. */
static void emit_branch(struct code *c, uint16_t op, uint32_t k, size_t yes, size_t no)
{
	(void)emit(c, BPF_JMP | BPF_K | op, (uint8_t)(c->used - yes), (uint8_t)(c->used - no), k);
}

static void emit_load(struct code *c, uint32_t offset, uint32_t mask)
{
	if (mask != UINT32_MAX)
		(void)emit(c, BPF_ALU | BPF_AND | BPF_K, 0, 0, mask);
	(void)emit(c, BPF_LD | BPF_W | BPF_ABS, 0, 0, offset);
}

static void emit_test(struct code *c, const struct policy_arg *a, size_t yes, size_t no)
{
	static const struct {
		uint16_t low;
		bool swap;
	} how[] = {
		[POLICY_EQ] = {BPF_JEQ, false},
		[POLICY_NE] = {BPF_JEQ, true},
		[POLICY_GT] = {BPF_JGT, false},
		[POLICY_LE] = {BPF_JGT, true},
		[POLICY_GE] = {BPF_JGE, false},
		[POLICY_LT] = {BPF_JGE, true},
	};
	uint32_t offset = (uint32_t)offsetof(struct seccomp_data, args) + a->index * 8u;
	uint32_t high_mask = (uint32_t)(a->mask >> 32), high = (uint32_t)(a->value >> 32);

	if (how[a->op].swap) {
		const size_t other = yes;

		yes = no;
		no = other;
	}
	emit_branch(c, how[a->op].low, (uint32_t)a->value, yes, no);
	emit_load(c, offset, (uint32_t)a->mask); /* both architectures are little-endian */
	if (!high_mask && !high)
		return;
	emit_branch(c, BPF_JEQ, high, c->used, no);
	if (how[a->op].low != BPF_JEQ)
		emit_branch(c, BPF_JGT, high, yes, c->used);
	emit_load(c, offset + 4, high_mask);
}

/* Returns where the rule begins; next is where it goes on when the rule does not hold. */
static size_t emit_rule(struct code *c, const struct policy_rule *r, size_t next)
{
	size_t begin = ret_nearby(c, r->action);

	for (size_t i = r->n_args; i-- > 0; begin = c->used)
		emit_test(c, &r->args[i], begin, next);
	return begin;
}

static size_t emit_number(struct code *c, const struct seccomp_policy *p, int nr, uint32_t action)
{
	size_t begin = ret_nearby(c, action);

	for (size_t i = p->n_rules; i-- > 0;)
		if (p->rules[i].nr == nr)
			begin = emit_rule(c, &p->rules[i], begin);
	return begin;
}

/* Neighbours of the same fate are one leaf of the search. */
struct range {
	uint32_t first;
	uint32_t action;
	bool rules;
};

static size_t find_ranges(const struct seccomp_policy *p, struct range ranges[POLICY_NUMBERS + 1])
{
	size_t n = 0;

	for (uint32_t nr = 0; nr <= POLICY_NUMBERS; nr++) {
		struct range r = {nr, nr < POLICY_NUMBERS ? p->numbers[nr] : p->beyond, false};
		r.rules = nr < POLICY_NUMBERS && seccomp_policy_next_rule(p, (int)nr, NULL);
		if (n && !r.rules && !ranges[n - 1].rules && ranges[n - 1].action == r.action)
			continue;
		ranges[n++] = r;
	}
	return n;
}

static size_t emit_search(
	struct code *c, const struct seccomp_policy *p, const struct range *r, size_t n)
{
	size_t half = n / 2;

	if (n == 1)
		return emit_number(c, p, (int)r->first, r->action);
	size_t right = emit_search(c, p, r + half, n - half);
	size_t left = emit_search(c, p, r, half);

	if (c->used - right > 255)
		right = emit(c, BPF_JMP | BPF_JA, 0, 0, (uint32_t)(c->used - right));
	emit_branch(c, BPF_JGE, r[half].first, right, left);
	return c->used;
}

/*
 * x32 shares AUDIT_ARCH_X86_64 and marks its numbers with a bit; -1 has the bit too, it is how a
 * tracer skips a call, and no call.
 */
static void emit_prologue(struct code *c, enum seccomp_arch arch, size_t body)
{
	if (arch == SECCOMP_X86_64) {
		(void)emit_ret(c, SECCOMP_RET_KILL_PROCESS);
		emit_branch(c, BPF_JEQ, UINT32_MAX, body, c->used);
		emit_branch(c, BPF_JSET, SECCOMP_X32_BIT, c->used, body);
	}
	emit_load(c, offsetof(struct seccomp_data, nr), UINT32_MAX);
	body = c->used;
	(void)emit_ret(c, SECCOMP_RET_KILL_PROCESS);
	emit_branch(c, BPF_JEQ, seccomp_arch_audit(arch), body, c->used);
	emit_load(c, offsetof(struct seccomp_data, arch), UINT32_MAX);
}

int seccomp_policy_compile(
	const struct seccomp_policy *p, struct sock_filter **ret, size_t *ret_len)
{
	struct range ranges[POLICY_NUMBERS + 1];
	_cleanup_free_ struct sock_filter *buf = calloc(BPF_MAXINSNS, sizeof(*buf));
	struct code c = {.insns = buf};

	if (!buf)
		return -ENOMEM;
	emit_prologue(&c, p->arch, emit_search(&c, p, ranges, find_ranges(p, ranges)));
	if (c.full)
		return -E2BIG;

	struct sock_filter *out = calloc(c.used, sizeof(*out));
	if (!out)
		return -ENOMEM;
	memcpy(out, buf + BPF_MAXINSNS - c.used, c.used * sizeof(*out));
	*ret = out;
	*ret_len = c.used;
	return 0;
}
