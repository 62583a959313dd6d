/* SPDX-License-Identifier: Apache-2.0 */
/* When the server may begin: not while a former daemon's exports could be lost. */
#include "mountd/settled.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct runs runs;

static struct run *add(const char *name)
{
	char text[256];
	struct spec spec;
	struct spec_fault fault;
	struct run *run = runs_find_or_add(&runs, name, ROLE_EXPORT);

	(void)snprintf(text, sizeof text,
		"{\"kind\":\"export\",\"run\":\"%s\",\"incarnation\":\"1\",\"volume\":\"/w\","
		"\"clients\":[\"10.0.0.1\"],\"uid\":1,\"gid\":1}",
		name);
	cr_assert_eq(spec_parse(text, strlen(text), &spec, &fault), 0, "%s", fault.message);
	cr_assert_eq(run_set_wish(run, &spec), 1);
	cr_assert_eq(run_set_want(run, &spec), 1);
	spec_clear(&spec);
	return run;
}

static void tear_down(void)
{
	while (runs.n)
		runs_drop(&runs, runs.list[0]);
	free(runs.list);
}

TestSuite(settled, .fini = tear_down);

Test(settled, inherited_exports_count_only_once_they_are_served)
{
	bool wanted;
	struct run *run;

	cr_expect_eq(runs_settled(&runs, &wanted), SETTLED);
	cr_expect_not(wanted);
	run = add("held");
	cr_assert_eq(run_hold_export(run, &run->want.export, false), 0);
	cr_expect_eq(runs_settled(&runs, &wanted), UNSETTLED);
	cr_expect(wanted);
	run->attempts = 3;
	cr_expect_eq(runs_settled(&runs, &wanted), SETTLED_BUT_INHERITED);
	cr_assert_eq(run_hold_export(run, &run->want.export, true), 0);
	cr_expect_eq(runs_settled(&runs, &wanted), SETTLED);
}

Test(settled, what_was_never_in_force_holds_nobody_up_after_one_failure)
{
	bool wanted;
	struct run *run = add("a"), *held = add("held");

	cr_expect_eq(runs_settled(&runs, &wanted), UNSETTLED);
	run->attempts = 1;
	held->attempts = 1;
	cr_expect_eq(runs_settled(&runs, &wanted), SETTLED);
	cr_assert_eq(run_hold_export(held, &held->want.export, false), 0);
	held->held[0].former = false;
	cr_expect_eq(runs_settled(&runs, &wanted), SETTLED, "an attempt of ours left it");
	run->attempts = 0;
	cr_expect_eq(runs_settled(&runs, &wanted), UNSETTLED, "one untried outweighs");
}

Test(settled, an_end_that_fails_holds_nobody_up)
{
	bool wanted;
	struct run *run = add("moved");

	cr_expect_eq(runs_settled(&runs, &wanted), UNSETTLED);
	run->end_failures = 1;
	cr_expect_eq(runs_settled(&runs, &wanted), SETTLED);
	cr_assert_eq(run_hold_export(run, &run->want.export, false), 0);
	cr_expect_eq(runs_settled(&runs, &wanted), SETTLED_BUT_INHERITED);
}

Test(settled, what_rests_wants_the_server_and_holds_nobody_up)
{
	bool wanted;
	struct run *run = add("held");

	cr_assert_eq(run_hold_export(run, &run->want.export, true), 0);
	run_rest(run);
	cr_expect_eq(runs_settled(&runs, &wanted), SETTLED);
	cr_expect(wanted);
}
