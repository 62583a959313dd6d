/* SPDX-License-Identifier: Apache-2.0 */
/* Taking mounts off whose volume is not, or no longer, where it was said to be. */
#include "nfs/mount.h"

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

#include "nfs/actual.h"

static char top[] = "/tmp/kora-test-detach.XXXXXX";

/* The name below top; good until the call after the next. */
static const char *at(const char *name)
{
	static char text[2][512];
	static unsigned turn;

	turn ^= 1;
	(void)snprintf(text[turn], sizeof text[turn], "%s/%s", top, name);
	return text[turn];
}

static void set_up(void)
{
	cr_assert(mkdtemp(top));
}

static void tear_down(void)
{
	char command[128];

	(void)snprintf(command, sizeof command, "rm -rf --one-file-system %s", top);
	cr_assert_eq(system(command), 0);
}

TestSuite(detach, .init = set_up, .fini = tear_down);

static const char *detached(const char *volume)
{
	const struct mount_config config = {.staging = -1};
	const struct mount_known known = {0};
	const char *rung = "none";
	struct kerr e = {0};
	char text[640] = "";

	if (mount_detach(&config, volume, "r1", &known, DETACH_CLEAN, &rung, &e) < 0)
		kerr_format(&e, text, sizeof text);
	cr_expect_str_empty(text, "%s", text);
	return rung;
}

Test(detach, a_volume_that_cannot_be_one_holds_nothing)
{
	char longer[300];

	memset(longer, 'a', sizeof longer - 1);
	longer[sizeof longer - 1] = '\0';
	(void)close(open(at("file"), O_CREAT | O_WRONLY, 0600));
	cr_assert_eq(symlink("loop", at("loop")), 0);
	cr_expect_str_eq(detached(at("missing")), "absent");
	cr_expect_str_eq(detached(at("file")), "absent");
	cr_expect_str_eq(detached(at("file/below")), "absent");
	cr_expect_str_eq(detached(at("loop")), "absent");
	cr_expect_str_eq(detached(at("loop/below")), "absent");
	cr_expect_str_eq(detached(at(longer)), "absent");
}

static bool is_marked(void)
{
	struct actual_mounts mounts = {0};
	const char *run;
	bool found = false;

	cr_assert_eq(actual_mounts_read_own(&mounts), 0);
	for (size_t i = 0; i < mounts.n; i++)
		found |= actual_mount_is_marker(&mounts.list[i], &run) && strcmp(run, "r1") == 0;
	actual_mounts_clear(&mounts);
	return found;
}

Test(detach, what_was_renamed_with_its_volume_ends)
{
	if (unshare(CLONE_NEWNS) < 0)
		cr_skip_test("needs a mount namespace of its own: %s", strerror(errno));
	cr_assert_eq(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL), 0);
	cr_assert_eq(mkdir(at("volume"), 0700), 0);
	cr_assert_eq(mkdir(at("volume/r1"), 0700), 0);
	cr_assert_eq(mkdir(at("volume/r1/sandbox"), 0700), 0);
	cr_assert_eq(
		mount(ACTUAL_MARKER_PREFIX "r1", at("volume/r1/sandbox"), "tmpfs", 0, NULL), 0);
	cr_assert(is_marked());
	cr_assert_eq(rename(at("volume"), at("elsewhere")), 0);
	cr_expect_str_eq(detached(at("volume")), "umount");
	cr_expect_not(is_marked());
}
