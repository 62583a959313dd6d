/* SPDX-License-Identifier: Apache-2.0 */
/* One daemon per network namespace, as nfsd is one per network namespace. */
#pragma once

#include "mountd/base/kerr.h"

#define NETNS_LOCK_NAME "kora-sandbox-mount" /* an abstract socket's */

/*
 * *ret is held until it is closed; -1: some other user's process sits on the name, which must not
 * keep the daemon from running. -EBUSY: another daemon has it, or whoever cannot be told; else as
 * socket(2), bind(2), listen(2).
 */
int netns_lock(int *ret, struct kerr *e);
