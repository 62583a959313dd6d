/* SPDX-License-Identifier: Apache-2.0 */
/* Which process holds a socket, and whether this node's daemon lives. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* 0: none that this process may look at; the kernel holds sockets, too. */
pid_t ctl_socket_holder(uint64_t inode);

/* "name (pid 12)". */
void ctl_process_format(pid_t pid, char *text, size_t size);

/*
 * A process of root's holds the name that a daemon has in its network namespace
 * (mountd/netns_lock.h). *ret_pid is 0 where this process may not look at it.
 */
bool ctl_daemon_runs(pid_t *ret_pid);
