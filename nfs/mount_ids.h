/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mounts by the ids that the kernel never gives twice: Linux 6.8 tells them without a line of
 * text for every mount of the node. Nothing here looks at a mount's filesystem.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mount_ids {
	uint64_t *list; /* ascending */
	size_t n;
};

/* All below this process's root. -ENOSYS, -EPERM: not to be had here; -ENOMEM. */
int mount_ids_read(struct mount_ids *ret);
void mount_ids_clear(struct mount_ids *ids);
bool mount_ids_have(const struct mount_ids *ids, uint64_t id);

/* Of the mount that fd is on. -EOPNOTSUPP: older kernel. */
int mount_id_unique(int fd, uint64_t *ret);

/*
 * At target, as mountinfo names it, with nothing of this namespace on it, below it or under it? The
 * kernel walks all mounts for it, but where unchanged_since tells that none has changed: an open
 * mountinfo, of before the caller saw that nothing is on it; or 0.
 */
bool mount_id_is_alone(uint64_t id, const char *target, int unchanged_since);
/* Is it known to be in this namespace no more? */
bool mount_id_is_gone(uint64_t id);
