/* SPDX-License-Identifier: Apache-2.0 */
/* Whichever look at what clients hold fails: nobody is said to hold nothing who was not asked. */
#include "nfs/export.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "mountd/base/cleanup.h"

#define LOOKS_MAX 20

static char folder[] = "/tmp/kora-test-revoke.XXXXXX";
static struct exporter_config config = {
	.runtime_dir = folder, .masked_rungs = EXPORT_RUNG_UNLOCK_EXPORT};
static struct addr client = {.family = AF_INET, .bytes = {10, 20, 0, 2}};
static struct export gone = {.id = {"gone", "1"},
	.volume = folder,
	.folder = (char[]){"one"},
	.clients = &client,
	.n_clients = 1};
static struct export stays = {.id = {"stays", "1"},
	.volume = folder,
	.folder = (char[]){"two"},
	.clients = &client,
	.n_clients = 1};
static const struct export *const list[] = {&stays};
static struct other_exports others = {.list = list, .n = 1};
static int fs = -1, tree = -1;
static unsigned looks, fails_at; /* from one on; 0: none fails */

/* In place of the kernel's: what is in folder is taken for nfsd's. */
int mount(const char *source, const char *target, const char *type, unsigned long flags,
	const void *data)
{
	(void)source;
	(void)target;
	(void)flags;
	(void)data;
	cr_assert_str_eq(type, "nfsd");
	return 0;
}

static bool is_states(int fd)
{
	char link[64], path[PATH_MAX] = "";

	(void)snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	return readlink(link, path, sizeof path - 1) > 0 && strstr(path, "/states");
}

/* Each look at a client's states begins at their beginning. */
ssize_t read(int fd, void *buffer, size_t size)
{
	if (is_states(fd) && lseek(fd, 0, SEEK_CUR) == 0 && ++looks == fails_at) {
		errno = EIO;
		return -1;
	}
	return syscall(SYS_read, fd, buffer, size);
}

static void put(const char *name, const char *file, const char *text)
{
	char path[64];
	_cleanup_close_ int fd = -1;

	(void)snprintf(path, sizeof path, "%s%s", name, file);
	fd = openat(fs, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	cr_assert_geq(fd, 0, "%s: %s", path, strerror(errno));
	cr_assert_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
}

static bool is_empty(const char *file)
{
	struct stat st;

	cr_assert_eq(fstatat(fs, file, &st, 0), 0);
	return st.st_size == 0;
}

/* One that holds a file in that folder. */
static void add_client(const char *name, const char *file)
{
	_cleanup_close_ int fd = openat(tree, file, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	struct stat root, st;
	char text[256];

	cr_assert_geq(fd, 0);
	cr_assert_eq(fstat(fd, &st), 0);
	cr_assert_eq(fstat(tree, &root), 0);
	cr_assert_eq(mkdirat(fs, name, 0700), 0);
	put(name, "/info", "clientid: 0x1\naddress: \"10.20.0.2:921\"\n");
	put(name, "/ctl", "");
	(void)snprintf(text, sizeof text,
		"- 0x1: { type: open, superblock: \"%02x:%02x:%lu\", filename: \"f\" }\n",
		major(root.st_dev), minor(root.st_dev), (unsigned long)st.st_ino);
	put(name, "/states", text);
}

static void set_up(void)
{
	char path[64];

	cr_assert(mkdtemp(folder));
	tree = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	cr_assert_geq(tree, 0);
	cr_assert_eq(mkdirat(tree, "one", 0700) + mkdirat(tree, "two", 0700), 0);
	(void)snprintf(path, sizeof path, "%s/nfsd", folder);
	cr_assert_eq(mkdir(path, 0700), 0);
	fs = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	cr_assert_geq(fs, 0);
	put("threads", "", "8\n");
	put("unlock_filesystem", "", "");
	cr_assert_eq(mkdirat(fs, "clients", 0700), 0);
	add_client("clients/1", "one/file");
	add_client("clients/2", "two/file");
}

static void tear_down(void)
{
	char command[64];

	(void)snprintf(command, sizeof command, "rm -rf %s", folder);
	cr_expect_eq(system(command), 0); /* NOLINT */
	(void)close(fs);
	(void)close(tree);
}

TestSuite(revoke, .init = set_up, .fini = tear_down, .timeout = 120);

static int end_export(unsigned fails, const char **ret_rung, struct kerr *e)
{
	_cleanup_close_ int one = openat(tree, "one", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	looks = 0;
	fails_at = fails;
	put("clients/1", "/ctl", "");
	put("clients/2", "/ctl", "");
	return export_revoke(&config, &gone, one, false, &others, ret_rung, e);
}

/* Each of them fails once: it is told, or the client expired unseen. */
static void fail_each_look(bool shared)
{
	unsigned at, told = 0;

	for (at = 1; at <= LOOKS_MAX; at++) {
		const char *rung = "untouched";
		struct kerr e = {0};
		int r = end_export(at, &rung, &e);

		cr_expect(!shared || is_empty("clients/2/ctl"), "of another export, look %u", at);
		if (r < 0) {
			told++;
			cr_expect_eq(r, -EIO);
			cr_expect_eq(e.error, -EIO);
			cr_expect(strncmp(e.subject, "clients/", 8) == 0 &&
					  strstr(e.subject, "/states"),
				"%s", e.subject);
			continue;
		}
		cr_expect_str_eq(rung, "expire-client", "look %u", at);
		cr_expect_not(is_empty("clients/1/ctl"), "look %u", at);
		cr_expect(shared || !is_empty("clients/2/ctl"), "look %u", at);
		if (looks < at)
			break;
	}
	cr_expect_gt(told, 2);
	cr_expect_leq(at, LOOKS_MAX);
}

Test(revoke, a_look_that_fails_beside_another_export)
{
	others.n_staying = 1;
	fail_each_look(true);
}

Test(revoke, a_look_that_fails_on_a_filesystem_of_its_own)
{
	fail_each_look(false);
	cr_expect_not(is_empty("unlock_filesystem"), "it was not tried");
}
