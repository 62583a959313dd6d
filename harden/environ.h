/* SPDX-License-Identifier: Apache-2.0 */
/* The program's environment: an allow-list, what was asked for, HOME and TMPDIR. */
#pragma once

#include "harden/plan.h"
#include "harden/policy.h"

/* A new environment (free with environ_free); dropped: how many variables did not pass. -ENOMEM. */
int environ_make(const struct policy *p, const struct plan *plan, char *const *env, char ***ret,
	size_t *ret_dropped);
void environ_free(char **env);

/* The value of a variable in env, or NULL. */
const char *environ_get(char *const *env, const char *name);
