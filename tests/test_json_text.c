/* SPDX-License-Identifier: Apache-2.0 */
/* Whatever bytes a text has, it becomes JSON. */
#include "mountd/json_text.h"

#include <criterion/criterion.h>

static void expect(const char *text, const char *wanted)
{
	json_t *value = json_text(text);

	cr_assert_not_null(value);
	cr_expect_str_eq(json_string_value(value), wanted);
	json_decref(value);
}

Test(json_text, good_texts_stay)
{
	expect("", "");
	expect("a\n\"b\"", "a\n\"b\"");
	expect("gr\u00fcn \u20ac \U0001f600", "gr\u00fcn \u20ac \U0001f600");
}

Test(json_text, bad_bytes_are_replaced)
{
	expect("a\xff"
	       "b",
		"a?b");
	expect("cut \xe2\x82", "cut ??");
	expect("\xc0\x80 \xed\xa0\x80", "?? ???");
	cr_expect_null(json_text(NULL));
}
