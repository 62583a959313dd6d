/* SPDX-License-Identifier: Apache-2.0 */
/* A mount that is not even tried leaves no record of itself. */
#include "tests/step_daemon.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define RECORD "demo.mount.json"

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
	daemon_set_up(ROLE_MOUNT, never);
	parse("1");
}

static void tear_down(void)
{
	spec_clear(&spec);
	daemon_tear_down();
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
