/* SPDX-License-Identifier: Apache-2.0 */
/* What is in force rests; whatever changes it wakes it. */
#include "mountd/run.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct runs runs;

static void parse(struct spec *spec, const char *kind, const char *name, const char *more)
{
	char text[256];
	struct spec_fault fault;

	(void)snprintf(text, sizeof text,
		"{\"kind\":\"%s\",\"run\":\"%s\",\"incarnation\":\"1\",\"volume\":\"/w\",%s,"
		"\"uid\":1,\"gid\":1}",
		kind, name, more);
	cr_assert_eq(spec_parse(text, strlen(text), spec, &fault), 0, "%s", fault.message);
}

static struct run *add(struct spec *spec, const char *name)
{
	struct run *run = runs_find_or_add(&runs, name, spec->role);

	cr_assert_eq(run_set_wish(run, spec), 1);
	cr_assert_eq(run_set_want(run, spec), 1);
	return run;
}

static struct run *add_export(const char *name)
{
	struct spec spec;
	struct run *run;

	parse(&spec, "export", name, "\"clients\":[\"10.0.0.1\"]");
	run = add(&spec, name);
	cr_assert_eq(run_hold_export(run, &spec.export, true), 0);
	run_event(run, EVENT_START);
	run_event(run, EVENT_DONE);
	spec_clear(&spec);
	return run;
}

static struct run *add_mount(const char *name)
{
	struct spec spec;
	struct run *run;

	parse(&spec, "mount", name, "\"server\":\"10.0.0.1\"");
	run = add(&spec, name);
	cr_assert_eq(run_hold_mount(run, &spec.mount), 0);
	run->in_force = run->looked_at = true;
	run_event(run, EVENT_START);
	run_event(run, EVENT_DONE);
	spec_clear(&spec);
	return run;
}

static void expect_awake(struct run *run, const char *why)
{
	cr_expect(run->awake, "%s", why);
	cr_expect_eq(runs.last, run, "%s", why);
	cr_expect_eq(runs.n_resting[run->role], 0, "%s", why);
	run_rest(run);
	cr_expect_not(run->awake);
	cr_expect_null(runs.first);
	cr_expect_eq(runs.n_resting[run->role], 1);
}

static void tear_down(void)
{
	while (runs.n)
		runs_drop(&runs, runs.list[0]);
	cr_expect_null(runs.first);
	cr_expect_null(runs.last);
	cr_expect_eq(runs.n_resting[ROLE_EXPORT] + runs.n_resting[ROLE_MOUNT], 0);
	free(runs.list);
}

TestSuite(run_rest, .fini = tear_down);

Test(run_rest, only_what_is_in_force_as_wished_may_rest)
{
	struct run *export = add_export("a"), *mount = add_mount("b");

	cr_expect(run_may_rest(export));
	cr_expect(run_may_rest(mount));
	export->busy = mount->busy = BUSY_ENDING;
	cr_expect_not(run_may_rest(export) || run_may_rest(mount));
	export->busy = mount->busy = BUSY_NOT;
	export->stuck = mount->stuck = 1;
	cr_expect_not(run_may_rest(export) || run_may_rest(mount));
	export->stuck = mount->stuck = 0;
	mount->looked_at = false;
	cr_expect_not(run_may_rest(mount), "who looks at mounts looks at those awake");
	mount->looked_at = true;
	mount->in_force = false;
	cr_expect_not(run_may_rest(mount));
	export->held[0].served = false;
	cr_expect_not(run_may_rest(export));
	export->held[0].served = true;
	export->held[0].remade = true;
	cr_expect_not(run_may_rest(export) || run_is_served(export), "its folder is no more");
	export->held[0].remade = false;
	export->held[0].n_dropped = 1;
	cr_expect_not(run_may_rest(export));
	export->held[0].n_dropped = 0;
	cr_expect(run_may_rest(export));
	cr_assert_eq(run_set_want(export, NULL), 1);
	cr_expect_not(run_may_rest(export));
}

Test(run_rest, an_export_wakes_by_whatever_changes)
{
	struct run *run = add_export("a");
	struct spec other;

	expect_awake(run, "new");
	run_event(run, EVENT_LOST);
	expect_awake(run, "its state");
	parse(&other, "export", "a", "\"clients\":[\"10.0.0.2\"]");
	cr_assert_eq(run_set_wish(run, &other), 1);
	expect_awake(run, "its wish");
	cr_assert_eq(run_set_want(run, &other), 1);
	expect_awake(run, "its want");
	cr_assert_eq(run_set_want(run, &other), 0);
	cr_expect_not(run->awake, "the same is no change");
	cr_assert_eq(run_hold_export(run, &other.export, true), 0);
	expect_awake(run, "what it holds");
	run_drop_export(run, &other.export.id);
	expect_awake(run, "what it holds no more");
	spec_clear(&other);
}

Test(run_rest, a_mount_wakes_by_whatever_changes)
{
	struct run *run = add_mount("a");
	unsigned left;

	expect_awake(run, "new");
	run_event(run, EVENT_LOST);
	expect_awake(run, "its state");
	cr_assert_eq(run_hold_mount(run, &run->want.mount), 0);
	expect_awake(run, "what it holds");
	run_look_again(run);
	expect_awake(run, "it is to be seen again");
	left = runs.left;
	run_drop_mount(run);
	expect_awake(run, "what it holds no more");
	cr_expect_neq(runs.left, left);
}

Test(run_rest, those_awake_are_in_the_order_in_which_they_woke)
{
	struct run *b = add_export("b"), *a = add_export("a"), *c = add_export("c");

	cr_expect(runs.first == b && b->next == a && a->next == c && !c->next);
	run_rest(a);
	cr_expect(runs.first == b && b->next == c && c->before == b);
	run_event(a, EVENT_LOST);
	cr_expect(runs.last == a && c->next == a);
	runs_drop(&runs, b);
	cr_expect(runs.first == c && !c->before);
	cr_expect_eq(runs.n_resting[ROLE_EXPORT], 0);
}
