/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Folders that were deleted while this node exports or binds them. Both functions are for a worker:
 * they ask the mount table, and a filesystem only of what that calls deleted.
 */
#pragma once

#include "mountd/base/kerr.h"
#include "nfs/run.h"

#define DELETED_MAX 32

struct deleted_folder {
	struct run_id id;  /* of a bind the run alone */
	uint64_t mount_id; /* of a bind: mountinfo's first field; 0: an export */
};

/* Of more than fit the rest is told once these have ended. */
struct deleted_folders {
	size_t n;
	struct deleted_folder list[DELETED_MAX];
};

/* Both add to ret. Negative errno. */
int deleted_binds(struct deleted_folders *ret, struct kerr *e);
/* namespace: exporter_namespace()'s. The caller is in it from then on. */
int deleted_exports(int namespace, struct deleted_folders *ret, struct kerr *e);
