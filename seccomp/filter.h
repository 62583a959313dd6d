/* SPDX-License-Identifier: Apache-2.0 */
/* The programs of the built-in filters, and a program on its way into the kernel. */
#pragma once

#include "seccomp/profiles/profiles.h"

struct seccomp_program {
	struct sock_filter *insns;
	size_t len;
	unsigned flags; /* SECCOMP_FILTER_FLAG_* */
	struct seccomp_policy policy;
	char **warnings;
	size_t n_warnings;
};

/* The built-in program for this machine's architecture. */
const struct sock_filter *seccomp_builtin(enum seccomp_filter filter, size_t *ret_len);

/* SECCOMP_PROFILE_STRICT or DEV. */
enum seccomp_filter seccomp_filter_of(enum seccomp_profile p);
