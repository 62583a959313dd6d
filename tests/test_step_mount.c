/* SPDX-License-Identifier: Apache-2.0 */
/* A mount that is not even tried leaves no record of itself. */
#include "tests/step_daemon.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "mountd/mountinfo.h"

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
	cr_assert_eq(mountinfo_new(&d, &d.mountinfo), 0);
	parse("1");
}

static void tear_down(void)
{
	spec_clear(&spec);
	mountinfo_free(d.mountinfo);
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

static void fail(int error, const char *stage)
{
	struct kerr e;

	(void)kerr_set(&e, error, stage, NULL, NULL);
	run_fail(run, "mount-failed", 0, &e);
}

static void be_gone(void)
{
	struct kerr e;

	cr_assert_eq(run_hold_mount(run, &spec.mount), 0);
	run->in_force = true;
	run_event(run, EVENT_WISH);
	run_event(run, EVENT_DONE);
	cr_assert_eq(run->state, RUN_READY);
	(void)kerr_set(&e, -ESTALE, "be gone", NULL, NULL);
	run_gone(run, "mount-stale", &e);
}

Test(step_mount, what_is_gone_is_tried_anew_and_told_as_gone)
{
	be_gone();
	cr_expect_eq(run->state, RUN_RETRYING);
	cr_expect_not(run->in_force);
	cr_expect(run->holds_mount, "who sits in it keeps it");
	fail(-ENOENT, "mount");
	fail(-EACCES, "mount");
	cr_expect_eq(run->attempts, 3);
	cr_expect_eq(run->fault_error, -ESTALE);
	cr_expect(strstr(run->fault, "be gone"), "%s", run->fault);
}

Test(step_mount, what_fails_otherwise_is_told_from_then_on)
{
	be_gone();
	fail(-ETIMEDOUT, "mount");
	cr_expect_eq(run->fault_error, -ETIMEDOUT);
	fail(-ENOENT, "mount");
	cr_expect_eq(run->fault_error, -ENOENT);
	be_gone();
	run_clear_fault(run);
	fail(-ENOENT, "mount");
	cr_expect_eq(run->fault_error, -ENOENT);
}
