/* SPDX-License-Identifier: Apache-2.0 */
/* Decides as Landlock does: by inode, upwards through mounts. */
#include "harden/reach.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "mountd/base/cleanup.h"

static int name_of(int fd, char *buf, size_t len)
{
	char link[32];

	(void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	ssize_t n = readlink(link, buf, len - 1);

	if (n < 0)
		return -errno;
	buf[n] = '\0';
	return 0;
}

int runs_open(struct runs *runs, int root, int own)
{
	runs->root = root;
	if (fstat(root, &runs->root_st) < 0 || fstat(own, &runs->own_st) < 0)
		return -errno;
	int r = name_of(root, runs->root_name, sizeof(runs->root_name));

	return r < 0 ? r : name_of(own, runs->own_name, sizeof(runs->own_name));
}

void runs_done(struct runs *runs)
{
	cleanup_close(&runs->root);
}

static bool same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Is wanted the directory dir or above it? What lies in stop (NULL: nothing) does not count. */
static bool has_above(int dir, const struct stat *wanted, const struct stat *stop)
{
	_cleanup_close_ int fd = openat(dir, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct stat st, last = {0};

	while (fd >= 0 && fstat(fd, &st) == 0 && !same(&st, &last)) {
		if (stop && same(&st, stop))
			return false;
		if (same(&st, wanted))
			return true;
		int up = openat(fd, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);

		(void)close(fd);
		fd = up;
		last = st;
	}
	return false;
}

static bool lies_in_runs(const struct runs *runs, int fd, const struct ll_path_found *found)
{
	char parent[PATH_MAX];

	if (S_ISDIR(found->mode))
		return has_above(fd, &runs->root_st, &runs->own_st);
	int n = snprintf(parent, sizeof(parent), "%s", found->target);

	if (n < 0 || !strrchr(parent, '/'))
		return false;
	strrchr(parent, '/')[1] = '\0';
	_cleanup_close_ int dir = open(parent, O_PATH | O_DIRECTORY | O_CLOEXEC);

	return dir >= 0 && has_above(dir, &runs->root_st, &runs->own_st);
}

enum reach runs_reach(const struct runs *runs, int fd, const struct ll_path_found *found)
{
	struct stat st;

	if (runs->root < 0)
		return REACH_FREE;
	if (path_beneath(runs->root_name, found->target) ||
		(fstat(fd, &st) == 0 && has_above(runs->root, &st, NULL)))
		return REACH_ALL;
	if (path_beneath(found->target, runs->own_name))
		return REACH_FREE;
	if (path_beneath(found->target, runs->root_name) || lies_in_runs(runs, fd, found))
		return REACH_OTHER;
	return REACH_FREE;
}

static bool strictly_beneath(const char *path, const char *dir)
{
	const char *rest = path + strlen(dir);

	return path_beneath(path, dir) && rest[strspn(rest, "/")];
}

const char *reach_writable_above(const struct plan *plan, const char *path)
{
	const char *above = NULL;

	if (plan->workspace && strictly_beneath(path, plan->workspace))
		above = plan->workspace;
	for (size_t i = 0; i < plan->grants.n; i++) {
		const struct grant *g = &plan->grants.v[i];

		if ((g->kind == GRANT_WRITE || g->kind == GRANT_WORK) &&
			strictly_beneath(path, g->path) &&
			(!above || strlen(g->path) < strlen(above)))
			above = g->path;
	}
	return above;
}
