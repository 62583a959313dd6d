/* SPDX-License-Identifier: Apache-2.0 */
/* Decides as Landlock does: by inode, upwards through mounts. */
#include "harden/reach.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "mountd/base/cleanup.h"

static struct inode inode_of(const struct stat *st)
{
	return (struct inode){st->st_dev, st->st_ino};
}

static bool same(struct inode a, struct inode b)
{
	return a.dev == b.dev && a.ino == b.ino;
}

static bool has(const struct inodes *set, struct inode i)
{
	for (size_t k = 0; k < set->n; k++)
		if (same(set->v[k], i))
			return true;
	return false;
}

static bool add(struct inodes *set, struct inode i)
{
	if (set->n == sizeof(set->v) / sizeof(set->v[0]))
		return false;
	set->v[set->n++] = i;
	return true;
}

static int open_above(int dir)
{
	return openat(dir, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/* Up to the root directory, which is its own parent. */
static int collect_above(int root, struct inodes *ret)
{
	_cleanup_close_ int fd = openat(root, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct stat st;

	ret->n = 0;
	while (fd >= 0 && fstat(fd, &st) == 0) {
		if (ret->n && same(ret->v[ret->n - 1], inode_of(&st)))
			return 0;
		if (!add(ret, inode_of(&st)))
			return -ENAMETOOLONG;
		int up = open_above(fd);

		(void)close(fd);
		fd = up;
	}
	return -errno;
}

int runs_open(struct runs *runs, int root, int own)
{
	struct stat st;

	if (fstat(own, &st) < 0)
		return -errno;
	runs->own = inode_of(&st);
	runs->clear.n = 0;
	int r = ll_name_of_fd(root, runs->root_name, sizeof(runs->root_name));

	if (r == 0)
		r = ll_name_of_fd(own, runs->own_name, sizeof(runs->own_name));
	if (r == 0)
		r = collect_above(root, &runs->above);
	runs->any = r == 0;
	return r;
}

/* "/" or with a slash at the end; "" for a name that has no parent. */
static void parent_of(const char *name, char parent[PATH_MAX])
{
	const char *slash = strrchr(name, '/');
	size_t len = slash ? (size_t)(slash - name) + 1 : 0;

	memcpy(parent, name, len);
	parent[len] = '\0';
}

/* A file has its name only, and so has a directory that can't be searched. */
static int open_first_above(int fd, const struct ll_path_found *found)
{
	char parent[PATH_MAX];
	int up = S_ISDIR(found->st.st_mode) ? open_above(fd) : -1;

	if (up >= 0)
		return up;
	parent_of(found->target, parent);
	return openat(AT_FDCWD, parent, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/* The files of one directory come in a row. */
static bool beside_clear(const struct runs *runs, const struct ll_path_found *found)
{
	char parent[PATH_MAX];
	struct stat st;

	if (S_ISDIR(found->st.st_mode))
		return false;
	parent_of(found->target, parent);
	return stat(parent, &st) == 0 && has(&runs->clear, inode_of(&st));
}

/* Upwards until it is known where this lies; on a way that is clear all directories are. */
static bool lies_in_runs(struct runs *runs, int fd, const struct ll_path_found *found)
{
	const size_t known = runs->clear.n;
	_cleanup_close_ int above = -1;
	struct stat st = found->st;

	while (true) {
		const struct inode at = inode_of(&st);

		if (has(&runs->clear, at) || same(at, runs->own))
			return false;
		if (same(at, runs->above.v[0]))
			break;
		if (S_ISDIR(st.st_mode)) /* a file may have another name elsewhere */
			(void)add(&runs->clear, at);
		int up = above < 0 ? open_first_above(fd, found) : open_above(above);

		if (above >= 0)
			(void)close(above);
		above = up;
		if (above < 0 || fstat(above, &st) < 0)
			break;
		if (same(at, inode_of(&st)))
			return false;
	}
	runs->clear.n = known;
	return true;
}

enum reach runs_reach(struct runs *runs, int fd, const struct ll_path_found *found)
{
	if (!runs->any)
		return REACH_FREE;
	if (path_beneath(runs->root_name, found->target) || has(&runs->above, inode_of(&found->st)))
		return REACH_ALL;
	if (path_beneath(found->target, runs->own_name))
		return REACH_FREE;
	if (path_beneath(found->target, runs->root_name))
		return REACH_OTHER;
	return beside_clear(runs, found) || !lies_in_runs(runs, fd, found) ? REACH_FREE
									   : REACH_OTHER;
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
