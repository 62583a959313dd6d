/* SPDX-License-Identifier: Apache-2.0 */
/* The one table of everything that can be asked: long options and configuration keys are the same.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "harden/fail.h"
#include "harden/policy.h"

struct key {
	const char *name;
	const char *arg; /* what --help calls the value; NULL: a yes/no switch */
	bool many;	 /* may be given more than once and adds up */
	bool cmdline;	 /* command line only */
	const char *help;
	/* Sets the value: -EINVAL and the reason (without the key's name), or -ENOMEM. */
	int (*set)(struct policy *p, const char *value, struct fail *f);
};

extern const struct key keys[];
extern const size_t n_keys;

/* The key's index, or -ENOENT. */
int key_find(const char *name);
