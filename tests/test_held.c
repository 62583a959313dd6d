/* SPDX-License-Identifier: Apache-2.0 */
/* Which files NFS clients hold, and which of them lie in one folder. */
#include "nfs/held.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/kora-test-held.XXXXXX";
static int fd = -1;

static uint64_t inode_of(const char *path)
{
	struct stat st;

	cr_assert_eq(fstatat(fd, path, &st, AT_SYMLINK_NOFOLLOW), 0, "%s", path);
	return st.st_ino;
}

static void set_up(void)
{
	char command[256];

	cr_assert(mkdtemp(folder));
	(void)snprintf(command, sizeof command,
		"cd %s && mkdir -p in/a/b out && touch in/a/b/held in/other out/held && "
		"ln -s ../out in/link",
		folder);
	cr_assert_eq(system(command), 0);
	fd = open(folder, O_RDONLY | O_DIRECTORY);
	cr_assert_geq(fd, 0);
}

static void tear_down(void)
{
	char command[128];

	(void)close(fd);
	(void)snprintf(command, sizeof command, "rm -rf %s", folder);
	cr_assert_eq(system(command), 0);
}

static void hold(struct held *h, char *text, size_t size, const char *path)
{
	(void)snprintf(text, size, "- 0x1: { type: open, superblock: \"08:01:%llu\", f }\n",
		(unsigned long long)inode_of(path));
	cr_assert_eq(held_add_states(h, text), 0);
}

TestSuite(held, .init = set_up, .fini = tear_down);

Test(held, finds_what_lies_inside)
{
	struct held h = {.major = 8, .minor = 1};
	char deep[128], self[128], other[128];
	int in = openat(fd, "in", O_PATH | O_DIRECTORY);

	hold(&h, deep, sizeof deep, "in/a/b/held");
	hold(&h, self, sizeof self, "in");
	hold(&h, other, sizeof other, "out/held");
	hold(&h, deep, sizeof deep, "in/a/b/held");
	held_sort(&h);
	cr_expect_eq(h.n, 3, "each once");
	cr_assert_eq(held_mark_tree(&h, in, NULL), 0);
	cr_expect(held_states_inside(&h, deep));
	cr_expect(held_states_inside(&h, self), "the folder itself counts");
	cr_expect_not(held_states_inside(&h, other), "links are not followed");
	held_clear(&h);
	(void)close(in);
}

static unsigned n_found;
static char found_name[64];

static void on_found(int dir, const char *name)
{
	struct stat st;

	cr_expect_eq(fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW), 0);
	(void)snprintf(found_name, sizeof found_name, "%s", name);
	n_found++;
}

Test(held, tells_of_each_found_once)
{
	struct held h = {.major = 8, .minor = 1};
	char text[128];

	hold(&h, text, sizeof text, "in/a/b/held");
	cr_assert_eq(held_add_states(&h, text), 0);
	held_sort(&h);
	cr_expect_not(held_any_inside(&h));
	cr_expect_eq(held_mark_tree(&h, fd, on_found), 0);
	cr_expect(held_any_inside(&h));
	cr_expect_eq(n_found, 1);
	cr_expect_str_eq(found_name, "held");
	held_clear(&h);
}

Test(held, another_superblock_is_none_of_ours)
{
	struct held h = {.major = 8, .minor = 2};
	char text[128];

	hold(&h, text, sizeof text, "in/other");
	cr_expect_eq(h.n, 0);
	held_sort(&h);
	cr_expect_eq(held_mark_tree(&h, fd, NULL), 0);
	cr_expect_not(held_states_inside(&h, text));
}

Test(held, many_states)
{
	struct held h = {.major = 8, .minor = 1};
	char text[128];

	for (unsigned i = 0; i < 1000; i++) {
		(void)snprintf(text, sizeof text, "- 0x1: { superblock: \"08:01:%u\" }\n",
			(i * 7919) % 500);
		cr_assert_eq(held_add_states(&h, text), 0);
	}
	held_sort(&h);
	cr_expect_eq(h.n, 500);
	held_mark_all(&h);
	for (size_t i = 0; i < h.n; i++)
		cr_expect(h.files[i].inside && (i == 0 || h.files[i - 1].inode < h.files[i].inode));
	held_clear(&h);
}

Test(held, finds_what_lies_deep)
{
	struct held h = {.major = 8, .minor = 1};
	char deepest[128], beside[128];
	struct rlimit few = {.rlim_cur = 64, .rlim_max = 64};
	struct stat st;
	int at = dup(fd);

	for (unsigned i = 0; i < 6000; i++) {
		cr_assert_eq(mkdirat(at, "d", 0700), 0);
		int next = openat(at, "d", O_PATH | O_DIRECTORY);
		(void)close(at);
		at = next;
	}
	cr_assert_eq(fstat(at, &st), 0);
	(void)snprintf(deepest, sizeof deepest, "- 0x1: { superblock: \"08:01:%llu\" }\n",
		(unsigned long long)st.st_ino);
	cr_assert_eq(held_add_states(&h, deepest), 0);
	hold(&h, beside, sizeof beside, "in/a/b/held");
	cr_assert_eq(held_add_states(&h, "- 0x1: { superblock: \"08:01:1\" }\n"), 0);
	held_sort(&h);
	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &few), 0);
	cr_expect_eq(held_mark_tree(&h, fd, NULL), 0);
	cr_expect(held_states_inside(&h, deepest));
	cr_expect(held_states_inside(&h, beside), "the walk comes back from the depth");
	cr_expect_not(held_states_inside(&h, "- 0x1: { superblock: \"08:01:1\" }\n"));
	held_clear(&h);
	(void)close(at);
}
