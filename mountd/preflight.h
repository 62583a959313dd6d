/* SPDX-License-Identifier: Apache-2.0 */
/* What must be so before the daemon begins: privilege, directories, being the only one. */
#pragma once

#include <limits.h>
#include <sys/types.h>

#include "mountd/base/kerr.h"
#include "mountd/options.h"

struct preflight {
	int netns_lock;	  /* all held for the daemon's whole life: of the network namespace, … */
	int lock;	  /* … in the state directory … */
	int runtime_lock; /* … and in the runtime directory */
	int state;	  /* the state directory */
	int attached;	  /* "attached" in it */
	char spec_dir[PATH_MAX];
	gid_t control_gid; /* (gid_t)-1: root alone */
};

#define PREFLIGHT_NONE \
	(struct preflight) \
	{ \
		.netns_lock = -1, .lock = -1, .runtime_lock = -1, .state = -1, .attached = -1, \
		.control_gid = (gid_t)-1 \
	}

/*
 * -EPERM: not root or without CAP_SYS_ADMIN; -EBUSY: another daemon runs in this network
 * namespace or uses one of the directories;
 * -ENOENT: no /proc, or no such group; everything else as mkdir(2) and open(2) have it.
 * Fills options->node_name where it is empty.
 */
int preflight(struct options *options, struct preflight *ret, struct kerr *e);
void preflight_clear(struct preflight *p);

/* -EPERM: others than root could write it; -ENOTDIR; else as stat(2). */
int preflight_directory(const char *path, struct kerr *e);

/* What --control-group names, a group or a number. -ENOENT: no such group; else of getgrnam(3). */
int control_group_find(const char *name, gid_t *ret, struct kerr *e);
