/* SPDX-License-Identifier: Apache-2.0 */
/* A snapshot that the disk does not take changes nothing. */
#include "mountd/snapshot.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "mountd/base/log.h"

#define FILE_MAX 300

static struct loop *loop;
static struct desired desired;
static struct source_dir *source;
static char folder[] = "/tmp/test-snapshot.XXXXXX";

static void on_changed(void *data)
{
	(void)data;
}

static void set_up(void)
{
	struct kerr e;

	log_set(LOG_FORMAT_TEXT, LOG_LEVEL_ERROR);
	cr_assert(mkdtemp(folder));
	cr_assert_eq(loop_new(&loop), 0);
	cr_assert_eq(source_dir_new(loop, folder, &desired, on_changed, NULL, &source, &e), 0);
}

static void tear_down(void)
{
	char command[64];

	source_dir_free(source);
	desired_clear(&desired);
	loop_free(loop);
	(void)snprintf(command, sizeof command, "rm -rf %s", folder);
	cr_expect_eq(system(command), 0); /* NOLINT */
}

TestSuite(snapshot, .init = set_up, .fini = tear_down);

static json_t *bind_of(const char *run, size_t volume_length)
{
	char volume[512];

	memset(volume, 'v', sizeof volume);
	for (size_t i = 0; i < volume_length; i += 100)
		volume[i] = '/';
	volume[volume_length] = '\0';
	return json_pack("{s:s, s:s, s:s, s:s, s:s, s:i, s:i}", "kind", "bind", "run", run,
		"incarnation", "1", "source_volume", "/a", "volume", volume, "uid", 1, "gid", 1);
}

static int commit(json_t *specs)
{
	struct snapshot *s = NULL;
	struct spec_fault fault = {0};
	int r;

	cr_assert_eq(snapshot_add(&s, "k", 1, specs, &fault), 0, "%s", fault.message);
	r = snapshot_commit(s, source, &desired);
	snapshot_free(s);
	json_decref(specs);
	return r;
}

static size_t count_files(void)
{
	DIR *list = opendir(folder);
	size_t n = 0;

	cr_assert(list);
	while (readdir(list))
		n++;
	(void)closedir(list);
	return n - 2;
}

Test(snapshot, disk_full)
{
	(void)signal(SIGXFSZ, SIG_IGN);
	cr_assert_eq(commit(json_pack("[o]", bind_of("a", 2))), 0);
	cr_assert_eq(setrlimit(RLIMIT_FSIZE, &(struct rlimit){FILE_MAX, RLIM_INFINITY}), 0);
	cr_expect_eq(commit(json_pack("[o, o]", bind_of("b", 2), bind_of("c", 450))), -EFBIG);
	cr_expect_eq(desired.n, 1);
	cr_expect(desired_file(&desired, "k.a.mount.json"));
	cr_expect_eq(count_files(), 1);
	cr_expect_eq(commit(json_pack("[o]", bind_of("b", 2))), 0);
	cr_expect_eq(desired.n, 1);
	cr_expect(desired_file(&desired, "k.b.mount.json"));
	cr_assert_eq(setrlimit(RLIMIT_FSIZE, &(struct rlimit){RLIM_INFINITY, RLIM_INFINITY}), 0);
}

Test(snapshot, the_same_run_twice)
{
	cr_expect_eq(commit(json_pack("[o, o]", bind_of("a", 2), bind_of("a", 3))), 0);
	cr_expect_eq(desired.n, 1);
	cr_expect_eq(count_files(), 1);
}
