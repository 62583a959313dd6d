/* SPDX-License-Identifier: Apache-2.0 */
/* The node key: made once, kept, and never silently replaced. */
#include "nfs/node_key.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char dir[64];
static unsigned char key[FSID_KEY_SIZE], again[FSID_KEY_SIZE];
static struct kerr e;

static void setup(void)
{
	strcpy(dir, "/tmp/node-key.XXXXXX");
	cr_assert(mkdtemp(dir));
	cr_assert_eq(chdir(dir), 0);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static void teardown(void)
{
	(void)nftw(dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

TestSuite(node_key, .init = setup, .fini = teardown);

static void serve_once(void)
{
	cr_assert_eq(node_key_load(dir, key, &e), 0);
}

static void expect_lost(const char *fault)
{
	memset(again, 0xaa, sizeof again);
	cr_assert_eq(node_key_load(dir, again, &e), -ENOKEY);
	cr_expect(strstr(e.subject, "/node.key"), "%s", e.subject);
	cr_expect(strstr(e.detail, fault), "%s", e.detail);
	cr_expect(strstr(e.detail, "restore the file"), "%s", e.detail);
	cr_expect_eq(again[0], 0xaa);
}

Test(node_key, is_made_once_and_found_again)
{
	static const unsigned char zero[FSID_KEY_SIZE];
	struct stat st;

	serve_once();
	cr_expect_neq(memcmp(key, zero, sizeof key), 0);
	cr_assert_eq(stat("node.key", &st), 0);
	cr_expect_eq(st.st_mode & 07777, 0600);
	cr_expect_eq(st.st_size, FSID_KEY_SIZE);
	cr_assert_eq(node_key_load(dir, again, &e), 0);
	cr_expect_eq(memcmp(key, again, sizeof key), 0);
	cr_expect_neq(access(".node.key.tmp", F_OK), 0);
}

Test(node_key, two_nodes_have_two_keys)
{
	char other[] = "/tmp/node-key.XXXXXX";

	serve_once();
	cr_assert(mkdtemp(other));
	cr_assert_eq(node_key_load(other, again, &e), 0);
	cr_expect_neq(memcmp(key, again, sizeof key), 0);
	(void)nftw(other, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

Test(node_key, missing_after_it_served)
{
	serve_once();
	cr_assert_eq(unlink("node.key"), 0);
	expect_lost("missing");
	cr_expect_neq(access("node.key", F_OK), 0);
}

Test(node_key, missing_where_only_clients_are_known)
{
	cr_assert_eq(mkdir("clients", 0700), 0);
	cr_assert_geq(open("clients/somebody", O_CREAT | O_WRONLY | O_CLOEXEC, 0600), 0);
	expect_lost("missing");
}

Test(node_key, an_empty_clients_folder_is_no_past)
{
	cr_assert_eq(mkdir("clients", 0700), 0);
	serve_once();
}

Test(node_key, another_identity_only_when_asked_for)
{
	serve_once();
	cr_assert_eq(unlink("node.key"), 0);
	cr_assert_eq(unlink("node.id"), 0);
	cr_assert_eq(node_key_load(dir, again, &e), 0);
	cr_expect_neq(memcmp(key, again, sizeof key), 0);
}

Test(node_key, short_or_long)
{
	serve_once();
	cr_assert_eq(truncate("node.key", FSID_KEY_SIZE - 1), 0);
	expect_lost("32 bytes");
	cr_assert_eq(truncate("node.key", FSID_KEY_SIZE + 1), 0);
	expect_lost("32 bytes");
	cr_assert_eq(truncate("node.key", 0), 0);
	expect_lost("32 bytes");
}

Test(node_key, readable_by_others)
{
	serve_once();
	cr_assert_eq(chmod("node.key", 0640), 0);
	expect_lost("0600");
}

Test(node_key, somebody_else_s)
{
	if (geteuid() != 0)
		cr_skip_test("needs root");
	serve_once();
	cr_assert_eq(chown("node.key", 12345, 12345), 0);
	expect_lost("another user");
}

Test(node_key, another_key_than_it_served_with)
{
	int fd;

	serve_once();
	fd = open("node.key", O_WRONLY | O_CLOEXEC);
	cr_assert_eq(write(fd, "x", 1), 1);
	(void)close(fd);
	/* One chance in 256 that nothing changed. */
	if (key[0] != 'x')
		expect_lost("not the key");
}

Test(node_key, a_link_or_a_folder_in_its_place)
{
	serve_once();
	cr_assert_eq(rename("node.key", "elsewhere"), 0);
	cr_assert_eq(symlink("elsewhere", "node.key"), 0);
	expect_lost("symbolic link");
	cr_assert_eq(unlink("node.key"), 0);
	cr_assert_eq(mkdir("node.key", 0700), 0);
	expect_lost("regular file");
}

Test(node_key, a_start_that_died_half_way_is_finished)
{
	serve_once();
	cr_assert_eq(unlink("node.id"), 0);
	cr_assert_geq(open(".node.id.tmp", O_CREAT | O_WRONLY | O_CLOEXEC, 0600), 0);
	cr_assert_eq(node_key_load(dir, again, &e), 0);
	cr_expect_eq(memcmp(key, again, sizeof key), 0);
	cr_expect_eq(access("node.id", F_OK), 0);
}

Test(node_key, no_state_folder)
{
	cr_expect_eq(node_key_load("/nonexistent/state", key, &e), -ENOENT);
	cr_expect_str_eq(e.subject, "/nonexistent/state");
}
