/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Everything that one source wants of this node, taken in at once: parts are gathered, the last one
 * makes the source's spec files say exactly that. Files named <source>.<run>.<kind>.json are the
 * source's; all others are left alone.
 */
#pragma once

#include <jansson.h>

#include "mountd/source_dir.h"

#define SNAPSHOT_SPECS_MAX 20000

struct snapshot; /* what has come so far */

/*
 * Adds a part; part 1 begins anew, and makes *snapshot if there is none. -EINVAL: *fault says what
 * is wrong, and the snapshot is to be freed; -ENOMEM.
 */
int snapshot_add(struct snapshot **snapshot, const char *source, json_int_t part,
	const json_t *specs, struct spec_fault *fault);

/*
 * Brings the directory's files in line. Negative errno: try again; where writing failed, as on a
 * full disk, what was in force still is.
 */
int snapshot_commit(
	const struct snapshot *snapshot, struct source_dir *dir, const struct desired *desired);

void snapshot_free(struct snapshot *snapshot); /* NULL is fine */
