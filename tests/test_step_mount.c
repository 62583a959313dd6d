/* SPDX-License-Identifier: Apache-2.0 */
/* A mount that is not even tried leaves no record of itself. */
#include "mountd/steps.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RECORD "demo.mount.json"

static char folder[] = "/tmp/kora-test-step.XXXXXX";
static struct daemon d;
static struct run *run;
static struct spec spec;
static bool no_memory;

/* In place of the C library's. */
char *strdup(const char *text)
{
	size_t size = strlen(text) + 1;
	char *copy = no_memory ? NULL : malloc(size);

	return copy ? memcpy(copy, text, size) : NULL;
}

static void parse(const char *incarnation)
{
	char text[256];
	struct spec_fault fault;

	spec_clear(&spec);
	(void)snprintf(text, sizeof text,
		"{\"kind\":\"mount\",\"run\":\"demo\",\"incarnation\":\"%s\",\"volume\":\"/w\","
		"\"server\":\"10.0.0.1\",\"uid\":1,\"gid\":1}",
		incarnation);
	cr_assert_eq(spec_parse(text, strlen(text), &spec, &fault), 0, "%s", fault.message);
}

static void never(void *data)
{
	(void)data;
}

static void set_up(void)
{
	cr_assert(mkdtemp(folder));
	d.preflight = PREFLIGHT_NONE;
	d.preflight.attached = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	cr_assert_geq(d.preflight.attached, 0);
	cr_assert_eq(loop_new(&d.loop), 0);
	cr_assert_eq(loop_timer_new(d.loop, never, NULL, &d.plan_timer), 0);
	parse("1");
	run = runs_find_or_add(&d.runs, "demo", ROLE_MOUNT);
	cr_assert(run);
	run->daemon = &d;
}

static void tear_down(void)
{
	char command[64];

	runs_drop(&d.runs, run);
	free(d.runs.list);
	spec_clear(&spec);
	loop_timer_free(d.plan_timer);
	loop_free(d.loop);
	preflight_clear(&d.preflight);
	(void)snprintf(command, sizeof command, "rm -rf %s", folder);
	cr_expect_eq(system(command), 0); /* NOLINT */
}

TestSuite(step_mount, .init = set_up, .fini = tear_down);

static void attach_without_memory(void)
{
	no_memory = true;
	step_attach(run, &spec.mount);
	no_memory = false;
	cr_expect_eq(run->fault_error, -ENOMEM);
	cr_expect_eq(run->attempts, 1);
	cr_expect_eq(run->busy, BUSY_NOT);
}

static bool is_recorded(void)
{
	return faccessat(d.preflight.attached, RECORD, F_OK, 0) == 0;
}

Test(step_mount, what_is_not_tried_for_want_of_memory_leaves_no_record)
{
	attach_without_memory();
	cr_expect_not(run->holds_mount);
	cr_expect_not(is_recorded());
}

Test(step_mount, the_record_of_a_mount_that_is_held_stays)
{
	cr_assert_eq(run_hold_mount(run, &spec.mount), 0);
	parse("2");
	attach_without_memory();
	cr_expect(run->holds_mount);
	cr_expect(is_recorded());
}
