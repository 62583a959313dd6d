/* SPDX-License-Identifier: Apache-2.0 */
/* What is mounted now: a mountinfo table, read from an open /proc/…/mountinfo and never cached. */
#pragma once

#include "nfs/run.h"

struct actual_mount {
	uint64_t id;	 /* mount id */
	uint64_t parent; /* mount id of the parent */
	unsigned major, minor;
	char *root; /* owned, as all texts here; unescaped */
	char *target;
	char *fstype;
	char *source;
	char *options; /* per mount and per superblock, joined by a comma */
	bool shared;   /* propagates (shared:N) */
	bool slave;    /* receives (master:N) */
};

struct actual_mounts {
	struct actual_mount
		*list; /* in the kernel's order: a later one at the same target covers */
	size_t n;
};

/* Parses a whole mountinfo text. -EINVAL: malformed, with nothing returned; -ENOMEM. */
int actual_mounts_parse(const char *text, size_t size, struct actual_mounts *ret);

/* Reads fd (an open mountinfo file) from its start. */
int actual_mounts_read(int fd, struct actual_mounts *ret);
void actual_mounts_clear(struct actual_mounts *mounts);

/* The topmost mount exactly at target, or NULL. Borrowed. */
const struct actual_mount *actual_mounts_at(const struct actual_mounts *mounts, const char *target);

/* The mount that path lies on: the topmost with the longest target that is a prefix. Borrowed. */
const struct actual_mount *actual_mounts_covering(
	const struct actual_mounts *mounts, const char *path);

/* An NFSv4 mount of one of our exports: run, incarnation and server by its source and options. */
bool actual_mount_is_ours(const struct actual_mount *mount, struct run_id *ret_id,
	struct addr *ret_server, uint16_t *ret_port);
