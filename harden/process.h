/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes of the process itself: limits, masks, descriptors, directories, read-only root. */
#pragma once

#include "harden/fail.h"
#include "harden/plan.h"
#include "harden/policy.h"
#include "harden/report.h"

/* Core dumps off, limits as asked, umask, no dump. -errno and the reason. */
int process_limits(const struct policy *p, const struct plan *plan, struct fail *f);

/* Open /dev/null for each of stdin, stdout and stderr that is closed: no file of ours may become
 * one of them. -errno and the reason. */
int process_standard_fds(struct fail *f);

/*
 * Close everything above stderr but the named descriptors, which become inheritable, and own[],
 * which stay close-on-exec. -EBADF: a named one is not open.
 */
int process_close_fds(const struct policy *p, const int *own, size_t n_own, struct fail *f);

/* Enter the working directory and make the temporary one. -errno and the reason; -EACCES for a
 * working directory that can't be reached from "/" (a leaked descriptor's, for example). */
int process_directories(const struct policy *p, const struct plan *plan, struct fail *f);

/*
 * As root on a writable root: a mount namespace of its own (mounts of the host still arrive, none
 * goes back) whose "/" is read-only and whose granted writable directories stay writable.
 * Otherwise only looks. What is not read-only afterwards is a gap.
 */
int process_read_only_root(
	const struct policy *p, const struct plan *plan, struct report *r, struct fail *f);
