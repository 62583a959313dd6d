/* SPDX-License-Identifier: Apache-2.0 */
/* Identity: ids, groups, capability sets, securebits. */
#pragma once

#include "harden/fail.h"
#include "harden/policy.h"
#include "harden/report.h"
#include "harden/status.h"

/*
 * Become (as root) or insist on (otherwise) the identity asked for, then drop every capability but
 * CAP_KILL, which the canaries use, and lock the securebits. before: the process as it was started.
 * What can't be dropped is a gap. -errno and the reason when the identity can't be had at all.
 */
int creds_apply(
	const struct policy *p, const struct proc_status *before, struct report *r, struct fail *f);

/* After the canaries: drop the last capability. */
void creds_finish(const struct policy *p, const struct proc_status *before, struct report *r);

/* Compare with what was asked: every deviation is a gap. before: at the start, for the filters. */
void creds_verify(const struct policy *p, const struct proc_status *now, struct report *r);
