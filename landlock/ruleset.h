/* SPDX-License-Identifier: Apache-2.0 */
/* A Landlock ruleset: create, add paths and ports, restrict the calling thread. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "landlock/ladder.h"

/* The kernel's ABI (1 or more), or -ENOSYS (not built in) or -EOPNOTSUPP (disabled at boot). */
int ll_abi(void);

/* A ruleset fd (close-on-exec) that handles what set has; -errno as landlock_create_ruleset(2). */
int ll_ruleset_new(const struct ll_set *set);

struct ll_path_found {
	struct stat st;	       /* of what the path leads to */
	bool symlink;	       /* and it has another name than the path */
	char target[PATH_MAX]; /* where the path leads, as /proc names it */
};

/* What /proc calls an open file. -errno as readlink(2), -ENAMETOOLONG. */
int ll_name_of_fd(int fd, char *buf, size_t len);

/* Rights that make sense for an inode of this mode; the kernel refuses a rule with any other. */
uint64_t ll_fit_mode(uint64_t fs, unsigned int mode);

/* Open path for a rule, following symbolic links: an fd the caller owns, or -errno as open(2).
 * O_PATH: a FIFO does not block, a device is not touched. found is filled on success. */
int ll_open_path(const char *path, struct ll_path_found *found);

/* The same for rest beneath dir: links are followed in dir only, -ELOOP where rest has one. */
int ll_open_below(const char *dir, const char *rest, struct ll_path_found *found);

/* Allow fs (enum ll_fs, cut to what the ruleset handles and what fits the inode) beneath fd,
 * whose inode has this mode. */
int ll_ruleset_add_fd(
	int ruleset, const struct ll_set *handled, int fd, unsigned int mode, uint64_t fs);

/* Allow net (enum ll_net) for one port; nothing is added when the ruleset does not handle it. */
int ll_ruleset_add_port(int ruleset, const struct ll_set *handled, uint16_t port, uint64_t net);

/* Needs no_new_privs (-EPERM). -E2BIG: 16 layers are in force already. */
int ll_ruleset_restrict(int ruleset, const struct ll_set *handled);
