/* SPDX-License-Identifier: Apache-2.0 */
/* Records on a disk that takes nothing more. */
#include "mountd/attached.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define EXPORT \
	"{\"kind\":\"export\",\"run\":\"demo\",\"incarnation\":\"%s\",\"volume\":\"/w\"," \
	"\"clients\":[\"10.0.0.1\",\"2001:db8::1\"],\"uid\":1,\"gid\":1}"

static char folder[] = "/tmp/test-attached.XXXXXX";
static int dir = -1;

static void set_up(void)
{
	cr_assert(mkdtemp(folder));
	dir = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	cr_assert_geq(dir, 0);
}

static void tear_down(void)
{
	char command[64];

	(void)close(dir);
	(void)snprintf(command, sizeof command, "rm -rf %s", folder);
	cr_expect_eq(system(command), 0); /* NOLINT */
}

TestSuite(attached, .init = set_up, .fini = tear_down);

static int add(const char *incarnation)
{
	char text[256];
	struct spec spec;
	struct spec_fault fault;
	int r;

	(void)snprintf(text, sizeof text, EXPORT, incarnation);
	cr_assert_eq(spec_parse(text, strlen(text), &spec, &fault), 0, "%s", fault.message);
	r = attached_add(dir, &spec);
	spec_clear(&spec);
	return r;
}

Test(attached, what_is_remembered_needs_no_room)
{
	(void)signal(SIGXFSZ, SIG_IGN);
	cr_assert_eq(add("1"), 0);
	cr_assert_eq(setrlimit(RLIMIT_FSIZE, &(struct rlimit){0, RLIM_INFINITY}), 0);
	cr_expect_eq(add("2"), -EFBIG);
	cr_expect_eq(add("1"), 0);
	cr_assert_eq(setrlimit(RLIMIT_FSIZE, &(struct rlimit){RLIM_INFINITY, RLIM_INFINITY}), 0);
}

Test(attached, damaged_record_is_written_anew)
{
	int fd;

	cr_assert_eq(add("1"), 0);
	fd = openat(dir, "demo.1.export.json", O_WRONLY | O_TRUNC | O_CLOEXEC);
	cr_assert_geq(fd, 0);
	(void)close(fd);
	cr_expect_eq(add("1"), 0);
	fd = openat(dir, "demo.1.export.json", O_RDONLY | O_CLOEXEC);
	cr_expect_gt(lseek(fd, 0, SEEK_END), 0);
	(void)close(fd);
}

static void put(const char *name)
{
	int fd = openat(dir, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	cr_assert_geq(fd, 0);
	(void)close(fd);
}

static int found(void *data, struct spec *spec)
{
	++*(unsigned *)data;
	spec_clear(spec);
	return 0;
}

Test(attached, what_a_killed_process_did_not_finish_is_removed)
{
	struct kerr e;
	unsigned n = 0;

	cr_assert_eq(add("1"), 0);
	put(".demo.2.export.json.new");
	put(".new");
	cr_assert_eq(attached_load(dir, found, &n, &e), 0);
	cr_expect_eq(n, 1);
	cr_expect_lt(faccessat(dir, ".demo.2.export.json.new", F_OK, 0), 0);
	cr_expect_eq(faccessat(dir, ".new", F_OK, 0), 0);
}

Test(attached, one_that_cannot_be_read_is_told)
{
	struct rlimit limit = {.rlim_max = RLIM_INFINITY};
	struct kerr e;
	unsigned n = 0;
	int next;

	cr_assert_eq(add("1"), 0);
	next = dup(dir);
	(void)close(next);
	cr_assert_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
	limit.rlim_cur = (rlim_t)next + 1; /* for the list, and not for the record */
	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	cr_expect_eq(attached_load(dir, found, &n, &e), -EMFILE);
	cr_expect_str_eq(e.subject, "demo.1.export.json");
	limit.rlim_cur = limit.rlim_max;
	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	cr_expect_eq(attached_load(dir, found, &n, &e), 0);
	cr_expect_eq(n, 1);
}

Test(attached, damaged_records_are_removed)
{
	struct kerr e;
	unsigned n = 0;

	put("short.mount.json");
	put("long.mount.json");
	cr_assert_eq(chdir(folder), 0);
	cr_assert_eq(truncate("long.mount.json", SPEC_SIZE_MAX + 1), 0);
	cr_assert_eq(symlink("nothing", "link.mount.json"), 0);
	cr_expect_eq(attached_load(dir, found, &n, &e), 0);
	cr_expect_eq(n, 0);
	cr_expect_lt(access("short.mount.json", F_OK), 0);
	cr_expect_lt(access("long.mount.json", F_OK), 0);
}

static int has_no_room(void *data, struct spec *spec)
{
	(void)data;
	spec_clear(spec);
	return -ENOMEM;
}

static void *no_memory(size_t size)
{
	(void)size;
	return NULL;
}

Test(attached, want_of_memory_damages_no_record)
{
	struct kerr e;
	unsigned n = 0;

	cr_assert_eq(add("1"), 0);
	cr_expect_eq(attached_load(dir, has_no_room, NULL, &e), -ENOMEM);
	json_set_alloc_funcs(no_memory, free);
	cr_expect_eq(attached_load(dir, found, &n, &e), -ENOMEM);
	json_set_alloc_funcs(malloc, free);
	cr_expect_eq(attached_load(dir, found, &n, &e), 0);
	cr_expect_eq(n, 1);
}
