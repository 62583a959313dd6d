/* SPDX-License-Identifier: Apache-2.0 */
/* The reader of OCI profiles: what its parts share. */
#pragma once

#include "seccomp/filter.h"

#include <jansson.h>

#define OCI_MAX_FILE  (1024 * 1024)
#define OCI_MAX_RULES 16384

struct oci {
	struct seccomp_program *program;
	uint32_t default_action;
	int highest; /* the highest number that the profile names; -1: none */
	struct policy_rule *rules;
	size_t n_rules;
	const char *source; /* file name, for messages */
	char *err;
	size_t errlen;
};

/* Returns code; err becomes "SOURCE: WHERE: what". */
int oci_fail(struct oci *o, int code, const char *where, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
int oci_warn(struct oci *o, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Fields: a missing one and null are NULL; another type than asked for is an error that names it.
 */
int oci_only_keys(struct oci *o, const json_t *object, const char *where, const char *const *keys);
int oci_get(struct oci *o, const json_t *object, const char *where, const char *key, json_type type,
	const json_t **ret);
int oci_get_number(struct oci *o, const json_t *object, const char *where, const char *key,
	uint64_t highest, uint64_t *ret);
int oci_get_strings(struct oci *o, const json_t *object, const char *where, const char *key,
	const json_t **ret);

/* An action with its data: SECCOMP_RET_*. */
int oci_get_action(struct oci *o, const json_t *object, const char *where,
	const char *const keys[3], uint32_t *ret);

/* Fill o->rules from "syscalls". */
int oci_read_syscalls(struct oci *o, const json_t *syscalls);

/* Does an entry with these conditions apply to this machine and a process without capabilities? */
int oci_applies(struct oci *o, const json_t *entry, const char *where, bool *ret);
