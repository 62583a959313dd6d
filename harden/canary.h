/* SPDX-License-Identifier: Apache-2.0 */
/* Proof from the inside: things that worked before the domain was entered and must fail after.
 * What did not work before proves nothing, so it is not used. */
#pragma once

#include <sys/types.h>

#include "harden/confine.h"
#include "harden/fail.h"
#include "harden/plan.h"
#include "harden/policy.h"
#include "harden/report.h"

struct canaries {
	pid_t outside;	    /* a process outside the domain that could be signalled */
	pid_t helper;	    /* that process, when it is a child of ours; else 0 */
	int abstract, path; /* sockets outside the domain; -1: none */
	char abstract_name[108];
	unsigned int abstract_len;
	char path_name[108];
	int root, siblings; /* "/" and the workspaces' directory could be opened */
};

/* Before confine_enter(). -errno and the reason. */
int canaries_lay(const struct policy *p, const struct plan *plan, const struct confine *c,
	struct canaries *ret, struct fail *f);

/* Descriptors that must survive process_close_fds(): 2 of them, -1 where there is none. */
void canaries_fds(const struct canaries *n, int ret[2]);

/* After it: each canary that still lives is a gap. Ends as canaries_done() does. */
void canaries_check(const struct policy *p, const struct plan *plan, const struct confine *c,
	struct canaries *n, struct report *r);

/* Close, remove and reap what was laid; what no longer is, is left alone. */
void canaries_done(struct canaries *n);
