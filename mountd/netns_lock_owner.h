/* SPDX-License-Identifier: Apache-2.0 */
/* Whose process has a network namespace's lock. */
#pragma once

#include <stdint.h>
#include <sys/types.h>

/*
 * The inode and the user of the socket that has the lock's name. Asks the kernel, not the socket's
 * owner. -ENOENT: nobody has it, or no longer; else it cannot be told, for the errno of open(2),
 * socket(2), send(2) and recv(2), or -EOPNOTSUPP: this kernel has no unix_diag.
 */
int netns_lock_owner(uint64_t *ret_inode, uid_t *ret_uid);
