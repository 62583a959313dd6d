/* SPDX-License-Identifier: Apache-2.0 */
/* The watch's end of the control socket and the daemon's, with each other, in one loop. */
#include "mountd/watch_link.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mountd/base/log.h"
#include "mountd/control.h"
#include "mountd/mountinfo.h"
#include "mountd/server.h"

#define PATIENCE_MS 20000
#define MANY	    1500

static struct daemon d;
static struct link *wl;
static struct loop_timer *turn_timer;
static char folder[] = "/tmp/test-watch-link.XXXXXX", socket_path[64];
static unsigned changes;

/* Plans nothing, but tells who waits, as the daemon's plan does. */
static void on_plan(void *data)
{
	(void)data;
	control_check(d.control);
}

static void on_specs(void *data)
{
	daemon_sync(data);
}

static void on_change(void *data)
{
	(void)data;
	changes++;
}

static void stop_loop(void *data)
{
	loop_stop(data);
}

static void start_daemon(void)
{
	struct kerr e;

	cr_assert_eq(source_dir_new(d.loop, folder, &d.desired, on_specs, &d, &d.source, &e), 0);
	cr_assert_eq(control_new(&d, &d.control, &e), 0, "%s", e.detail);
	daemon_sync(&d);
}

static void stop_daemon(void)
{
	control_free(d.control);
	source_dir_free(d.source);
	desired_clear(&d.desired);
	while (d.runs.n)
		runs_drop(&d.runs, d.runs.list[0]);
}

static void set_up(void)
{
	log_set(LOG_FORMAT_TEXT, LOG_LEVEL_ERROR);
	cr_assert(mkdtemp(folder));
	(void)snprintf(socket_path, sizeof socket_path, "%s/control.sock", folder);
	d.preflight = PREFLIGHT_NONE;
	d.preflight.state = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	d.preflight.control_gid = getgid();
	d.options.runtime_dir = d.options.state_dir = folder;
	cr_assert_eq(loop_new(&d.loop), 0);
	cr_assert_eq(loop_timer_new(d.loop, on_plan, NULL, &d.plan_timer), 0);
	cr_assert_eq(loop_timer_new(d.loop, stop_loop, d.loop, &turn_timer), 0);
	cr_assert_eq(server_new(&d, &d.server), 0);
	cr_assert_eq(mountinfo_new(&d, &d.mountinfo), 0);
	start_daemon();
	cr_assert_eq(link_new(d.loop, socket_path, on_change, NULL, &wl), 0);
}

static void tear_down(void)
{
	char command[64];

	link_free(wl);
	stop_daemon();
	mountinfo_free(d.mountinfo);
	server_free(d.server);
	free(d.runs.list);
	loop_timer_free(d.plan_timer);
	loop_timer_free(turn_timer);
	loop_free(d.loop);
	(void)snprintf(command, sizeof command, "rm -rf %s", folder);
	cr_expect_eq(system(command), 0); /* NOLINT */
}

TestSuite(watch_link, .init = set_up, .fini = tear_down);

static void until(bool (*fn)(void), const char *what)
{
	uint64_t end = loop_clock_ms() + PATIENCE_MS;

	while (!fn()) {
		cr_assert_lt(loop_clock_ms(), end, "%s", what);
		loop_timer_set(turn_timer, 5);
		loop_run(d.loop);
	}
}

static bool is_current(void)
{
	return link_is_current(wl);
}

static bool is_down(void)
{
	return !link_is_up(wl);
}

static void want(size_t n)
{
	struct spec *specs = calloc(n + 1, sizeof *specs);

	for (size_t i = 0; i < n; i++) {
		struct mount *m = &specs[i].mount;

		specs[i].role = ROLE_MOUNT;
		*m = (struct mount){.kind = MOUNT_NFS, .port = 20490, .uid = 1, .gid = 1};
		(void)snprintf(m->id.run, sizeof m->id.run, "run-%zu", i);
		(void)snprintf(m->id.incarnation, sizeof m->id.incarnation, "i");
		cr_assert_eq(addr_parse("192.0.2.1", &m->server), 0);
		m->volume = strdup("/srv/workspaces/with-a-name-of-some-length");
	}
	cr_assert_eq(link_want(wl, specs, n), 0);
	for (size_t i = 0; i < n; i++)
		spec_clear(&specs[i]);
	free(specs);
}

Test(watch_link, what_is_wanted_is_wished_for_and_seen)
{
	want(1);
	until(is_current, "the daemon has taken it");
	cr_assert(desired_file(&d.desired, "kubernetes.run-0.mount.json"));
	cr_assert(link_find(wl, "run-0", ROLE_MOUNT));
	cr_expect_str_eq(link_find(wl, "run-0", ROLE_MOUNT)->incarnation, "i");
	cr_expect_not(link_find(wl, "run-0", ROLE_MOUNT)->ready);
	cr_expect_null(link_find(wl, "run-0", ROLE_EXPORT));
	want(0);
	cr_expect_not(link_is_current(wl), "what is known is of before");
	until(is_current, "the daemon has taken it");
	cr_expect_eq(d.desired.n, 0);
}

static bool is_faulty(void)
{
	const struct link_run *run = link_find(wl, "run-0", ROLE_MOUNT);

	return run && strcmp(run->fault, "it broke") == 0 && strcmp(run->error, "EIO") == 0;
}

Test(watch_link, change_is_heard_without_asking_again)
{
	struct run *run;

	want(1);
	until(is_current, "the daemon has taken it");
	run = runs_find(&d.runs, "run-0", ROLE_MOUNT);
	(void)run_set_fault(run, -EIO, "it broke");
	daemon_plan_soon(&d);
	until(is_faulty, "the fault is heard");
}

Test(watch_link, many_come_in_several_parts)
{
	want(MANY);
	until(is_current, "the daemon has taken it");
	cr_expect_eq(d.desired.n, MANY);
	cr_expect(link_find(wl, "run-1499", ROLE_MOUNT));
	want(MANY / 2);
	until(is_current, "the daemon has taken it");
	cr_expect_eq(d.desired.n, MANY / 2);
}

Test(watch_link, daemon_that_is_restarted)
{
	want(2);
	until(is_current, "the daemon has taken it");
	stop_daemon();
	until(is_down, "its end is noticed");
	cr_expect_not(link_is_current(wl));
	start_daemon();
	cr_expect_eq(d.desired.n, 2, "what was wanted stays in force");
	want(1);
	until(is_current, "it is told anew");
	cr_expect_eq(d.desired.n, 1);
}
