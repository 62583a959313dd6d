/* SPDX-License-Identifier: Apache-2.0 */
/* Removing what NFS clients kept of deleted files. */
#include "nfs/sweep.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "nfs/export.h"

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
