/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a mount propagates. */
#pragma once

#include <stdbool.h>

/* *ret: the mount that fd is on is shared. Its filesystem is not asked. Negative errno. */
int mount_is_shared(int fd, bool *ret);
