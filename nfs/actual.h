/* SPDX-License-Identifier: Apache-2.0 */
/* What is mounted now: a mountinfo table, read from an open /proc/…/mountinfo and never cached. */
#pragma once

#include "nfs/run.h"

struct actual_mount {
	uint64_t id;	 /* mount id */
	uint64_t parent; /* mount id of the parent */
	unsigned major, minor;
	char *line; /* owned; every text below points into it, unescaped but for the options */
	const char *root;
	const char *target;
	const char *fstype;
	const char *source;
	const char *options; /* per mount and per superblock, joined by a comma */
	bool shared;	     /* propagates (shared:N) */
	bool slave;	     /* receives (master:N) */
	bool orphan;	     /* its parent is not in the table: the root, as this process sees it */
};

struct actual_mounts {
	struct actual_mount *list; /* the order means nothing: what covers what is told by parent */
	size_t n;
	struct actual_mount **by_id;	/* the same, sorted: what the questions below look at */
	struct actual_mount **by_place; /* orphans, then by parent; then by target */
};

/*
 * Parses a whole mountinfo text, proc_pid_mountinfo(5). -EINVAL: malformed, with nothing returned;
 * -ENOMEM. Pure.
 */
int actual_mounts_parse(const char *text, size_t size, struct actual_mounts *ret);

/* Reads fd (an open mountinfo file) from its start. Looks at no mount. */
int actual_mounts_read(int fd, struct actual_mounts *ret);
/* The same for the mount namespace that the caller is in at the moment. */
int actual_mounts_read_own(struct actual_mounts *ret);
void actual_mounts_clear(struct actual_mounts *mounts);

#define _cleanup_mounts_ _cleanup_(actual_mounts_clear)

/* Everything below returns borrowed pointers into mounts, or NULL. */

const struct actual_mount *actual_mounts_by_id(const struct actual_mounts *mounts, uint64_t id);

/* The topmost mount exactly at target. */
const struct actual_mount *actual_mounts_at(const struct actual_mounts *mounts, const char *target);

/* The mount that path lies on, as a path look-up would find it. */
const struct actual_mount *actual_mounts_covering(
	const struct actual_mounts *mounts, const char *path);

/* What sits directly on mount's own root, and what mount itself sits on at the same target. */
const struct actual_mount *actual_mounts_above(
	const struct actual_mounts *mounts, const struct actual_mount *mount);
const struct actual_mount *actual_mounts_beneath(
	const struct actual_mounts *mounts, const struct actual_mount *mount);

/*
 * An NFSv4 mount of one of our exports: run, incarnation and server by its source and options.
 * Any ret_ may be NULL.
 */
bool actual_mount_is_ours(const struct actual_mount *mount, struct run_id *ret_id,
	struct addr *ret_server, uint16_t *ret_port);

/*
 * A bind mount says nothing of who made it. Ours therefore sits on a marker: an empty read-only
 * tmpfs with this and the run's name as its source. All that is stacked on a marker is ours.
 */
#define ACTUAL_MARKER_PREFIX "kora-bind:"
bool actual_mount_is_marker(const struct actual_mount *mount, const char **ret_run);

/* The marker that mount sits on, however deep in the stack. */
const struct actual_mount *actual_mounts_marker_of(
	const struct actual_mounts *mounts, const struct actual_mount *mount);

/* Was the directory that is mounted there deleted since? What a server has deleted does not show.
 */
bool actual_mount_is_deleted(const struct actual_mount *mount);
