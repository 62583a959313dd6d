/* SPDX-License-Identifier: Apache-2.0 */
/* Strict parsers: numbers, names, paths. */
#include "mountd/base/parse.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <limits.h>
#include <string.h>

Test(parse, unsigned_takes_digits_in_range)
{
	uint64_t value = 7;

	cr_assert_eq(parse_unsigned("10", 10, 3600, &value), 0);
	cr_assert_eq(value, 10);
	cr_assert_eq(parse_unsigned("3600", 10, 3600, &value), 0);
	cr_assert_eq(value, 3600);
	cr_assert_eq(parse_unsigned("18446744073709551615", 0, UINT64_MAX, &value), 0);
	cr_assert_eq(value, UINT64_MAX);
}

Test(parse, unsigned_refuses_and_leaves_the_result_alone)
{
	static const struct {
		const char *text;
		int error;
	} cases[] = {
		{"", -EINVAL},
		{" 10", -EINVAL},
		{"10 ", -EINVAL},
		{"+10", -EINVAL},
		{"-1", -EINVAL},
		{"0x10", -EINVAL},
		{"1e3", -EINVAL},
		{"9", -ERANGE},
		{"3601", -ERANGE},
		{"0", -ERANGE},
		{"18446744073709551616", -ERANGE},
		{"99999999999999999999999", -ERANGE},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		uint64_t value = 7;
		cr_expect_eq(parse_unsigned(cases[i].text, 10, 3600, &value), cases[i].error,
			"\"%s\"", cases[i].text);
		cr_expect_eq(value, 7);
	}
}

Test(parse, names_are_labels)
{
	static const char *const good[] = {"a", "0", "run-1",
		"0c6e7f3a-1b2c-4d5e-8f90-a1b2c3d4e5f6",
		"123456789012345678901234567890123456789012345678901234567890123"};
	static const char *const bad[] = {"", "-a", "a-", "A", "a_b", "a.b", "a/b", "..", "a\n",
		"\xc3\xa4", "1234567890123456789012345678901234567890123456789012345678901234"};

	for (size_t i = 0; i < sizeof good / sizeof *good; i++)
		cr_expect(name_is_valid(good[i]), "\"%s\"", good[i]);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		cr_expect_not(name_is_valid(bad[i]), "\"%s\"", bad[i]);
}

Test(parse, names_of_4000_characters_are_refused)
{
	char name[4001];

	memset(name, 'a', 4000);
	name[4000] = '\0';
	cr_assert_not(name_is_valid(name));
}

Test(parse, absolute_paths)
{
	static const char *const good[] = {"/", "/a", "/a/b", "/a b/…", "/a/...", "/.a"};
	static const struct {
		const char *path, *fault;
	} bad[] = {
		{"", "is empty"},
		{"a", "is not absolute"},
		{"./a", "is not absolute"},
		{"//", "has an empty component"},
		{"/a//b", "has an empty component"},
		{"/a/", "has an empty component"},
		{"/a/./b", "has a \".\" component"},
		{"/a/../b", "has a \"..\" component"},
		{"/..", "has a \"..\" component"},
		{"/a\nb", "has a control character"},
		{"/a\x7f", "has a control character"},
	};

	for (size_t i = 0; i < sizeof good / sizeof *good; i++)
		cr_expect_null(path_absolute_fault(good[i]), "\"%s\"", good[i]);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		const char *fault = path_absolute_fault(bad[i].path);
		cr_expect(fault && strcmp(fault, bad[i].fault) == 0, "\"%s\"", bad[i].path);
	}
}

Test(parse, relative_paths)
{
	cr_expect_null(path_relative_fault("."));
	cr_expect_null(path_relative_fault("a/b"));
	cr_expect_str_eq(
		path_relative_fault("/a"), "is absolute, but must be relative to its volume");
	cr_expect_str_eq(path_relative_fault(".."), "has a \"..\" component");
	cr_expect_str_eq(path_relative_fault("a/.."), "has a \"..\" component");
	cr_expect_str_eq(path_relative_fault("a/"), "has an empty component");
	cr_expect_str_eq(path_relative_fault(""), "is empty");
}

Test(parse, long_paths)
{
	char path[PATH_MAX + 1], component[300];

	for (size_t i = 0; i < PATH_MAX; i++)
		path[i] = i % 2 ? 'a' : '/';
	path[PATH_MAX] = '\0';
	cr_expect_str_eq(path_absolute_fault(path), "is longer than 4095 bytes");
	path[PATH_MAX - 2] = '\0';
	cr_expect_null(path_absolute_fault(path));

	memset(component, 'a', sizeof component - 1);
	component[0] = '/';
	component[sizeof component - 1] = '\0';
	cr_expect_str_eq(path_absolute_fault(component), "has a component of more than 255 bytes");
}
