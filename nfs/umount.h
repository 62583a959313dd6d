/* SPDX-License-Identifier: Apache-2.0 */
/* Taking a mount off by its name in an open directory, never looking at the mount itself. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Waits until the filesystem has let go: the server hears of it. -EBUSY: in use. */
int umount_plain(int parent, const char *name);

#define UMOUNT_HOLD_SECONDS 60

/*
 * Detaches the mount mount_id, topmost at name, with MNT_DETACH and further flags. Whoever drops a
 * filesystem's last user waits for its server, and that may be lost: a child process does that,
 * which ends with the caller's process at the latest, and this returns as soon as the mount is
 * gone.
 *
 * hold: another one, "hold", keeps the NFS filesystem for UMOUNT_HOLD_SECONDS on its own. Where
 * whoever has it in use ends just while the kernel's client reclaims what it had open, that client
 * would drop the last user itself, with an inode of it in hand: BUG in generic_shutdown_super()
 * (seen with Linux 6.1.176; nfs_sb_deactive() in fs/nfs/super.c).
 */
int umount_lazy(int parent, const char *name, int flags, uint64_t mount_id, bool hold);
