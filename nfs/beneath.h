/* SPDX-License-Identifier: Apache-2.0 */
/* Paths below a trusted folder, in a tree that others may change at any moment. */
#pragma once

#include "mountd/base/kerr.h"

/*
 * Opens relative ("." for the volume itself) beneath volume with flags (O_CLOEXEC is added).
 * volume is trusted and followed; in relative nothing is: no symbolic link, no magic link, no
 * way out. -ELOOP: a symbolic link; -EXDEV: a way out; -ENOENT, -ENOTDIR; -EOPNOTSUPP: a kernel
 * without openat2, where nothing is opened at all.
 */
int beneath_open(const char *volume, const char *relative, int flags, int *ret_fd, struct kerr *e);

/*
 * The same where the kernel has all of the path in memory and no filesystem must be asked, so that
 * it cannot block; otherwise -EAGAIN, or -EINVAL from a kernel before 5.12.
 */
int beneath_open_cached(const char *volume, const char *relative, int flags, int *ret_fd);

/* The same from an open directory; root_name only names it in *e. */
int beneath_openat(int root, const char *root_name, const char *relative, int flags, int *ret_fd,
	struct kerr *e);
