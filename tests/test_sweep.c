/* SPDX-License-Identifier: Apache-2.0 */
/* Removing what NFS clients kept of deleted files. */
#include "nfs/sweep.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <unistd.h>

#include "nfs/export.h"
#include "nfs/overlap.h"

#define KEPT ".nfs00000000000a0b1c00000001"

Test(sweep, knows_the_names_of_the_kernel)
{
	cr_expect(sweep_is_kept(KEPT));
	static const char *const others[] = {"", ".nfs", ".nfsrc", KEPT "0",
		".nfs00000000000A0B1C00000001", ".nfs00000000000a0b1c0000000g", "x" KEPT};

	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		cr_expect_not(sweep_is_kept(others[i]), "%s", others[i]);
}

static unsigned sweep(const struct export *const *others, size_t n, int *ret_left)
{
	static struct export gone = {.volume = (char *)"/v", .folder = (char *)"demo"};
	char folder[] = "/tmp/kora-test-sweep.XXXXXX", command[256];
	unsigned swept;
	int fd;

	cr_assert(mkdtemp(folder));
	(void)snprintf(command, sizeof command,
		"cd %s && mkdir -p a/b c/" KEPT " && touch " KEPT " a/b/" KEPT
		" .nfsrc a/file && ln -s a l",
		folder);
	cr_assert_eq(system(command), 0);
	fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	swept = export_sweep(&gone, fd, others, n);
	(void)snprintf(command, sizeof command, "exit $(find %s | wc -l)", folder);
	*ret_left = WEXITSTATUS(system(command));
	(void)snprintf(command, sizeof command, "rm -rf %s", folder);
	cr_assert_eq(system(command), 0);
	(void)close(fd);
	return swept;
}

Test(sweep, removes_files_at_every_depth_and_nothing_else)
{
	int left;

	cr_expect_eq(sweep(NULL, 0, &left), 2);
	cr_expect_eq(left, 8);
}

Test(sweep, leaves_what_another_export_shows)
{
	struct export same = {.volume = (char *)"/v", .folder = (char *)"demo"},
		      inner = {.volume = (char *)"/v/demo", .folder = (char *)"a"},
		      outer = {.volume = (char *)"/", .folder = (char *)"v"},
		      next = {.volume = (char *)"/v", .folder = (char *)"demo2"};
	const struct export *others[] = {&same};
	int left;

	cr_expect_eq(sweep(others, 1, &left), 0);
	others[0] = &inner;
	cr_expect_eq(sweep(others, 1, &left), 0);
	others[0] = &outer;
	cr_expect_eq(sweep(others, 1, &left), 0);
	others[0] = &next;
	cr_expect_eq(sweep(others, 1, &left), 2);
}

static char *made(const char *base, const char *name)
{
	char *path = NULL;

	cr_assert_geq(asprintf(&path, "%s/%s", base, name), 0);
	return path;
}

static bool overlap(const char *base, const char *one, const char *other)
{
	struct export a = {.volume = made(base, one), .folder = (char[]){"."}},
		      b = {.volume = made(base, other), .folder = (char[]){"."}};
	struct actual_mounts mounts;
	bool overlaps;

	cr_assert_eq(actual_mounts_read_own(&mounts), 0);
	overlaps = exports_overlap(&a, &b, &mounts);
	cr_expect_eq(exports_overlap(&b, &a, &mounts), overlaps, "%s, %s", one, other);
	actual_mounts_clear(&mounts);
	free(a.volume);
	free(b.volume);
	return overlaps;
}

Test(sweep, knows_one_folder_by_two_names)
{
	char base[] = "/tmp/kora-test-sweep.XXXXXX", command[256];
	char *from, *to;

	cr_assert(mkdtemp(base));
	(void)snprintf(command, sizeof command,
		"cd %s && mkdir -p v/demo/a v/demo2 bind && ln -s v/demo link", base);
	cr_assert_eq(system(command), 0);
	cr_expect(overlap(base, "v/demo", "link"));
	cr_expect(overlap(base, "v/demo", "link/a"));
	cr_expect(overlap(base, "v", "link"));
	cr_expect_not(overlap(base, "v/demo2", "link"));
	cr_expect_not(overlap(base, "v/demo2", "gone"));
	from = made(base, "v/demo");
	to = made(base, "bind");
	/* Where the tests may mount. */
	if (unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
		mount(from, to, NULL, MS_BIND, NULL) == 0) {
		cr_expect(overlap(base, "v/demo", "bind"));
		cr_expect(overlap(base, "v/demo/a", "bind"));
		cr_expect(overlap(base, "v", "bind/a"));
		cr_expect_not(overlap(base, "v/demo2", "bind"));
		cr_expect_eq(umount(to), 0);
	}
	free(from);
	free(to);
	(void)snprintf(command, sizeof command, "rm -rf %s", base);
	cr_assert_eq(system(command), 0);
}
