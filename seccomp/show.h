/* SPDX-License-Identifier: Apache-2.0 */
/* What the filters in force decide, as the command shows it. */
#pragma once

#include "seccomp/filter.h"

#include <jansson.h>

/* A built-in profile, or the guard with an OCI profile on top; the programs themselves are asked.
 */
struct view {
	const char *title; /* "profile strict", or the OCI profile's file */
	bool builtin;
	enum seccomp_filter filter;
	const struct sock_filter *insns, *guard;
	size_t len, guard_len;
	struct seccomp_policy policy, guard_policy; /* for the rules on arguments */
};

/* -ENOMEM. oci NULL: the built-in profile p. */
int view_open(struct view *v, enum seccomp_profile p, const struct seccomp_program *oci,
	const char *title);
void view_close(struct view *v);

/* The fate of a call with all arguments 0; *ret_args: arguments were looked at. */
uint32_t view_decide(const struct view *v, uint32_t nr, bool *ret_args);

/* "allow", "EPERM", "ENOSYS", "errno 22", "kill process", ... */
const char *view_word(uint32_t action, char buf[32]);

/* Why: a group's name and reason, or what there is to say without one. */
const char *view_group(const struct view *v, uint32_t nr);
const char *view_reason(const struct view *v, uint32_t nr);

/* Calls each for the rules on the call's arguments, guard first. text NULL: the profile has none.
 */
void view_rules(const struct view *v, uint32_t nr,
	void (*each)(const struct policy_rule *rule, const char *text, bool guard, void *arg),
	void *arg);

/* "argument 0 & 0xf == 0x1 and argument 2 == 0"; conditions of 32 bits are left unmasked. */
void view_conditions(const struct policy_rule *rule, char *buf, size_t len);
