/* SPDX-License-Identifier: Apache-2.0 */
/* Which process holds a socket, from /proc. Asks nobody: a daemon that is stopped is found, too. */
#include "mountd/ctl_holder.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mountd/base/cleanup.h"
#include "mountd/netns_lock_owner.h"

/* Does one of pid's descriptors hold the socket? */
static bool process_holds(const char *pid, const char *socket)
{
	char path[300], link[64];
	(void)snprintf(path, sizeof path, "/proc/%s/fd", pid);
	_cleanup_closedir_ DIR *dir = opendir(path);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		ssize_t n = readlinkat(dirfd(dir), entry->d_name, link, sizeof link - 1);
		if (n > 0 && (link[n] = '\0', strcmp(link, socket) == 0))
			return true;
	}
	return false;
}

pid_t ctl_socket_holder(uint64_t inode)
{
	char socket[64];
	(void)snprintf(socket, sizeof socket, "socket:[%llu]", (unsigned long long)inode);
	_cleanup_closedir_ DIR *dir = opendir("/proc");
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (isdigit((unsigned char)entry->d_name[0]) &&
			process_holds(entry->d_name, socket))
			return (pid_t)strtol(entry->d_name, NULL, 10);
	return 0;
}

void ctl_process_format(pid_t pid, char *text, size_t size)
{
	char path[64], comm[32] = "?";
	(void)snprintf(path, sizeof path, "/proc/%d/comm", (int)pid);
	_cleanup_fclose_ FILE *file = fopen(path, "re");

	if (file && fgets(comm, sizeof comm, file))
		comm[strcspn(comm, "\n")] = '\0';
	(void)snprintf(text, size, "%s (pid %d)", comm, (int)pid);
}

bool ctl_daemon_runs(pid_t *ret_pid)
{
	uint64_t inode;
	uid_t uid;

	if (netns_lock_owner(&inode, &uid) < 0 || uid != 0)
		return false;
	*ret_pid = ctl_socket_holder(inode);
	return true;
}
