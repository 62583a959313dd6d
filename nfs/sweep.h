/* SPDX-License-Identifier: Apache-2.0 */
/* Removing what NFS clients kept of deleted files and can never remove any more. */
#pragma once

#include <stdbool.h>

/* ".nfs" and 24 hexadecimal digits: how Linux renames what is deleted and still open. Pure. */
bool sweep_is_kept(const char *name);
