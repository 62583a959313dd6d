/* SPDX-License-Identifier: Apache-2.0 */
/* An exported folder that is deleted is seen in a mount namespace that keeps it. */
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
#include "nfs/deleted.h"
#include "nfs/pseudo_root.h"

static char folder[] = "/tmp/kora-deleted-XXXXXX";
static struct pseudo_root root = PSEUDO_ROOT_NONE;

/* Is bound as an export is. */
static void add(const char *run)
{
	struct run_id id = {.incarnation = "i1"};
	char path[96];

	(void)snprintf(id.run, sizeof id.run, "%s", run);
	(void)snprintf(path, sizeof path, "%s/%s", folder, run);
	cr_assert_eq(mkdir(path, 0755), 0);
	_cleanup_close_ int tree = open_tree(AT_FDCWD, path, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
	cr_assert_geq(tree, 0);
	cr_assert_eq(pseudo_root_bind(&root, &id, tree, NULL), 0);
}

static void set_up(void)
{
	struct kerr e = {0};

	cr_assert_not_null(mkdtemp(folder));
	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
		pseudo_root_new(&root, &e) < 0)
		cr_skip_test(
			"needs mount namespaces of its own: %s", e.stage ? e.stage : "unshare");
	add("r1");
	add("r2");
	add("r3");
}

static void tear_down(void)
{
	char command[64];

	pseudo_root_close(&root);
	(void)snprintf(command, sizeof command, "rm -rf %s", folder);
	cr_expect_eq(system(command), 0); /* NOLINT */
}

TestSuite(deleted, .init = set_up, .fini = tear_down);

/* As a worker does, which does not come back. */
static void find(struct deleted_folders *ret)
{
	struct kerr e = {0};

	ret->n = 0;
	cr_assert_eq(deleted_exports(root.own, ret, &e), 0, "%s", e.stage);
	pseudo_root_leave(&root);
}

static void at(const char *name, char path[96])
{
	(void)snprintf(path, 96, "%s/%s", folder, name);
}

Test(deleted, a_folder_that_is_there_is_not)
{
	struct deleted_folders deleted;
	char from[96], to[96];

	at("r1", from);
	at("deleted", to);
	cr_assert_eq(rename(from, to), 0);
	find(&deleted);
	cr_expect_eq(deleted.n, 0);
}

Test(deleted, the_one_that_is_deleted_is_told)
{
	struct deleted_folders deleted;
	char path[96];

	at("r2", path);
	cr_assert_eq(rmdir(path), 0);
	find(&deleted);
	cr_assert_eq(deleted.n, 1);
	cr_expect_str_eq(deleted.list[0].id.run, "r2");
	cr_expect_str_eq(deleted.list[0].id.incarnation, "i1");
}

Test(deleted, one_made_anew_is_another)
{
	struct deleted_folders deleted;
	char path[96];

	at("r3", path);
	cr_assert_eq(rmdir(path), 0);
	cr_assert_eq(mkdir(path, 0755), 0);
	find(&deleted);
	cr_assert_eq(deleted.n, 1);
	cr_expect_str_eq(deleted.list[0].id.run, "r3");
}

Test(deleted, more_than_fit_are_told_in_part)
{
	struct deleted_folders deleted;
	char path[128];

	for (int i = 0; i < DELETED_MAX + 4; i++) {
		char name[16];

		(void)snprintf(name, sizeof name, "many%d", i);
		add(name);
		(void)snprintf(path, sizeof path, "%s/%s", folder, name);
		cr_assert_eq(rmdir(path), 0);
	}
	find(&deleted);
	cr_expect_eq(deleted.n, DELETED_MAX);
}

static void bind_at(const char *place, const char *source)
{
	cr_assert_eq(mount("kora-bind:b1", place, "tmpfs", 0, NULL), 0);
	cr_assert_eq(mount(source, place, NULL, MS_BIND, NULL), 0);
}

Test(deleted, a_bind_of_ours_is_told_by_its_marker)
{
	struct deleted_folders deleted = {0};
	struct kerr e = {0};
	char place[96], source[96], foreign[96];

	at("r1", source);
	at("b1", place);
	cr_assert_eq(mkdir(place, 0755), 0);
	at("b1/sandbox", place);
	cr_assert_eq(mkdir(place, 0755), 0);
	bind_at(place, source);
	at("r2", source);
	at("foreign", foreign);
	cr_assert_eq(mkdir(foreign, 0755), 0);
	cr_assert_eq(mount(source, foreign, NULL, MS_BIND, NULL), 0);
	cr_assert_eq(rmdir(source), 0);
	cr_assert_eq(deleted_binds(&deleted, &e), 0, "%s", e.stage);
	cr_expect_eq(deleted.n, 0, "it is not ours");
	at("r1", source);
	cr_assert_eq(rmdir(source), 0);
	cr_assert_eq(deleted_binds(&deleted, &e), 0, "%s", e.stage);
	cr_assert_eq(deleted.n, 1);
	cr_expect_str_eq(deleted.list[0].id.run, "b1");
	cr_expect_neq(deleted.list[0].mount_id, 0);
	(void)umount2(foreign, MNT_DETACH);
	(void)umount2(place, MNT_DETACH);
	(void)umount2(place, MNT_DETACH);
}
