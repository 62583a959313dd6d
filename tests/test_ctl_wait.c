/* SPDX-License-Identifier: Apache-2.0 */
/* kora-mountctl wait on real mounts, hanging ones included, in a mount namespace of the test's own.
 */
#include "tests/ctl_run.h"

#include <errno.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>

static struct outcome o;
static char volume[64]; /* a tmpfs with run/sandbox in it */
static char target[96];

static void setup(void)
{
	char folder[] = "/tmp/kora-wait-XXXXXX";

	if (unshare(CLONE_NEWNS) < 0)
		cr_skip_test("needs a mount namespace of its own: %s", strerror(errno));
	cr_assert_eq(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL), 0);
	cr_assert_not_null(mkdtemp(folder));
	snprintf(volume, sizeof volume, "%s", folder);
	cr_assert_eq(mount("none", volume, "tmpfs", 0, NULL), 0);
	snprintf(target, sizeof target, "%s/r1", volume);
	mkdir(target, 0755);
	snprintf(target, sizeof target, "%s/r1/sandbox", volume);
	mkdir(target, 0755);
}

static void teardown(void)
{
	if (volume[0]) {
		while (umount2(volume, MNT_DETACH) == 0)
			;
		rmdir(volume);
	}
}

TestSuite(ctl_wait, .init = setup, .fini = teardown, .timeout = 60);

/* Does act in a process of its own as soon as a kora-mountctl child of ours sleeps in poll(2). */
static pid_t once_it_waits(void (*act)(void))
{
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (int i = 0; i < 2000; i++) {
		char command[256];
		snprintf(command, sizeof command,
			"for p in $(cat /proc/%d/task/%d/children); do "
			"grep -q kora-mountctl /proc/$p/cmdline && "
			"grep -q '^7 \\|^73 \\|^271 ' /proc/$p/syscall && exit 0; done; exit 1",
			getppid(), getppid());
		if (system(command) == 0) {
			act();
			_exit(0);
		}
		usleep(2000);
	}
	_exit(1);
}

static void expect_done(pid_t pid)
{
	int status;

	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_assert_eq(status, 0, "the program was never seen waiting");
}

static void bind_it(void)
{
	if (mount("/proc/self", target, NULL, MS_BIND, NULL) < 0)
		_exit(2);
}

Test(ctl_wait, a_mount_that_is_there_is_ready_at_once)
{
	bind_it();
	RUN(&o, "wait", "r1", "--volume", volume, "--timeout", "30");
	cr_expect_eq(o.code, 0, "%s", o.err);
	cr_expect(strstr(o.out, "is ready: proc "), "%s", o.out);
	RUN(&o, "wait", target, "--timeout", "30", "-o", "json");
	cr_expect_eq(o.code, 0);
	cr_expect(strstr(o.out, "\"ready\": true") && strstr(o.out, "\"kind\": \"bind\""));
}

Test(ctl_wait, wakes_when_the_mount_appears)
{
	pid_t pid = once_it_waits(bind_it);

	RUN(&o, "wait", "r1", "--volume", volume, "--timeout", "30");
	expect_done(pid);
	cr_expect_eq(o.code, 0, "%s", o.err);
}

static void make_and_bind(void)
{
	mkdir(target, 0755);
	bind_it();
}

Test(ctl_wait, the_path_may_come_later)
{
	rmdir(target);
	pid_t pid = once_it_waits(make_and_bind);
	RUN(&o, "wait", target, "--timeout", "30");
	expect_done(pid);
	cr_expect_eq(o.code, 0, "%s", o.err);
}

Test(ctl_wait, symbolic_links_are_followed)
{
	char link[128], through[160];

	snprintf(link, sizeof link, "%s/link", volume);
	snprintf(through, sizeof through, "%s/sandbox", link);
	cr_assert_eq(symlink("r1", link), 0);
	bind_it();
	RUN(&o, "wait", through, "--timeout", "30");
	cr_expect_eq(o.code, 0, "%s", o.err);
	cr_expect(strstr(o.out, target), "the true path is shown: %s", o.out);
	unlink(link);
	cr_assert_eq(symlink(target, link), 0);
	RUN(&o, "wait", link, "--timeout", "30");
	cr_expect_eq(o.code, 0, "%s", o.err);
}

Test(ctl_wait, says_that_nothing_is_there)
{
	RUN(&o, "wait", "r1", "--volume", volume, "--timeout", "1");
	cr_expect_eq(o.code, 6);
	cr_expect(strstr(o.err, "nothing is mounted there"), "%s", o.err);
	rmdir(target);
	RUN(&o, "wait", "r1", "--volume", volume, "--timeout", "1", "-o", "json");
	cr_expect_eq(o.code, 6);
	cr_expect(strstr(o.out, "it does not exist") && strstr(o.out, "\"seen\": \"nothing\""),
		"%s", o.out);
}

/* The run where it is known, and never the word RUN. */
Test(ctl_wait, advice_names_the_run)
{
	RUN(&o, "wait", "r1", "--volume", volume, "--timeout", "1");
	cr_expect(strstr(o.err, "what now: kora-mountctl describe r1 on the agent node"), "%s",
		o.err);
	cr_expect_null(strstr(o.err, "--volume"), "it was given: %s", o.err);
	RUN(&o, "wait", "no-such-run", "--timeout", "1");
	cr_expect(strstr(o.err, "where --volume of its mount is another than /workspaces"), "%s",
		o.err);
	RUN(&o, "wait", target, "--timeout", "1");
	cr_expect(strstr(o.err, "what now: kora-mountctl runs on the agent node"), "%s", o.err);
	cr_expect_null(strstr(o.err, "RUN"), "%s", o.err);
}

/* A filesystem whose server has been silent from the beginning. */
static int mount_silent(const char *path)
{
	char options[64];
	int fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);

	if (fd < 0)
		cr_skip_test("no FUSE in this kernel");
	snprintf(options, sizeof options, "fd=%d,rootmode=40000,user_id=0,group_id=0", fd);
	if (mount("silent", path, "fuse", 0, options) < 0) {
		close(fd);
		cr_skip_test("FUSE cannot be mounted: %s", strerror(errno));
	}
	return fd;
}

static long seconds_since(const struct timespec *began)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec - began->tv_sec;
}

Test(ctl_wait, a_silent_mount_does_not_hang_it)
{
	int fd = mount_silent(target);
	struct timespec began;

	clock_gettime(CLOCK_MONOTONIC, &began);
	RUN(&o, "wait", "r1", "--volume", volume, "--timeout", "1");
	cr_expect_eq(o.code, 6);
	cr_expect_lt(seconds_since(&began), 20, "it hung");
	cr_expect(strstr(o.err, "fuse silent is mounted there but does not answer"), "%s", o.err);
	cr_expect(strstr(o.err, "kora-mountctl status and describe r1 on this node"), "%s", o.err);
	close(fd);
}

Test(ctl_wait, a_folder_above_that_hangs_does_not_hang_it)
{
	int fd = mount_silent(volume);

	RUN(&o, "wait", target, "--timeout", "1");
	cr_expect_eq(o.code, 6);
	cr_expect(strstr(o.err, "a folder above it hangs"), "%s", o.err);
	close(fd);
}

static void replace(void)
{
	umount2(target, MNT_DETACH);
	bind_it();
}

Test(ctl_wait, a_silent_mount_that_is_replaced_is_let_go)
{
	int fd = mount_silent(target);
	pid_t pid = once_it_waits(replace);

	RUN(&o, "wait", "r1", "--volume", volume, "--timeout", "30");
	expect_done(pid);
	cr_expect_eq(o.code, 0, "%s", o.err);
	close(fd);
}

Test(ctl_wait, what_lies_on_top_counts)
{
	bind_it();
	int fd = mount_silent(target);
	RUN(&o, "wait", "r1", "--volume", volume, "--timeout", "1");
	cr_expect_eq(o.code, 6, "the mount below answers, but nobody sees it");
	close(fd);
	umount2(target, MNT_DETACH);
	RUN(&o, "wait", "r1", "--volume", volume, "--timeout", "30");
	cr_expect_eq(o.code, 0, "%s", o.err);
}

Test(ctl_wait, a_dead_one_says_why)
{
	close(mount_silent(target)); /* the server is gone: every call fails */
	RUN(&o, "wait", "r1", "--volume", volume, "--timeout", "1", "-o", "json");
	cr_expect_eq(o.code, 6);
	cr_expect(strstr(o.out, "\"seen\": \"faulty\"") && strstr(o.out, "answers: "), "%s", o.out);
}

Test(ctl_wait, a_bind_whose_folder_is_deleted_is_not_ready)
{
	char source[96];

	snprintf(source, sizeof source, "%s/source", volume);
	mkdir(source, 0755);
	cr_assert_eq(mount(source, target, NULL, MS_BIND, NULL), 0);
	RUN(&o, "wait", "r1", "--volume", volume, "--timeout", "30");
	cr_expect_eq(o.code, 0, "%s", o.err);
	cr_assert_eq(rmdir(source), 0);
	RUN(&o, "wait", "r1", "--volume", volume, "--timeout", "1", "-o", "json");
	cr_expect_eq(o.code, 6);
	cr_expect(
		strstr(o.out, "\"seen\": \"faulty\"") && strstr(o.out, "was deleted"), "%s", o.out);
}

Test(ctl_wait, a_volume_does_not_go_with_a_path)
{
	RUN(&o, "wait", "/x", "--volume", "/y");
	cr_expect_eq(o.code, 2);
}
