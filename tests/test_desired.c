/* SPDX-License-Identifier: Apache-2.0 */
/* What spec files ask for: order, replacement, faults that leave the last good version in force. */
#include "mountd/desired.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static int put(struct desired *d, const char *file, const char *run, const char *incarnation)
{
	char text[256];
	struct spec spec;
	struct spec_fault fault;

	(void)snprintf(text, sizeof text,
		"{\"kind\":\"mount\",\"run\":\"%s\",\"incarnation\":\"%s\",\"server\":\"10.0.0.1\","
		"\"volume\":\"/w\",\"uid\":1,\"gid\":1}",
		run, incarnation);
	cr_assert_eq(spec_parse(text, strlen(text), &spec, &fault), 0, "%s", fault.message);
	return desired_put(d, file, &spec);
}

Test(desired, says_whether_something_changed)
{
	struct desired d = {0};

	cr_expect_eq(put(&d, "a.json", "r", "1"), 1);
	cr_expect_eq(put(&d, "a.json", "r", "1"), 0);
	cr_expect_eq(put(&d, "a.json", "r", "2"), 1);
	cr_expect_eq(desired_put_fault(&d, "a.json", "broken"), 1);
	cr_expect_eq(desired_put_fault(&d, "a.json", "broken"), 0);
	cr_expect_eq(desired_put_fault(&d, "a.json", "otherwise"), 1);
	cr_expect_eq(put(&d, "a.json", "r", "2"), 1, "good again");
	cr_expect_null(desired_file(&d, "a.json")->fault);
	cr_expect_eq(desired_remove(&d, "b.json"), 0);
	cr_expect_eq(desired_remove(&d, "a.json"), 1);
	cr_expect_eq(d.n, 0);
	desired_clear(&d);
}

Test(desired, broken_file_keeps_its_last_good_version)
{
	struct desired d = {0};

	(void)put(&d, "a.json", "r", "1");
	(void)desired_put_fault(&d, "a.json", "broken");
	cr_assert(desired_find(&d, "r", ROLE_MOUNT));
	cr_expect_str_eq(desired_find(&d, "r", ROLE_MOUNT)->spec.mount.id.incarnation, "1");
	(void)desired_put_fault(&d, "new.json", "broken from the start");
	cr_expect_not(desired_file(&d, "new.json")->has_spec);
	desired_clear(&d);
}

Test(desired, first_by_name_counts)
{
	struct desired d = {0};

	(void)put(&d, "b.json", "r", "b");
	(void)put(&d, "c.json", "r", "c");
	cr_expect_str_eq(desired_find(&d, "r", ROLE_MOUNT)->name, "b.json");
	(void)put(&d, "a.json", "r", "a");
	cr_expect_str_eq(desired_find(&d, "r", ROLE_MOUNT)->name, "a.json");
	(void)desired_remove(&d, "a.json");
	cr_expect_str_eq(desired_find(&d, "r", ROLE_MOUNT)->name, "b.json");
	cr_expect_null(desired_find(&d, "r", ROLE_EXPORT));
	cr_expect_null(desired_find(&d, "s", ROLE_MOUNT));
	desired_clear(&d);
}

Test(desired, lists_who_speaks_of_a_run)
{
	struct desired d = {0};
	struct desired_file *const *files;
	size_t n;

	(void)desired_of(&d, "r", ROLE_MOUNT, &n);
	cr_expect_eq(n, 0);
	(void)put(&d, "b.json", "r", "1");
	(void)put(&d, "d.json", "q", "1");
	(void)put(&d, "a.json", "s", "1");
	(void)put(&d, "c.json", "r", "1");
	(void)desired_put_fault(&d, "0.json", "broken from the start");
	files = desired_of(&d, "r", ROLE_MOUNT, &n);
	cr_assert_eq(n, 2);
	cr_expect_str_eq(files[0]->name, "b.json");
	cr_expect_str_eq(files[1]->name, "c.json");
	(void)put(&d, "b.json", "s", "1");
	(void)desired_put_fault(&d, "c.json", "broken");
	files = desired_of(&d, "r", ROLE_MOUNT, &n);
	cr_assert_eq(n, 1);
	cr_expect_str_eq(files[0]->name, "c.json");
	files = desired_of(&d, "s", ROLE_MOUNT, &n);
	cr_assert_eq(n, 2);
	cr_expect_str_eq(files[1]->name, "b.json");
	(void)desired_remove(&d, "c.json");
	(void)desired_of(&d, "r", ROLE_MOUNT, &n);
	cr_expect_eq(n, 0);
	(void)desired_of(&d, "s", ROLE_EXPORT, &n);
	cr_expect_eq(n, 0);
	desired_clear(&d);
}

Test(desired, finds_each_among_many)
{
	struct desired d = {0};
	char name[32], run[16];

	for (unsigned i = 0; i < 1000; i++) {
		(void)snprintf(name, sizeof name, "f%03u.json", i * 7919 % 1000);
		(void)snprintf(run, sizeof run, "r%03u", i);
		cr_assert_eq(put(&d, name, run, "1"), 1);
	}
	for (unsigned i = 0; i < 1000; i += 2) {
		(void)snprintf(name, sizeof name, "f%03u.json", i * 7919 % 1000);
		(void)desired_remove(&d, name);
	}
	for (unsigned i = 0; i < 1000; i++) {
		const struct desired_file *file;

		(void)snprintf(name, sizeof name, "f%03u.json", i * 7919 % 1000);
		(void)snprintf(run, sizeof run, "r%03u", i);
		file = desired_find(&d, run, ROLE_MOUNT);
		cr_expect_eq(file != NULL, i % 2, "%s", run);
		cr_expect(!file || strcmp(file->name, name) == 0, "%s", run);
	}
	desired_clear(&d);
}

Test(desired, stays_sorted)
{
	struct desired d = {0};
	char name[32];

	for (unsigned i = 0; i < 1000; i++) {
		(void)snprintf(name, sizeof name, "f%03u.json", i * 7919 % 1000);
		cr_assert_eq(put(&d, name, "r", "1"), 1);
	}
	for (size_t i = 1; i < d.n; i++)
		cr_assert_lt(strcmp(d.files[i - 1]->name, d.files[i]->name), 0);
	cr_expect_eq(d.n, 1000);
	desired_clear(&d);
}

Test(desired, tells_whose_specs_have_changed)
{
	struct desired d = {0};

	(void)put(&d, "a.json", "r", "1");
	(void)put(&d, "b.json", "r", "1");
	cr_expect_eq(d.n_changed, 1);
	cr_expect_str_eq(d.changed[0], "r");
	d.n_changed = 0;
	(void)put(&d, "a.json", "r", "1");
	(void)desired_put_fault(&d, "a.json", "broken");
	cr_expect_eq(d.n_changed, 0, "a fault leaves the last good version in force");
	(void)put(&d, "a.json", "s", "1");
	cr_expect_eq(d.n_changed, 2, "the one that it spoke of, and the one it speaks of");
	d.n_changed = 0;
	(void)desired_remove(&d, "a.json");
	cr_expect_eq(d.n_changed, 1);
	cr_expect_str_eq(d.changed[0], "s");
	desired_clear(&d);
}

Test(desired, says_when_it_has_lost_count_of_changes)
{
	struct desired d = {0};
	char name[16];

	for (int i = 0; i <= DESIRED_CHANGED_MAX + 5; i++) {
		(void)snprintf(name, sizeof name, "r%d", i);
		(void)put(&d, name, name, "1");
	}
	cr_expect_gt(d.n_changed, DESIRED_CHANGED_MAX);
	desired_clear(&d);
}
