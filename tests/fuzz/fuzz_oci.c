/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OCI profiles from outside. Whatever is accepted must be a program that the kernel would load, and
 * that decides as its rules say, at the edges of every rule.
 */
#include "seccomp/filter.h"
#include "tests/seccomp/reference.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void agree(const struct seccomp_program *p, const struct seccomp_data *call)
{
	if (bpf_eval(p->insns, p->len, call, NULL) != reference_decide(&p->policy, call))
		abort();
}

static void try_rule(const struct seccomp_program *p, const struct policy_rule *rule)
{
	struct seccomp_data call = {.nr = rule->nr, .arch = seccomp_arch_audit(p->policy.arch)};

	for (size_t i = 0; i < rule->n_args; i++)
		call.args[rule->args[i].index] = rule->args[i].value;
	agree(p, &call);
	for (size_t i = 0; i < rule->n_args; i++) {
		unsigned long long *v = (unsigned long long *)&call.args[rule->args[i].index];
		for (int step = 0; step < 3; step++) {
			*v = rule->args[i].value + (step == 0) - (step == 1) +
			     (step == 2) * (1ull << 32);
			agree(p, &call);
		}
		*v = rule->args[i].value;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct seccomp_program *p = NULL;
	char err[256] = "";

	if (seccomp_load_oci_buffer((const char *)data, size, &p, err, sizeof(err)) < 0) {
		if (p || !*err)
			abort();
		return 0;
	}
	if (!reference_loadable(p->insns, p->len))
		abort();
	struct seccomp_data call = {.arch = seccomp_arch_audit(p->policy.arch)};
	for (call.nr = -1; call.nr <= POLICY_NUMBERS; call.nr++)
		agree(p, &call);
	for (size_t i = 0; i < p->policy.n_rules && i < 64; i++)
		try_rule(p, &p->policy.rules[i]);
	seccomp_program_free(p);
	return 0;
}
