/* SPDX-License-Identifier: Apache-2.0 */
/* The plan as a Landlock domain. */
#pragma once

#include "harden/fail.h"
#include "harden/plan.h"
#include "harden/policy.h"
#include "harden/report.h"
#include "landlock/ladder.h"

struct confine {
	int abi;	    /* as ll_abi() */
	int ruleset;	    /* owned; -1 without Landlock */
	struct ll_set have; /* what the domain handles */
};

/* A ruleset without rules. What the kernel can't enforce is a gap where the policy insists on it.
 */
int confine_prepare(const struct policy *p, struct confine *c, struct report *r, struct fail *f);

/*
 * Add the rules, as the user the program will be. Opens every granted path: a required one that is
 * missing is an error. Without a ruleset: does nothing.
 */
int confine_grant(const struct policy *p, const struct plan *plan, struct confine *c,
	struct report *r, struct fail *f);

/* Enter the domain; there is no way back. Needs no_new_privs. Without a ruleset: does nothing. */
int confine_enter(struct confine *c, struct fail *f);

void confine_done(struct confine *c);
