/* SPDX-License-Identifier: Apache-2.0 */
/* Strings in one piece of memory with what they belong to. */
#include "mountd/texts.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

static struct texts t;

Test(texts, come_out_in_the_order_in_which_they_went_in)
{
	size_t offset = 0;

	cr_assert_eq(texts_put(&t, "one"), 0);
	cr_assert_eq(texts_put(&t, NULL), 0);
	cr_assert_eq(texts_put(&t, "three"), 0);
	cr_expect_str_eq(texts_next(&t, &offset), "one");
	cr_expect_null(texts_next(&t, &offset));
	cr_expect_str_eq(texts_next(&t, &offset), "three");
	cr_expect_eq(offset, t.size);
}

Test(texts, four_paths_have_room_and_no_more)
{
	static char path[PATH_MAX];
	size_t offset = 0;

	memset(path, 'x', PATH_MAX - 1);
	for (int i = 0; i < 4; i++)
		cr_assert_eq(texts_put(&t, path), 0);
	cr_expect_eq(texts_put(&t, ""), -ENAMETOOLONG);
	cr_expect_eq(t.size, sizeof t.bytes);
	for (int i = 0; i < 4; i++)
		cr_expect_str_eq(texts_next(&t, &offset), path);
}

Test(texts, only_what_is_used_counts)
{
	struct {
		int number;
		struct texts texts;
	} holder = {0};

	cr_assert_eq(texts_put(&holder.texts, "abc"), 0);
	cr_expect_eq(TEXTS_END(holder), (size_t)(holder.texts.bytes + 4 - (char *)&holder));
}
