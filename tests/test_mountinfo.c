/* SPDX-License-Identifier: Apache-2.0 */
/* What the daemon tells the worker that unmounts: of what was moved meanwhile, ids do not tell. */
#include "mountd/mountinfo.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mountd/base/cleanup.h"
#include "nfs/mount_ids.h"

#define PATIENCE_MS 10000
#define HERE	    "/mnt/"
#define TARGET	    HERE "demo"
#define PASSING	    HERE "passing"

static struct daemon d;
static struct run *run, *passing;
static struct loop_timer *patience;

static void mount_one(const char *name)
{
	char path[64];

	(void)snprintf(path, sizeof path, HERE "%s", name);
	cr_assert_eq(mkdir(path, 0700), 0);
	cr_assert_eq(mount(name, path, "tmpfs", 0, NULL), 0, "%s: %s", path, strerror(errno));
}

/* In a namespace of the test's own: all of it ends with the test. */
static void make_mounts(void)
{
	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		cr_skip_test("needs a mount namespace of its own: %s", strerror(errno));
	cr_assert_eq(mount("here", HERE, "tmpfs", 0, NULL), 0);
	mount_one("demo");
	mount_one("passing");
	mount_one("foreign");
}

/* Any mount will do for a run's. */
static struct run *hold(const char *name, const char *target)
{
	_cleanup_close_ int fd = open(target, O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct run *held = runs_find_or_add(&d.runs, name, ROLE_MOUNT);
	struct statx st;

	cr_assert(held);
	held->daemon = &d;
	held->held_mount.volume = strdup(HERE);
	held->mounted_at = strdup(target);
	held->in_force = held->holds_mount = true;
	cr_assert_eq(statx(fd, "", AT_EMPTY_PATH, STATX_MNT_ID, &st), 0);
	held->mount_id = st.stx_mnt_id;
	if (mount_id_unique(fd, &held->unique_id) < 0)
		cr_skip_test("this kernel has no unique ids of mounts");
	return held;
}

static void on_plan(void *data)
{
	loop_stop(data);
}

static void on_patience_over(void *data)
{
	(void)data;
	cr_assert_fail("no look was taken");
}

static void set_up(void)
{
	make_mounts();
	run = hold("demo", TARGET);
	passing = hold("passing", PASSING);
	cr_assert_eq(loop_new(&d.loop), 0);
	cr_assert_eq(loop_timer_new(d.loop, on_plan, d.loop, &d.plan_timer), 0);
	cr_assert_eq(loop_timer_new(d.loop, on_patience_over, NULL, &patience), 0);
	cr_assert_eq(mountinfo_new(&d, &d.mountinfo), 0);
	mountinfo_find_orphans(d.mountinfo);
	cr_assert(run->looked_at);
}

static void read_table(void)
{
	daemon_plan_soon(&d); /* not before its first turn does the loop hear of changes */
	loop_run(d.loop);
	mountinfo_check_soon(d.mountinfo);
	daemon_plan_soon(&d);
	loop_run(d.loop);
}

static void tear_down(void)
{
	mountinfo_free(d.mountinfo);
	loop_timer_free(patience);
	loop_timer_free(d.plan_timer);
	loop_free(d.loop);
	while (d.runs.n)
		runs_drop(&d.runs, d.runs.list[0]);
	free(d.runs.list);
}

TestSuite(mountinfo, .init = set_up, .fini = tear_down);

/* As the worker finds it. */
static bool is_alone(void)
{
	_cleanup_close_ int since = -1;
	uint64_t id = mountinfo_only(d.mountinfo, run, &since);

	return id && mount_id_is_alone(id, TARGET, since > 0 ? since : 0);
}

static void move_onto_it(void)
{
	cr_assert_eq(mount(HERE "foreign", TARGET, NULL, MS_MOVE, NULL), 0);
}

/* The daemon's look at what has changed, which tells that the other run's mount is gone. */
static void let_the_other_go(void)
{
	cr_assert_eq(umount(PASSING), 0);
	loop_timer_set(patience, PATIENCE_MS);
	loop_run(d.loop);
	cr_assert_not(passing->in_force);
}

Test(mountinfo, one_that_stands_alone_is_not_looked_for)
{
	_cleanup_close_ int since = -1;

	read_table();
	cr_expect_eq(mountinfo_only(d.mountinfo, run, &since), run->unique_id);
	cr_expect_gt(since, 0, "nothing has changed since the table was read");
	cr_expect(is_alone());
	let_the_other_go();
	cr_expect(is_alone());
}

/* The loop's first question to the kernel takes what has changed since the table was opened. */
Test(mountinfo, what_comes_before_the_loop_runs_is_seen)
{
	cr_assert_eq(mount("over", TARGET, "tmpfs", 0, NULL), 0);
	daemon_plan_soon(&d);
	loop_run(d.loop);
	cr_expect_not(is_alone(), "the other mount would be taken off");
}

Test(mountinfo, what_is_moved_onto_it_before_the_next_look_is_seen)
{
	read_table();
	move_onto_it();
	cr_expect_not(is_alone(), "the other mount would be taken off");
}

Test(mountinfo, what_is_moved_onto_it_while_others_go_is_seen)
{
	read_table();
	move_onto_it();
	let_the_other_go();
	cr_expect(run->in_force, "by the ids nothing has come or gone");
	cr_expect_not(is_alone(), "the other mount would be taken off");
}
