/* SPDX-License-Identifier: Apache-2.0 */
/* A real directory being changed in every way that editors, controllers and accidents have. */
#include "mountd/source_dir.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mountd/base/log.h"

#define PATIENCE_MS 20000
#define GOOD \
	"{\"kind\":\"mount\",\"run\":\"demo\",\"incarnation\":\"1\",\"server\":\"10.0.0.1\"," \
	"\"volume\":\"/w\",\"uid\":1,\"gid\":1}"

static struct loop *loop;
static struct loop_timer *patience;
static struct desired desired;
static struct source_dir *source;
static char folder[] = "/tmp/test-source-dir.XXXXXX";

static unsigned changes;

static void on_changed(void *data)
{
	(void)data;
	changes++;
	loop_stop(loop);
}

static void on_patience_over(void *data)
{
	(void)data;
	cr_assert_fail("the change was not noticed");
}

static void set_up(void)
{
	struct kerr e;

	log_set(LOG_FORMAT_TEXT, LOG_LEVEL_ERROR);
	cr_assert(mkdtemp(folder));
	cr_assert_eq(chdir(folder), 0);
	cr_assert_eq(loop_new(&loop), 0);
	cr_assert_eq(loop_timer_new(loop, on_patience_over, NULL, &patience), 0);
	loop_timer_set(patience, PATIENCE_MS);
	cr_assert_eq(source_dir_new(loop, folder, &desired, on_changed, NULL, &source, &e), 0);
}

static void tear_down(void)
{
	char command[64];

	source_dir_free(source);
	desired_clear(&desired);
	loop_timer_free(patience);
	loop_free(loop);
	(void)snprintf(command, sizeof command, "rm -rf %s*", folder);
	cr_expect_eq(system(command), 0); /* NOLINT */
}

TestSuite(source_dir, .init = set_up, .fini = tear_down);

static void write_file(const char *name, const char *text)
{
	FILE *file = fopen(name, "we");

	cr_assert(file);
	cr_assert_geq(fputs(text, file), 0);
	cr_assert_eq(fclose(file), 0);
}

static const struct desired_file *await(const char *name)
{
	for (unsigned before = changes; changes == before;)
		loop_run(loop);
	return desired_file(&desired, name);
}

Test(source_dir, written_changed_removed)
{
	write_file("a.json", GOOD);
	cr_assert(await("a.json")->has_spec);
	write_file("a.json", "{\"kind\"");
	cr_assert(await("a.json")->fault);
	cr_expect(desired_file(&desired, "a.json")->has_spec, "the last good version stays");
	cr_assert_eq(unlink("a.json"), 0);
	cr_assert_null(await("a.json"));
}

Test(source_dir, renamed_into_place_and_away)
{
	write_file(".a.json.tmp", GOOD);
	cr_assert_eq(rename(".a.json.tmp", "a.json"), 0);
	cr_assert(await("a.json")->has_spec);
	cr_assert_eq(rename("a.json", "b.json"), 0);
	cr_assert_null(await("a.json"));
	cr_assert(desired_file(&desired, "b.json"));
}

Test(source_dir, links)
{
	write_file("elsewhere", GOOD);
	cr_assert_eq(symlink("elsewhere", "s.json"), 0);
	cr_assert(await("s.json")->has_spec);
	cr_assert_eq(link("elsewhere", "h.json"), 0);
	cr_assert(await("h.json")->has_spec);
}

/* The loop has had what there is for it. */
static void on_had_its_turn(void *data)
{
	(void)data;
	loop_stop(loop);
}

static void take_events(void)
{
	struct loop_timer *turn;

	cr_assert_eq(loop_timer_new(loop, on_had_its_turn, NULL, &turn), 0);
	loop_timer_set(turn, 1);
	loop_run(loop);
	loop_timer_free(turn);
}

Test(source_dir, a_directory_that_others_may_write_is_not_read)
{
	static const mode_t modes[] = {0777, 01777, 0770, 0702};
	struct source_dir *second;
	struct kerr e;

	write_file("a.json", GOOD);
	(void)await("a.json");
	for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
		cr_assert_eq(chmod(folder, modes[i]), 0);
		write_file("b.json", GOOD);
		cr_assert_eq(unlink("a.json"), 0);
		take_events();
		cr_expect_null(desired_file(&desired, "b.json"), "%o", modes[i]);
		cr_expect(
			desired_file(&desired, "a.json"), "%o: what was asked for stays", modes[i]);
		cr_expect_eq(source_dir_rescan(source, &e), -EPERM, "%o", modes[i]);
		cr_expect(strstr(e.detail, "writable by root alone (chown root, chmod go-w)"));
		cr_expect_eq(source_dir_write(source, "c.json", GOOD, strlen(GOOD)), -EPERM);
		cr_expect_lt(access("c.json", F_OK), 0);
		cr_expect_eq(source_dir_new(loop, folder, &desired, on_changed, NULL, &second, &e),
			-EPERM, "%o", modes[i]);
		cr_assert_eq(chmod(folder, 0755), 0);
		cr_expect(await("b.json")->has_spec, "%o: read as soon as it is root's alone",
			modes[i]);
		cr_expect_null(desired_file(&desired, "a.json"));
		cr_assert_eq(unlink("b.json"), 0);
		write_file("a.json", GOOD);
		while (!desired_file(&desired, "a.json") || desired_file(&desired, "b.json"))
			loop_run(loop);
	}
}

/* It is found to be root's alone again by a write of our own, before its change is heard of. */
Test(source_dir, what_was_missed_is_read_whoever_looks_first)
{
	cr_assert_eq(chmod(folder, 0777), 0);
	write_file("b.json", GOOD);
	take_events();
	cr_assert_null(desired_file(&desired, "b.json"));
	cr_assert_eq(chmod(folder, 0755), 0);
	cr_assert_eq(source_dir_write(source, "c.json", GOOD, strlen(GOOD)), 0);
	while (!desired_file(&desired, "b.json"))
		loop_run(loop);
}

Test(source_dir, another_users_directory_is_not_read)
{
	struct kerr e;

	if (geteuid() != 0)
		cr_skip_test("needs root, to give it away");
	cr_assert_eq(chown(folder, 10001, 10001), 0);
	write_file("a.json", GOOD);
	take_events();
	cr_expect_null(desired_file(&desired, "a.json"));
	cr_expect_eq(source_dir_rescan(source, &e), -EPERM);
	cr_assert_eq(chown(folder, 0, 0), 0);
	cr_expect(await("a.json")->has_spec);
}

/* As a link shows it, or root has moved it here. */
Test(source_dir, a_file_that_others_may_write_is_refused)
{
	static const char fault[] = "others than root may write it (chown root, chmod go-w)";

	write_file("elsewhere", GOOD);
	cr_assert_eq(chmod("elsewhere", 0666), 0);
	cr_assert_eq(symlink("elsewhere", "s.json"), 0);
	cr_assert(strstr(await("s.json")->fault, fault));
	cr_expect_not(desired_file(&desired, "s.json")->has_spec);
	cr_assert_eq(rename("elsewhere", "f.json"), 0);
	cr_assert(strstr(await("f.json")->fault, fault));
	cr_assert_eq(chmod("f.json", 0644), 0);
	cr_expect(await("f.json")->has_spec);
	cr_expect_null(desired_file(&desired, "f.json")->fault);
	if (geteuid() != 0)
		return;
	cr_assert_eq(chown("f.json", 10001, 0), 0);
	write_file("f.json", GOOD " ");
	cr_assert(strstr(await("f.json")->fault, fault));
	cr_expect(desired_file(&desired, "f.json")->has_spec, "the last good version stays");
}

Test(source_dir, things_that_are_no_files)
{
	cr_assert_eq(mkfifo("f.json", 0600), 0);
	cr_assert_eq(mkdir("d.json", 0700), 0);
	write_file("big.json", "");
	cr_assert_eq(truncate("big.json", SPEC_SIZE_MAX + 1), 0);
	cr_assert_eq(source_dir_rescan(source, &(struct kerr){0}), 0);
	cr_expect(strstr(desired_file(&desired, "f.json")->fault, "not a regular file"));
	cr_expect(strstr(desired_file(&desired, "d.json")->fault, "not a regular file"));
	cr_expect(strstr(desired_file(&desired, "big.json")->fault, "longer than"));
}

Test(source_dir, other_names_are_not_read)
{
	write_file(".hidden.json", GOOD);
	write_file("notes.txt", "x");
	write_file(".json", GOOD);
	write_file("a.json", GOOD);
	(void)await("a.json");
	cr_expect_eq(desired.n, 1);
}

Test(source_dir, writes_of_our_own_are_read_at_once)
{
	cr_assert_eq(source_dir_write(source, "a.json", GOOD, strlen(GOOD)), 0);
	cr_assert(desired_file(&desired, "a.json")->has_spec);
	cr_assert_eq(source_dir_remove(source, "a.json"), 0);
	cr_assert_null(desired_file(&desired, "a.json"));
	cr_assert_lt(access("a.json", F_OK), 0);
	cr_assert_eq(source_dir_remove(source, "a.json"), 0, "absent is fine");
}

/* What is written to it in place, or put over it, is: that has an event of its own. */
Test(source_dir, a_write_of_our_own_is_not_read_again)
{
	int fd;

	cr_assert_eq(source_dir_write(source, "a.json", GOOD, strlen(GOOD)), 0);
	fd = open("a.json", O_WRONLY | O_CLOEXEC);
	cr_assert_eq(pwrite(fd, "broken", 6, 0), 6);
	write_file("b.json", GOOD);
	cr_assert(await("b.json"));
	cr_expect_null(desired_file(&desired, "a.json")->fault, "its writer is not done");
	cr_assert_eq(close(fd), 0);
	cr_expect(await("a.json")->fault);
}

Test(source_dir, what_is_put_over_a_write_of_our_own_counts)
{
	cr_assert_eq(source_dir_write(source, "a.json", GOOD, strlen(GOOD)), 0);
	write_file(".a", "broken");
	cr_assert_eq(rename(".a", "a.json"), 0);
	cr_expect(await("a.json")->fault);
	cr_assert_eq(source_dir_write(source, "a.json", GOOD, strlen(GOOD)), 0);
	cr_expect_null(desired_file(&desired, "a.json")->fault);
	cr_assert_eq(unlink("a.json"), 0);
	cr_expect_null(await("a.json"));
}

static ino_t number_of(const char *name)
{
	struct stat st;

	cr_assert_eq(stat(name, &st), 0);
	return st.st_ino;
}

/*
 * From another directory, with nothing between: what comes one after the other the kernel tells
 * once. The second may be given the number of the file that the first has replaced.
 */
Test(source_dir, what_is_put_over_a_write_of_our_own_from_elsewhere_counts)
{
	ino_t ours;

	cr_assert_eq(mkdir("elsewhere", 0700), 0);
	cr_assert_eq(source_dir_write(source, "a.json", GOOD, strlen(GOOD)), 0);
	ours = number_of("a.json");
	for (int i = 0; i < 20 && (!i || number_of("a.json") != ours); i++) {
		write_file("elsewhere/new", "broken");
		cr_assert_eq(rename("elsewhere/new", "a.json"), 0);
	}
	if (number_of("a.json") != ours)
		cr_skip_test("this filesystem gives a number once");
	cr_expect(await("a.json")->fault);
}

Test(source_dir, what_a_killed_process_staged_is_removed)
{
	struct kerr e;

	cr_assert_eq(source_dir_stage(source, "a.json", GOOD, strlen(GOOD)), 0);
	cr_assert_eq(access(".a.json.new", F_OK), 0);
	source_dir_free(source);
	cr_assert_eq(source_dir_new(loop, folder, &desired, on_changed, NULL, &source, &e), 0);
	cr_expect_lt(access(".a.json.new", F_OK), 0);
}

Test(source_dir, directory_replaced)
{
	char other[64];
	struct kerr e;

	write_file("a.json", GOOD);
	(void)await("a.json");
	(void)snprintf(other, sizeof other, "%s.old", folder);
	cr_assert_eq(rename(folder, other), 0);
	cr_assert_lt(source_dir_rescan(source, &e), 0);
	cr_assert(desired_file(&desired, "a.json"), "what was asked for stays");
	cr_assert_eq(mkdir(folder, 0700), 0);
	cr_assert_eq(chdir(folder), 0);
	write_file("b.json", GOOD);
	cr_assert_eq(source_dir_rescan(source, &e), 0);
	cr_assert_null(desired_file(&desired, "a.json"));
	cr_assert(desired_file(&desired, "b.json"));
	write_file("c.json", GOOD);
	cr_assert(await("c.json"), "the new directory is followed");
}

/* Nobody tells of it a second time. */
Test(source_dir, a_file_that_cannot_be_read_for_now_is_read_later)
{
	struct rlimit enough, none;
	const struct desired_file *file;

	cr_assert_eq(getrlimit(RLIMIT_NOFILE, &enough), 0);
	none = (struct rlimit){0, enough.rlim_max};
	write_file(".new", GOOD);
	cr_assert_eq(rename(".new", "x.json"), 0);
	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
	file = await("x.json");
	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &enough), 0);
	cr_assert(file && file->fault && !file->has_spec);
	cr_expect(desired.unread);
	file = await("x.json");
	cr_assert(file && !file->fault && file->has_spec);
	cr_expect_not(desired.unread);
}
