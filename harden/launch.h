/* SPDX-License-Identifier: Apache-2.0 */
/* The steps from a policy to a program under it. */
#pragma once

#include "harden/policy.h"

/* Returns only on failure: the exit status, with the reason on stderr. */
int launch(const struct policy *p, char *const *argv, char *const *env);
