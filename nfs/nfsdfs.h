/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The filesystem "nfsd", through which the kernel's NFS server is controlled. When its last mount
 * goes, the kernel stops the server, so it is mounted where it outlives this process: below
 * runtime_dir, which in a container has to propagate to the host.
 */
#pragma once

#include <stddef.h>

#include "mountd/base/kerr.h"

/*
 * Mounts it at <runtime_dir>/nfsd (and for people at /proc/fs/nfsd) where it is not yet, and
 * opens it as *ret_fs. Loads the kernel module. -ENODEV: no nfsd in this kernel.
 */
int nfsdfs_open(const char *runtime_dir, int *ret_fs, struct kerr *e);

/* Opens it where nfsdfs_open() has mounted it. Does not block. Negative errno. */
int nfsdfs_open_mounted(const char *runtime_dir, int *ret_fs);

/* The whole text in one write(2), as the kernel wants it. */
int nfsdfs_write(int fs, const char *file, const char *text, struct kerr *e);

/* Reads file (a path below fs) whole; *ret is a string to be freed. */
int nfsdfs_read(int fs, const char *file, char **ret, struct kerr *e);
