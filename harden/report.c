/* SPDX-License-Identifier: Apache-2.0 */
/* Collects and prints what is in force and what is not. */
#include "harden/report.h"

#include <stdarg.h>
#include <stdio.h>

__attribute__((format(printf, 3, 0))) static void add(
	struct report *r, bool gap, const char *fmt, va_list ap)
{
	r->gaps += gap;
	if (r->n == sizeof(r->lines) / sizeof(r->lines[0]))
		return;
	struct report_line *l = &r->lines[r->n++];

	l->gap = gap;
	(void)vsnprintf(l->text, sizeof(l->text), fmt, ap);
}

void report_have(struct report *r, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add(r, false, fmt, ap);
	va_end(ap);
}

void report_gap(struct report *r, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add(r, true, fmt, ap);
	va_end(ap);
}

void report_print(const struct report *r, const char *prefix, bool gaps_only)
{
	for (size_t i = 0; i < r->n; i++) {
		if (gaps_only && !r->lines[i].gap)
			continue;
		(void)fprintf(stderr, "kora-launch: %s%s%s\n", prefix,
			gaps_only ? "" : (r->lines[i].gap ? "not in force: " : "in force: "),
			r->lines[i].text);
	}
}
