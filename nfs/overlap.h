/* SPDX-License-Identifier: Apache-2.0 */
/* Whether two exports show the same files. */
#pragma once

#include <stdbool.h>

#include "nfs/actual.h"

/*
 * One in the other, or both the same: by their paths, or by where they lie on their filesystem, as
 * a bind mount or a symbolic link shows a folder at another path. A folder that is gone has its
 * path alone. Looks the folders up: blocks where their filesystem does.
 */
bool exports_overlap(
	const struct export *a, const struct export *b, const struct actual_mounts *mounts);
