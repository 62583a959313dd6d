/* SPDX-License-Identifier: Apache-2.0 */
/* Build tool: libseccomp's second opinion. */
#pragma once

#include "seccomp/policy.h"

/* -EINVAL: libseccomp has another number for one of our names; says which on stderr. */
int gen_confirm_numbers(enum seccomp_arch arch);

/*
 * Compile the policy with libseccomp and compare decisions: all numbers, and for each rule what it
 * matches and its neighbours. -EINVAL: they differ; says where on stderr.
 */
int gen_confirm(const struct seccomp_policy *p, const char *name, const struct sock_filter *prog,
	size_t len);
