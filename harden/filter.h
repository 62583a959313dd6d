/* SPDX-License-Identifier: Apache-2.0 */
/* The system call filter as a step of the launcher. */
#pragma once

#include "harden/fail.h"
#include "harden/policy.h"
#include "harden/report.h"
#include "harden/status.h"
#include "seccomp/seccomp.h"

struct filter {
	int profile; /* enum seccomp_profile, or -1: an OCI program */
	struct seccomp_program *program;
};

/* Read the OCI profile while its file can be opened. -errno and the reason. */
int filter_prepare(const struct policy *p, struct filter *ret, struct fail *f);

/* -errno and the reason. Nothing is opened, and little is left to the program, afterwards. */
int filter_install(const struct filter *filter, struct fail *f);

/* The kernel's word and two harmless calls that a filter of ours refuses. */
void filter_verify(const struct filter *filter, const struct proc_status *before,
	const struct proc_status *now, struct report *r);

void filter_done(struct filter *filter);
