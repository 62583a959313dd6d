/* SPDX-License-Identifier: Apache-2.0 */
/* From what was asked to what will be done: directories, grants and ports of the chosen profile. */
#pragma once

#include "harden/policy.h"

struct plan {
	char *workspace; /* <workspaces>/<run>, or NULL */
	char *workdir;	 /* where the program starts, or NULL: where the launcher was started */
	char *home;	 /* HOME, or NULL: none */
	char *tmpdir;	 /* TMPDIR, or NULL: none */
	mode_t umask;
	struct grants grants; /* without the workspace, which is opened without following links */
	struct ports tcp_bind;
};

/* What the plan may look at; a test gives its own. */
struct surroundings {
	const char *env_home;				 /* HOME as found, may be NULL */
	int64_t uid;					 /* who the program will be */
	bool (*writable)(const char *path, int64_t uid); /* a directory that user may write */
};

/* -ENOMEM. Everything in the plan is owned by it. */
int plan_make(const struct policy *p, const struct surroundings *s, struct plan *ret);
void plan_done(struct plan *plan);

/* surroundings.writable on the real filesystem; for another user by owner and mode. */
bool plan_writable(const char *path, int64_t uid);

/* Is path dir itself or beneath it? Both absolute and without trailing slash. */
bool path_beneath(const char *path, const char *dir);
