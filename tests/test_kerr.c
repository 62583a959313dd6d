/* SPDX-License-Identifier: Apache-2.0 */
/* Errors that say at which stage, on what, and why. */
#include "mountd/base/kerr.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

Test(kerr, returns_the_error_and_formats_it)
{
	struct kerr e;
	char text[512];

	cr_assert_eq(kerr_set(&e, -ELOOP, "open target", "/w/r1/sandbox", "a link below %s", "/w"),
		-ELOOP);
	kerr_format(&e, text, sizeof text);
	cr_assert_str_eq(text,
		"open target /w/r1/sandbox: Too many levels of symbolic links (a link below /w)");
}

Test(kerr, subject_and_detail_may_be_missing)
{
	struct kerr e;
	char text[512];

	(void)kerr_set(&e, -EPERM, "start threads", NULL, NULL);
	kerr_format(&e, text, sizeof text);
	cr_assert_str_eq(text, "start threads: Operation not permitted");
	cr_assert_eq(kerr_set(NULL, -EPERM, "start threads", NULL, NULL), -EPERM);
}

Test(kerr, long_texts_are_cut)
{
	struct kerr e;
	char subject[5000], text[64];

	memset(subject, 'x', sizeof subject - 1);
	subject[sizeof subject - 1] = '\0';
	(void)kerr_set(&e, -EIO, "write", subject, "%s", subject);
	cr_assert_eq(strlen(e.subject), sizeof e.subject - 1);
	kerr_format(&e, text, sizeof text);
	cr_assert_eq(strlen(text), sizeof text - 1);
}

Test(kerr, cuts_fall_between_characters)
{
	struct kerr e;
	char subject[512], text[32];

	for (size_t i = 0; i + 2 < sizeof subject; i += 2)
		memcpy(subject + i, "\u00e4", 3);
	(void)kerr_set(&e, -EIO, "write", subject, "%s", subject);
	cr_assert_eq(strlen(e.subject), 254);
	cr_assert_eq(strlen(e.detail), 254);
	for (size_t size = 20; size < sizeof text; size++) {
		kerr_format(&e, text, size);
		cr_assert_eq((strlen(text) - strlen("write ")) % 2, 0, "%s", text);
	}
	kerr_format(&e, text, 1);
	cr_assert_str_eq(text, "");
}
