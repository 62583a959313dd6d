/* SPDX-License-Identifier: Apache-2.0 */
/* What a grant opens once its path is resolved: names may lie, inodes don't. */
#pragma once

#include <limits.h>
#include <sys/stat.h>

#include "harden/plan.h"
#include "landlock/ruleset.h"

struct inode {
	dev_t dev;
	ino_t ino;
};

struct inodes {
	size_t n;
	struct inode v[128];
};

/* The directory of all workspaces and the own one in it. */
struct runs {
	bool any; /* else there is no run, and nothing of others' to protect */
	char root_name[PATH_MAX];
	char own_name[PATH_MAX];
	struct inode own;
	struct inodes above; /* the root, and what has it beneath it */
	struct inodes clear; /* directories that lie in no other run's workspace */
};

enum reach {
	REACH_FREE,  /* nothing of another run's */
	REACH_OTHER, /* lies in another run's workspace */
	REACH_ALL,   /* has all workspaces beneath it */
};

/* root and own are open directories. -errno as fstat(2), readlink(2) or openat(2). */
int runs_open(struct runs *runs, int root, int own);

/* fd is what found says. What can't be found out counts as another run's. */
enum reach runs_reach(struct runs *runs, int fd, const struct ll_path_found *found);

/*
 * The outermost place that lies above path and that the plan lets the program write, or NULL. A
 * link in there may be the program's own work.
 */
const char *reach_writable_above(const struct plan *plan, const char *path);
