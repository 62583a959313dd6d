/* SPDX-License-Identifier: Apache-2.0 */
/* Taking a mount off by its name in an open directory, never looking at the mount itself. */
#pragma once

#include <stdint.h>

/* Waits until the filesystem has let go: the server hears of it. -EBUSY: in use. */
int umount_plain(int parent, const char *name);

/*
 * Detaches the mount mount_id, topmost at name, with MNT_DETACH and further flags. Whoever drops a
 * filesystem's last user waits for its server, and that may be lost: a child process does that,
 * which ends with the caller's process at the latest, and this returns as soon as the mount is
 * gone.
 */
int umount_lazy(int parent, const char *name, int flags, uint64_t mount_id);
