/* SPDX-License-Identifier: Apache-2.0 */
/* What of the posture is in force and what is not, collected over all steps before anything is
 * decided: an operator sees every gap at once. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct report_line {
	bool gap;
	char text[320];
};

/* Fixed size: the launcher reports at most one line a control. Later lines are counted only. */
struct report {
	struct report_line lines[48];
	size_t n;
	size_t gaps;
};

/* Something that was asked for is in force. */
void report_have(struct report *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Something that was asked for is not in force. */
void report_gap(struct report *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* One stderr line each, with this prefix; only gaps, or everything. */
void report_print(const struct report *r, const char *prefix, bool gaps_only);
