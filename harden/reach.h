/* SPDX-License-Identifier: Apache-2.0 */
/* What a grant opens once its path is resolved: names may lie, inodes don't. */
#pragma once

#include <limits.h>
#include <sys/stat.h>

#include "harden/plan.h"
#include "landlock/ruleset.h"

/* The directory of all workspaces and the own one in it. */
struct runs {
	int root; /* owned; -1: there is no run, and nothing of others' to protect */
	struct stat root_st, own_st;
	char root_name[PATH_MAX];
	char own_name[PATH_MAX];
};

enum reach {
	REACH_FREE,  /* nothing of another run's */
	REACH_OTHER, /* lies in another run's workspace */
	REACH_ALL,   /* has all workspaces beneath it */
};

/* root and own are open directories; root is taken over. -errno as fstat(2) or readlink(2). */
int runs_open(struct runs *runs, int root, int own);
void runs_done(struct runs *runs);

/* fd is what found says. */
enum reach runs_reach(const struct runs *runs, int fd, const struct ll_path_found *found);

/*
 * The outermost place that lies above path and that the plan lets the program write, or NULL. A
 * link in there may be the program's own work.
 */
const char *reach_writable_above(const struct plan *plan, const char *path);
