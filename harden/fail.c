/* SPDX-License-Identifier: Apache-2.0 */
/* Formats the reason of a failure. */
#include "harden/fail.h"

#include <stdarg.h>
#include <stdio.h>

int fail_set(struct fail *f, int err, const char *fmt, ...)
{
	va_list ap;

	if (f) {
		va_start(ap, fmt);
		(void)vsnprintf(f->text, sizeof(f->text), fmt, ap);
		va_end(ap);
	}
	return -err;
}
