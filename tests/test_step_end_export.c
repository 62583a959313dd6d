/* SPDX-License-Identifier: Apache-2.0 */
/* The end of an export whose record does not go: what was revoked is not revoked once more. */
#include "tests/step_daemon.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mountd/client_watch.h"
#include "mountd/server.h"

#define PATIENCE_MS 20000
#define RECORD	    "demo.1.export.json"

static struct loop_timer *patience;

static void on_plan(void *data)
{
	loop_stop(data);
}

static void on_patience_over(void *data)
{
	(void)data;
	cr_assert_fail("nothing came back");
}

static struct export export_of_demo(void)
{
	static const char text[] =
		"{\"kind\":\"export\",\"run\":\"demo\",\"incarnation\":\"1\","
		"\"volume\":\"/nowhere\",\"clients\":[\"10.0.0.1\"],\"uid\":1,\"gid\":1}";
	struct spec spec;
	struct spec_fault fault;

	cr_assert_eq(spec_parse(text, strlen(text), &spec, &fault), 0, "%s", fault.message);
	return spec.export;
}

static void hold(void)
{
	struct export export = export_of_demo();

	cr_assert_eq(run_hold_export(run, &export, true), 0);
	export_clear(&export);
}

/* Without threads of nfsd nobody holds anything: the worker's coming is what is looked at. */
static void set_up(void)
{
	daemon_set_up(ROLE_EXPORT, on_plan);
	cr_assert_eq(loop_timer_new(d.loop, on_patience_over, NULL, &patience), 0);
	cr_assert_eq(server_new(&d, &d.server), 0);
	cr_assert_eq(client_watch_new(&d, &d.client_watch), 0);
	hold();
	loop_timer_set(patience, PATIENCE_MS);
}

static void tear_down(void)
{
	client_watch_free(d.client_watch);
	server_free(d.server);
	loop_timer_free(patience);
	daemon_tear_down();
}

TestSuite(step_end_export, .init = set_up, .fini = tear_down);

/* True where it took a worker. */
static bool end_export(void)
{
	bool worker;

	step_end_export(run, &run->held[0].export);
	worker = run->job != NULL;
	while (run->busy != BUSY_NOT)
		loop_run(d.loop);
	return worker;
}

/* A folder in its place: not even root unlinks that. */
static void stop_the_record_from_going(void)
{
	cr_assert_eq(mkdirat(d.preflight.attached, RECORD, 0700), 0);
}

static void let_the_record_go(void)
{
	cr_assert_eq(unlinkat(d.preflight.attached, RECORD, AT_REMOVEDIR), 0);
}

Test(step_end_export, ends_with_its_record)
{
	int fd = openat(d.preflight.attached, RECORD, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	cr_assert_geq(fd, 0);
	(void)close(fd);
	cr_expect(end_export());
	cr_expect_eq(run->n_held, 0);
	cr_expect_lt(faccessat(d.preflight.attached, RECORD, F_OK, 0), 0);
}

Test(step_end_export, is_not_revoked_again_for_its_record)
{
	stop_the_record_from_going();
	run->held[0].folder = dup(d.preflight.attached);
	cr_expect(end_export());
	cr_assert_eq(run->n_held, 1);
	cr_expect_eq(run->fault_error, -EISDIR);
	cr_expect(run->fault && strstr(run->fault, "remove record of demo"), "%s", run->fault);
	cr_expect_eq(run->held[0].folder, -1, "its filesystem is not in use meanwhile");
	cr_expect_not(end_export(), "it was revoked again");
	cr_expect_eq(run->n_held, 1);
	cr_expect_eq(run->end_failures, 2);
	cr_expect_gt(run->not_before_ms, 0);
	let_the_record_go();
	cr_expect_not(end_export(), "it was revoked again");
	cr_expect_eq(run->n_held, 0);
}

Test(step_end_export, what_is_exported_again_is_revoked_again)
{
	stop_the_record_from_going();
	cr_expect(end_export());
	hold();
	cr_expect(end_export());
	cr_expect_eq(run->n_held, 1);
}
