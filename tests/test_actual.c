/* SPDX-License-Identifier: Apache-2.0 */
/* The mountinfo reader: its form, its escapes, what covers what, and what is ours. */
#include "nfs/actual.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct actual_mounts parse(const char *text)
{
	struct actual_mounts mounts;

	cr_assert_eq(actual_mounts_parse(text, strlen(text), &mounts), 0, "%s", text);
	return mounts;
}

Test(actual, every_field)
{
	struct actual_mounts t = parse(
		"36 35 0:98 /mnt1 /mnt2 rw,noatime master:1 shared:7 new-tag - ext3 /dev/root "
		"rw,errors=continue\n");
	const struct actual_mount *m = t.list;

	cr_assert_eq(t.n, 1);
	cr_expect_eq(m->id, 36);
	cr_expect_eq(m->parent, 35);
	cr_expect_eq(m->major, 0);
	cr_expect_eq(m->minor, 98);
	cr_expect_str_eq(m->root, "/mnt1");
	cr_expect_str_eq(m->target, "/mnt2");
	cr_expect_str_eq(m->fstype, "ext3");
	cr_expect_str_eq(m->source, "/dev/root");
	cr_expect_str_eq(m->options, "rw,noatime,rw,errors=continue");
	cr_expect(m->shared && m->slave && m->orphan);
	actual_mounts_clear(&t);
}

Test(actual, escapes_and_an_empty_source)
{
	struct actual_mounts t = parse("1 0 0:1 /a\\040b /c\\134\\011\\012d rw - tmpfs  rw\n"
				       "2 1 0:2 / /x\\04y\\999\\000 rw - tmpfs a\\ rw\n");

	cr_expect_str_eq(t.list[0].root, "/a b");
	cr_expect_str_eq(t.list[0].target, "/c\\\t\nd");
	cr_expect_str_eq(t.list[0].source, "");
	cr_expect_str_eq(t.list[1].target, "/x\\04y\\999\\000");
	cr_expect_str_eq(t.list[1].source, "a\\");
	actual_mounts_clear(&t);
}

Test(actual, malformed_is_refused_whole)
{
	static const char *const bad[] = {"\n", "1\n", "1 0 0:1 / / rw - ext4 src rw",
		"x 0 0:1 / / rw - ext4 src rw\n", "1 -1 0:1 / / rw - ext4 src rw\n",
		"1 0 01 / / rw - ext4 src rw\n", "1 0 0:z / / rw - ext4 src rw\n",
		"1 0 0: / / rw - ext4 src rw\n", "1 0 0:4294967296 / / rw - ext4 src rw\n",
		"1 0 0:1 / relative rw - ext4 src rw\n", "1 0 0:1 / / rw shared:1 ext4 src rw\n",
		"1 0 0:1 / / rw - ext4 src\n", "1 0 0:1 / / rw -  src rw\n",
		"99999999999999999999 0 0:1 / / rw - ext4 src rw\n",
		"1 0 0:1 / / rw - ext4 src rw\nrubbish\n"};

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct actual_mounts t = {.n = 77};
		cr_expect_eq(
			actual_mounts_parse(bad[i], strlen(bad[i]), &t), -EINVAL, "%s", bad[i]);
		cr_expect_eq(t.n, 77);
	}
	struct actual_mounts t;
	cr_expect_eq(actual_mounts_parse("1 0 0:1 /\0 / rw - ext4 src rw\n", 31, &t), -EINVAL);
}

Test(actual, nothing_is_a_table_too)
{
	struct actual_mounts t = parse("");

	cr_expect_eq(t.n, 0);
	cr_expect_null(actual_mounts_covering(&t, "/"));
	cr_expect_null(actual_mounts_at(&t, "/"));
	actual_mounts_clear(&t);
}

static uint64_t covering(const struct actual_mounts *t, const char *path)
{
	const struct actual_mount *m = actual_mounts_covering(t, path);

	return m ? m->id : 0;
}

Test(actual, the_longest_way_wins_and_names_are_whole)
{
	struct actual_mounts t = parse("10 1 0:1 / / rw - ext4 a rw\n"
				       "11 10 0:2 / /srv rw - ext4 b rw\n"
				       "12 11 0:3 / /srv/run rw - ext4 c rw\n");

	cr_expect_eq(covering(&t, "/"), 10);
	cr_expect_eq(covering(&t, "/srv"), 11);
	cr_expect_eq(covering(&t, "/srv2"), 10);
	cr_expect_eq(covering(&t, "/srv/run/x/y"), 12);
	cr_expect_eq(covering(&t, "/srv/runner"), 11);
	cr_expect_null(actual_mounts_at(&t, "/srv/runner"));
	cr_expect_eq(actual_mounts_at(&t, "/srv/run")->id, 12);
	actual_mounts_clear(&t);
}

/* '-' and '.' sort before '/', digits after it. */
Test(actual, siblings_whose_names_begin_alike)
{
	struct actual_mounts t = parse("10 1 0:1 / / rw - ext4 a rw\n"
				       "14 10 0:5 / /a0 rw - ext4 e rw\n"
				       "11 10 0:2 / /a rw - ext4 b rw\n"
				       "12 10 0:3 / /a-b rw - ext4 c rw\n"
				       "13 11 0:4 / /a/b rw - ext4 d rw\n"
				       "15 11 0:6 / /a/b.c rw - ext4 f rw\n");

	cr_expect_eq(covering(&t, "/a"), 11);
	cr_expect_eq(covering(&t, "/a/x"), 11);
	cr_expect_eq(covering(&t, "/a-b/x"), 12);
	cr_expect_eq(covering(&t, "/a0/b"), 14);
	cr_expect_eq(covering(&t, "/a/b/c"), 13);
	cr_expect_eq(covering(&t, "/a/b.c"), 15);
	cr_expect_eq(covering(&t, "/a/b.cd"), 11);
	cr_expect_eq(covering(&t, "/a."), 10);
	actual_mounts_clear(&t);
}

Test(actual, thousands)
{
	enum { N = 3000 };
	char *text = malloc(N * 128), *end = text, target[64];
	struct actual_mounts t;

	end += sprintf(end, "1 0 0:1 / / rw - ext4 a rw\n2 1 0:2 / /w rw - ext4 b rw\n");
	/* Numbers in no order, as the kernel gives them out again. */
	for (unsigned i = 0; i < N; i++)
		end += sprintf(
			end, "%u 2 0:3 / /w/r%u/sandbox rw - ext4 c rw\n", 10 + i * 7 % N, i);
	t = parse(text);
	for (unsigned i = 0; i < N; i++) {
		const struct actual_mount *m = actual_mounts_by_id(&t, 10 + i * 7 % N);
		(void)sprintf(target, "/w/r%u/sandbox", i);
		cr_assert(m && strcmp(m->target, target) == 0);
		cr_assert_eq(actual_mounts_at(&t, target), m);
		cr_assert_null(actual_mounts_above(&t, m));
	}
	actual_mounts_clear(&t);
	free(text);
}

/* MOVE_MOUNT_BENEATH gives a lower mount a higher id: only the parents tell what is on top. */
Test(actual, stacked_in_any_order)
{
	struct actual_mounts t = parse("10 1 0:1 / / rw - ext4 a rw\n"
				       "40 50 0:3 / /t rw - ext4 top rw\n"
				       "50 30 0:4 / /t rw - ext4 beneath rw\n"
				       "30 10 0:2 / /t rw - ext4 bottom rw\n");
	const struct actual_mount *top = actual_mounts_at(&t, "/t");

	cr_assert_eq(top->id, 40);
	cr_expect_null(actual_mounts_above(&t, top));
	cr_expect_eq(actual_mounts_beneath(&t, top)->id, 50);
	cr_expect_eq(actual_mounts_beneath(&t, actual_mounts_by_id(&t, 50))->id, 30);
	cr_expect_null(actual_mounts_beneath(&t, actual_mounts_by_id(&t, 30)));
	cr_expect_eq(actual_mounts_above(&t, actual_mounts_by_id(&t, 30))->id, 50);
	cr_expect_null(actual_mounts_by_id(&t, 77));
	actual_mounts_clear(&t);
}

/* /t/x was mounted before something covered /t: it cannot be reached any more. */
Test(actual, hidden_mounts_do_not_count)
{
	struct actual_mounts t = parse("10 1 0:1 / / rw - ext4 a rw\n"
				       "20 10 0:2 / /t rw - ext4 b rw\n"
				       "21 20 0:3 / /t/x rw - ext4 hidden rw\n"
				       "30 20 0:4 / /t rw - ext4 cover rw\n");

	cr_expect_eq(covering(&t, "/t/x"), 30);
	cr_expect_null(actual_mounts_at(&t, "/t/x"));
	actual_mounts_clear(&t);
}

Test(actual, a_ring_of_parents_ends)
{
	struct actual_mounts t = parse("1 9 0:1 / / rw - ext4 a rw\n"
				       "2 3 0:1 / /t rw - ext4 a rw\n"
				       "3 2 0:1 / /t rw - ext4 a rw\n"
				       "4 4 0:1 / /self rw - ext4 a rw\n");

	cr_expect_eq(covering(&t, "/t"), 1);
	cr_expect_null(actual_mounts_marker_of(&t, actual_mounts_by_id(&t, 2)));
	(void)actual_mounts_covering(&t, "/self");
	actual_mounts_clear(&t);
}

static bool ours(const char *fstype, const char *source, const char *options, struct run_id *id,
	struct addr *server, uint16_t *port)
{
	struct actual_mount m = {.fstype = fstype, .source = source, .options = options};

	return actual_mount_is_ours(&m, id, server, port);
}

Test(actual, ours_by_source)
{
	struct run_id id;
	struct addr server;
	uint16_t port;
	char text[ADDR_TEXT_SIZE];

	cr_assert(ours("nfs4", "10.0.0.1:/workspaces/demo/uid-1", "rw,port=20490,hard", &id,
		&server, &port));
	cr_expect_str_eq(id.run, "demo");
	cr_expect_str_eq(id.incarnation, "uid-1");
	cr_expect_eq(port, 20490);
	addr_format(&server, text);
	cr_expect_str_eq(text, "10.0.0.1");
	cr_assert(ours("nfs4", "[fd20::1]:/workspaces/demo/uid-1", "port=1", &id, &server, NULL));
	addr_format(&server, text);
	cr_expect_str_eq(text, "fd20::1");
}

Test(actual, not_ours)
{
	static const char *const foreign[] = {"", "10.0.0.1", "10.0.0.1:/",
		"10.0.0.1:/srv/demo/uid", "10.0.0.1:/workspaces/demo",
		"10.0.0.1:/workspaces/demo/uid/x", "server:/workspaces/demo/uid",
		"[fd20::1:/workspaces/demo/uid", "fd20::1]:/workspaces/demo/uid",
		":/workspaces/demo/uid", "[]:/workspaces/demo/uid", "0.0.0.0:/workspaces/demo/uid"};

	for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
		cr_expect_not(
			ours("nfs4", foreign[i], "port=20490", NULL, NULL, NULL), "%s", foreign[i]);
	cr_expect_not(ours("nfs", "10.0.0.1:/workspaces/demo/uid", "port=20490", NULL, NULL, NULL));
	cr_expect_not(ours("nfs4", "10.0.0.1:/workspaces/demo/uid", "rw,hard", NULL, NULL, NULL));
	cr_expect_not(ours("nfs4", "10.0.0.1:/workspaces/demo/uid", "port=0", NULL, NULL, NULL));
	cr_expect_not(
		ours("nfs4", "10.0.0.1:/workspaces/demo/uid", "port=65536", NULL, NULL, NULL));
}

Test(actual, a_bind_is_ours_by_its_marker)
{
	struct actual_mounts t = parse("10 1 0:1 / / rw - ext4 a rw\n"
				       "20 10 0:2 / /v/r1/sandbox ro - tmpfs kora-bind:r1 ro\n"
				       "21 20 0:1 /s /v/r1/sandbox rw - ext4 a rw\n"
				       "30 10 0:1 /s /v/r2/sandbox rw - ext4 a rw\n"
				       "40 10 0:2 / /v/r3 ro - tmpfs kora-bind:.. ro\n"
				       "41 10 0:2 / /v/r4 ro - ramfs kora-bind:r4 ro\n");
	const char *run = NULL;

	cr_assert(actual_mount_is_marker(actual_mounts_by_id(&t, 20), &run));
	cr_expect_str_eq(run, "r1");
	cr_expect_eq(actual_mounts_marker_of(&t, actual_mounts_by_id(&t, 21))->id, 20);
	cr_expect_null(actual_mounts_marker_of(&t, actual_mounts_by_id(&t, 30)));
	cr_expect_not(actual_mount_is_marker(actual_mounts_by_id(&t, 40), NULL));
	cr_expect_not(actual_mount_is_marker(actual_mounts_by_id(&t, 41), NULL));
	actual_mounts_clear(&t);
}

Test(actual, what_shows_a_deleted_folder)
{
	struct actual_mounts t = parse(
		"1 0 8:1 / / rw - ext4 /dev/a rw\n2 1 8:1 /a/b//deleted /x rw - ext4 /dev/a rw\n"
		"3 1 8:1 //deleted /y rw - ext4 /dev/a rw\n4 1 8:1 /a/deleted /z rw - ext4 /dev/a "
		"rw\n");

	for (size_t i = 0; i < t.n; i++)
		cr_expect_eq(actual_mount_is_deleted(&t.list[i]), i == 1 || i == 2, "%s",
			t.list[i].root);
	actual_mounts_clear(&t);
}

Test(actual, this_machines_own_table)
{
	struct actual_mounts first, again;
	int fd = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);

	cr_assert_geq(fd, 0);
	cr_assert_eq(actual_mounts_read(fd, &first), 0);
	cr_assert_eq(actual_mounts_read(fd, &again), 0);
	cr_expect_eq(first.n, again.n);
	cr_expect_gt(first.n, 0);
	cr_expect_not_null(actual_mounts_covering(&first, "/proc/self"));
	actual_mounts_clear(&first);
	actual_mounts_clear(&again);
	(void)close(fd);
	cr_expect_eq(actual_mounts_read(-1, &first), -EBADF);
}
