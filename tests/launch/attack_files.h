/* SPDX-License-Identifier: Apache-2.0 */
/* Attempts on files of the other run. */
#pragma once

#include <fcntl.h>
#include <stdio.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "attack.h"
#include <errno.h>

/* Every attempt has a file of its own in B, so that one that works spoils no other. */
static const char *in_b(const struct target *t, const char *name)
{
	static char path[4][512];
	static unsigned int turn;
	char *p = path[turn++ % 4];

	snprintf(p, sizeof(path[0]), "%s/%s", t->b, name);
	return p;
}

static const char *in_a(const struct target *t, const char *name)
{
	static char path[512];

	snprintf(path, sizeof(path), "%s/%s", t->a, name);
	return path;
}

static int closing(int fd)
{
	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

static int outcome(long r)
{
	return r < 0 ? errno : 0;
}

static int file_open(const struct target *t)
{
	return closing(open(in_b(t, "open"), O_RDONLY));
}
static int file_create(const struct target *t)
{
	return closing(open(in_b(t, "new"), O_WRONLY | O_CREAT | O_EXCL, 0600));
}
static int file_readdir(const struct target *t)
{
	return closing(open(t->b, O_RDONLY | O_DIRECTORY));
}
static int file_unlink(const struct target *t)
{
	return outcome(unlink(in_b(t, "unlink")));
}
static int file_mkdir(const struct target *t)
{
	return outcome(mkdir(in_b(t, "newdir"), 0700));
}
static int file_rename(const struct target *t)
{
	return outcome(rename(in_b(t, "rename"), in_a(t, "stolen")));
}
static int file_link(const struct target *t)
{
	return outcome(link(in_b(t, "link"), in_a(t, "linked")));
}
static int file_symlink(const struct target *t)
{
	return outcome(symlink("/etc/passwd", in_b(t, "newlink")));
}
static int file_truncate(const struct target *t)
{
	return outcome(truncate(in_b(t, "truncate"), 0));
}
static int file_stat(const struct target *t)
{
	struct stat st;

	return outcome(stat(in_b(t, "stat"), &st));
}
static int file_access(const struct target *t)
{
	return outcome(access(in_b(t, "stat"), R_OK));
}
static int file_chdir(const struct target *t)
{
	return outcome(chdir(t->b));
}
static int file_statfs(const struct target *t)
{
	struct statfs st;

	return outcome(statfs(t->b, &st));
}
static int file_opath(const struct target *t)
{
	return closing(open(in_b(t, "stat"), O_PATH));
}
static int file_chmod(const struct target *t)
{
	return outcome(chmod(in_b(t, "chmod"), 0644));
}
static int file_chown(const struct target *t)
{
	return outcome(chown(in_b(t, "chown"), t->uid, t->gid));
}
static int file_utime(const struct target *t)
{
	return outcome(utimensat(AT_FDCWD, in_b(t, "utime"), NULL, 0));
}
static int file_xattr(const struct target *t)
{
	return outcome(setxattr(in_b(t, "xattr"), "user.kora", "1", 1, 0));
}
static int file_inotify(const struct target *t)
{
	int fd = inotify_init1(IN_CLOEXEC);

	return outcome(inotify_add_watch(fd, in_b(t, "inotify"), IN_ALL_EVENTS));
}
