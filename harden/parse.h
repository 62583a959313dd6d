/* SPDX-License-Identifier: Apache-2.0 */
/* Values of options and configuration keys: numbers, names, paths. Pure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "harden/policy.h"

/* Decimal digits only, at most max. -EINVAL, -ERANGE. */
int parse_u64(const char *s, uint64_t max, uint64_t *ret);

/* yes, no, true, false, on, off, 1, 0. -EINVAL. */
int parse_bool(const char *s, bool *ret);

/* "N", "N:M" (soft, hard) or "unlimited". -EINVAL. */
int parse_limit(const char *s, struct limit *ret);

/* "any", "PORT", "LOW-HIGH", comma separated; appended to ports. -EINVAL, -EPERM (the port that is
 * never open is named), -ENOMEM. */
int parse_ports(const char *s, struct ports *ports);

/* "1000,1001" or "" for none. -EINVAL, -ENOMEM. */
int parse_groups(const char *s, gid_t **ret, size_t *ret_n);

/* "TERM", "SIGTERM" or "15". -EINVAL. */
int parse_signal(const char *s, int *ret);

/* A DNS-1123 label of at most 63 characters: what names a run. */
bool valid_run(const char *s);

/* Absolute, without "." and ".." components: what can be compared with what the kernel prints. */
bool valid_path(const char *s);

/* An environment variable's name, or one with a trailing '*'. */
bool valid_env_name(const char *s, bool star);
