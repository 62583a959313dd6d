/* SPDX-License-Identifier: Apache-2.0 */
/* What clients hold: one that has gone holds nothing; of one that cannot be read nobody knows. */
#include "nfs/holding.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mountd/base/cleanup.h"

#define STATES "- 0x1: { type: open, superblock: \"08:01:%s\", filename: \"f\" }\n"

static char folder[] = "/tmp/kora-test-holding.XXXXXX";
static struct kerr e;
static struct holding h = HOLDING(NULL, &e);

/* A client whose file "states" is to be made, at *ret_file. */
static void add_client(const char *name, char ret_file[64])
{
	(void)snprintf(ret_file, 64, "clients/%s", name);
	cr_assert_eq(mkdirat(h.fs, ret_file, 0700), 0);
	(void)snprintf(ret_file, 64, "clients/%s/states", name);
}

static void add_holder(const char *name, const char *inode)
{
	_cleanup_close_ int fd = -1;
	char file[64];

	add_client(name, file);
	fd = openat(h.fs, file, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	cr_assert_gt(dprintf(fd, STATES, inode), 0);
}

static void set_up(void)
{
	cr_assert(mkdtemp(folder));
	h.fs = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	cr_assert_geq(h.fs, 0);
	cr_assert_eq(mkdirat(h.fs, "clients", 0700), 0);
	h.held.major = 8;
	h.held.minor = 1;
	add_holder("1", "11");
	add_holder("3", "13");
}

static void tear_down(void)
{
	char command[64];

	(void)snprintf(command, sizeof command, "rm -rf %s", folder);
	cr_expect_eq(system(command), 0); /* NOLINT */
	holding_clear(&h);
}

TestSuite(holding, .init = set_up, .fini = tear_down);

#define N_STATES 100000

static long peak_kb(void)
{
	struct rusage usage;

	cr_assert_eq(getrusage(RUSAGE_SELF, &usage), 0);
	return usage.ru_maxrss;
}

/* Each line of another length, and all of another filesystem but the last. */
Test(holding, much_is_read_in_little_memory)
{
	_cleanup_fclose_ FILE *states = NULL;
	char file[64];
	long before;

	add_client("2", file);
	states = fdopen(openat(h.fs, file, O_WRONLY | O_CREAT | O_CLOEXEC, 0600), "w");
	cr_assert(states);
	for (int i = 0; i < N_STATES; i++)
		cr_assert_gt(fprintf(states,
				     "- 0x%x: { type: open, access: r-, deny: --, superblock: "
				     "\"08:0%c:%d\", filename: \"%*d\" }\n",
				     i, i < N_STATES - 1 ? '2' : '1', 100 + i, i % 97, i),
			0);
	cr_assert_eq(fflush(states), 0);
	before = peak_kb();
	cr_expect_eq(holding_count(&h, holding_collect), 0);
	cr_expect_lt(peak_kb() - before, 4096, "%ld kB of %ld", peak_kb() - before,
		ftell(states) / 1024);
	cr_expect_eq(h.held.n, 3);
	cr_expect(held_find(&h.held, 100 + N_STATES - 1));
	h.held.minor = 2;
	cr_expect_eq(holding_count(&h, holding_collect), 0);
	cr_expect_eq(h.held.n, N_STATES - 1);
}

/* Without a file, as after its end; and in the midst of it, as a socket says no in the same word.
 */
Test(holding, a_client_that_has_gone_holds_nothing)
{
	char file[64];

	add_client("2", file);
	add_client("4", file);
	cr_assert_eq(mknodat(h.fs, file, S_IFSOCK | 0600, 0), 0);
	cr_assert_eq(openat(h.fs, file, O_RDONLY | O_CLOEXEC), -1);
	cr_assert_eq(errno, ENXIO);
	cr_expect_eq(holding_count(&h, holding_collect), 0);
	cr_expect_eq(h.held.n, 2);
	cr_expect(held_find(&h.held, 11) && held_find(&h.held, 13));
}

Test(holding, one_that_cannot_be_read_is_told)
{
	char file[64];

	add_client("2", file);
	cr_assert_eq(mkdirat(h.fs, file, 0700), 0);
	cr_expect_eq(holding_count(&h, holding_collect), -EISDIR);
	cr_expect_eq(e.error, -EISDIR);
	cr_expect_str_eq(e.subject, "clients/2/states");
	cr_assert_eq(unlinkat(h.fs, file, AT_REMOVEDIR), 0);
	cr_expect_eq(holding_count(&h, holding_collect), 0);
	cr_expect_eq(h.held.n, 2);
}

static int stop_at_once(const char *client, const char *states, struct holding *of)
{
	(void)client;
	(void)states;
	(void)of;
	return 1;
}

Test(holding, the_walk_ends_where_it_is_told_to)
{
	cr_expect_eq(holding_each_client(&h, stop_at_once), 1);
}
