/* SPDX-License-Identifier: Apache-2.0 */
/* Wait until something is mounted at a path and answers. */
#pragma once

#include "harden/fail.h"

/*
 * Any mount whose mount point is path counts: the NFS mount, or the bind of the same node. It must
 * answer: its directory can be listed by a child that may be left behind when it hangs.
 * timeout in seconds. -ETIMEDOUT and what was seen; -errno and the reason.
 */
int wait_for_mount(const char *path, unsigned int timeout, struct fail *f);
