/* SPDX-License-Identifier: Apache-2.0 */
/* Which files NFS clients hold on one filesystem, and which of them lie in one folder. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct held_file {
	uint64_t inode;
	bool inside;
};

struct held {
	unsigned major, minor;	 /* of the superblock */
	struct held_file *files; /* owned; sorted by inode once held_sort() was called */
	size_t n;
};

void held_clear(struct held *h);

/* Adds what a client's states text names on h's superblock; -ENOMEM. */
int held_add_states(struct held *h, const char *states);
void held_sort(struct held *h);

/* Borrowed, or NULL. After held_sort(). */
struct held_file *held_find(const struct held *h, uint64_t inode);

/* Does the text name a file that is marked as inside? */
bool held_states_inside(const struct held *h, const char *states);

void held_mark_all(struct held *h);
bool held_any_inside(const struct held *h);
/* A held file that was found, as a name in the directory fd. */
typedef void held_found_fn(int fd, const char *name);
/*
 * Marks the files found in the tree below folder, its root included, following no link, and tells
 * found (may be NULL) of each by the first of its names. Stops when all are found. A negative errno
 * leaves what was found until then marked, and says nothing of the rest: -EOVERFLOW: too many
 * entries; else of reading the tree.
 */
int held_mark_tree(struct held *h, int folder, held_found_fn *found);
