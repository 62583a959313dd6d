/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel calls that a run is made of. Whatever fails ends the process. */
#pragma once

#include "nfs/addr.h"
#include "tests/vm/bench_runs/bench_runs.h"

/* In the node's mounts and network from then on; its caches are told of this client alone. */
void floor_join_server(const char *node, const char *client);
/* The pseudo-root below root, which is "" or a path. */
void floor_tell_client(const char *root);
void floor_tell_run(const char *root, unsigned run);
/* No to all that was told of the run; its paths must be there yet. */
void floor_refuse_run(const char *root, unsigned run);

int floor_clone_folder(unsigned run); /* where the sandboxes' folders are seen */
void floor_bind_run(const char *root, unsigned run, int tree); /* closes tree */
void floor_unbind_run(const char *root, unsigned run);

void floor_mount_run(const char *server, unsigned run); /* as ours are, with the same options */
void floor_umount_run(unsigned run);
