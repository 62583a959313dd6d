/* SPDX-License-Identifier: Apache-2.0 */
/* An interpreter of the BPF that filters are made of: what a program really decides. */
#include "seccomp/policy.h"

#include <string.h>

static bool load(const struct seccomp_data *data, uint32_t offset, uint32_t *ret, bool *args)
{
	if (offset % 4 || offset > sizeof(*data) - 4)
		return false;
	if (offset >= offsetof(struct seccomp_data, args))
		*args = true;
	memcpy(ret, (const char *)data + offset, 4);
	return true;
}

static bool compare(uint16_t code, uint32_t a, uint32_t k)
{
	switch (BPF_OP(code)) {
	case BPF_JEQ:
		return a == k;
	case BPF_JGT:
		return a > k;
	case BPF_JGE:
		return a >= k;
	default:
		return a & k;
	}
}

/* A program that leaves its bounds, or uses what filters of ours never do, is one that kills. */
uint32_t bpf_eval(
	const struct sock_filter *prog, size_t len, const struct seccomp_data *data, bool *ret_args)
{
	uint32_t a = 0;
	bool args = false;

	for (size_t pc = 0; pc < len; pc++) {
		const struct sock_filter *f = &prog[pc];
		switch (f->code) {
		case BPF_RET | BPF_K:
			if (ret_args)
				*ret_args = args;
			return f->k;
		case BPF_LD | BPF_W | BPF_ABS:
			if (!load(data, f->k, &a, &args))
				return SECCOMP_RET_KILL_PROCESS;
			break;
		case BPF_ALU | BPF_AND | BPF_K:
			a &= f->k;
			break;
		case BPF_JMP | BPF_JA:
			pc += f->k;
			break;
		case BPF_JMP | BPF_JEQ | BPF_K:
		case BPF_JMP | BPF_JGT | BPF_K:
		case BPF_JMP | BPF_JGE | BPF_K:
		case BPF_JMP | BPF_JSET | BPF_K:
			pc += compare(f->code, a, f->k) ? f->jt : f->jf;
			break;
		default:
			return SECCOMP_RET_KILL_PROCESS;
		}
	}
	return SECCOMP_RET_KILL_PROCESS;
}

/* The more restrictive one; the kernel compares actions as signed numbers, kill_process lowest. */
uint32_t bpf_combine(uint32_t older, uint32_t newer)
{
	int32_t o = (int32_t)(older & SECCOMP_RET_ACTION_FULL);
	int32_t n = (int32_t)(newer & SECCOMP_RET_ACTION_FULL);

	return o < n ? older : newer;
}
