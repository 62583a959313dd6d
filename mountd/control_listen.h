/* SPDX-License-Identifier: Apache-2.0 */
/* The control socket's file. */
#pragma once

#include <sys/types.h>

#include "mountd/base/kerr.h"

/*
 * Listens at path, in the place of what was there; gid (or (gid_t)-1: none) may connect too.
 * Negative errno of socket(2), unlink(2), bind(2), chown(2) and listen(2).
 */
int control_listen(const char *path, gid_t gid, int *ret_fd, struct kerr *e);
