/* SPDX-License-Identifier: Apache-2.0 */
/* A mount namespace with nothing of the node in it. */
#pragma once

#include "mountd/base/kerr.h"

/*
 * To be called in a mount namespace of the caller's own, just made by unshare(2): leaves nothing
 * in it but a private nosuid, nodev, noexec tmpfs with these options as its root, which the
 * caller's root and working directory are then. mountpoint: any directory, for a moment. After a
 * failure the namespace is of no use.
 */
int private_root_become(
	const char *source, const char *options, const char *mountpoint, struct kerr *e);
