/* SPDX-License-Identifier: Apache-2.0 */
/* What a kernel operation failed at: errno, the stage it had reached, and the thing it concerned.
 */
#include "mountd/base/kerr.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "mountd/base/utf8.h"

int(kerr_set)(struct kerr *e, int error, const char *stage, const char *subject,
	const char *detail_format, ...)
{
	if (!e)
		return error;
	*e = (struct kerr){.error = error, .stage = stage};
	(void)snprintf(e->subject, sizeof e->subject, "%s", subject ? subject : "");
	utf8_trim(e->subject);
	if (detail_format) {
		va_list args;
		va_start(args, detail_format);
		(void)vsnprintf(e->detail, sizeof e->detail, detail_format, args);
		va_end(args);
		utf8_trim(e->detail);
	}
	return error;
}

void kerr_format(const struct kerr *e, char *text, size_t size)
{
	char error[64];
	const char *reason = strerror_r(-e->error, error, sizeof error);

	(void)snprintf(text, size, "%s%s%s: %s%s%s%s", e->stage ? e->stage : "",
		e->subject[0] ? " " : "", e->subject, reason, e->detail[0] ? " (" : "", e->detail,
		e->detail[0] ? ")" : "");
	if (size)
		utf8_trim(text);
}
