/* SPDX-License-Identifier: Apache-2.0 */
/* Mounts of this node's NFS client that nobody is on any more, and that have not ended yet. */
#include "nfs/client_ending.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mountd/base/cleanup.h"
#include "nfs/client_state.h"
#include "nfs/client_table.h"

static bool read_text(int folder, const char *transport, const char *name, char *text, size_t size)
{
	char path[NAME_MAX + 32];
	_cleanup_close_ int fd = -1;
	ssize_t n;

	(void)snprintf(path, sizeof path, "%s/%s", transport, name);
	fd = openat(folder, path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, text, size - 1);
	if (n < 0)
		return false;
	text[n] = '\0';
	return true;
}

uint16_t client_ending_port(const char *text)
{
	static const char key[] = "dst_port=";
	const char *at = strstr(text, key);

	return at ? (uint16_t)strtoul(at + sizeof key - 1, NULL, 10) : 0;
}

struct lost {
	const struct addr *server;
	uint16_t port;
	bool only_port; /* of that server, that this node's client knows */
};

static bool leads_to(int folder, const char *transport, const struct lost *lost)
{
	char address[ADDR_TEXT_SIZE + 1], info[2048];
	struct addr addr;
	uint16_t port;

	if (!read_text(folder, transport, "dstaddr", address, sizeof address))
		return false;
	address[strcspn(address, "\n")] = '\0';
	if (addr_parse(address, &addr) < 0 || !addr_equal(&addr, lost->server) ||
		!read_text(folder, transport, "xprt_info", info, sizeof info))
		return false;
	port = client_ending_port(info);
	return port ? port == lost->port : lost->only_port;
}

static DIR *open_folder(int folder, const char *path)
{
	int fd = openat(folder, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (!dir)
		cleanup_close(&fd);
	return dir;
}

/* Do the transports of the "switch" at path? */
static bool any_leads_to(int folder, const char *path, const struct lost *lost)
{
	_cleanup_closedir_ DIR *dir = open_folder(folder, path);
	const struct dirent *entry;

	if (!dir)
		return false;
	while ((entry = readdir(dir)))
		if (strncmp(entry->d_name, "xprt-", 5) == 0 &&
			leads_to(dirfd(dir), entry->d_name, lost))
			return true;
	return false;
}

static bool is_of(int mount, const struct lost *lost)
{
	return any_leads_to(mount, "nfs_client/switch", lost);
}

static int shut_down(int mount, const struct lost *lost)
{
	_cleanup_close_ int fd = -1;

	if (!is_of(mount, lost))
		return 0;
	fd = openat(mount, "shutdown", O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	return client_state_write_shutdown(fd);
}

/* servers: the table, NULL where it cannot be read. */
static struct lost lost_of(const char *servers, const struct addr *server, uint16_t port)
{
	bool only_port = servers && !client_state_names_other_port(servers, server, port);

	return (struct lost){server, port, only_port};
}

int client_ending_shut_down(const struct addr *server, uint16_t port)
{
	_cleanup_closedir_ DIR *dir = opendir("/sys/fs/nfs");
	_cleanup_free_ char *servers = NULL;
	const struct dirent *entry;
	struct lost lost;
	int first = 0;

	if (!dir)
		return errno == ENOENT ? 0 : -errno;
	(void)client_table_read("/proc/fs/nfsfs/servers", &servers);
	lost = lost_of(servers, server, port);
	while ((entry = readdir(dir))) {
		_cleanup_close_ int mount = -1;
		int r;

		if (strncmp(entry->d_name, "server-", 7) != 0)
			continue;
		mount = openat(dirfd(dir), entry->d_name, O_PATH | O_DIRECTORY | O_CLOEXEC);
		r = mount < 0 ? 0 : shut_down(mount, &lost);
		first = first ? first : r;
	}
	return first;
}

/*
 * The folder of the "switch" has that name: is there a mount yet whose calls go by it? One that was
 * shut down is one, too, though its client is out of the table. Linux 6.5 and newer.
 */
static bool has_mount(const char *name)
{
	_cleanup_closedir_ DIR *dir = opendir("/sys/fs/nfs");
	const struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		char path[NAME_MAX + 32], target[256];
		const char *last;
		ssize_t n;

		(void)snprintf(path, sizeof path, "%s/nfs_client/switch", entry->d_name);
		n = readlinkat(dirfd(dir), path, target, sizeof target - 1);
		if (n < 0)
			continue;
		target[n] = '\0';
		last = strrchr(target, '/');
		if (strcmp(last ? last + 1 : target, name) == 0)
			return true;
	}
	return false;
}

/* The client is out of the table by then, and its transports are still there. */
bool client_ending_gives_back_session(const struct addr *server, uint16_t port)
{
	_cleanup_closedir_ DIR *dir = opendir("/sys/kernel/sunrpc/xprt-switches");
	_cleanup_free_ char *servers = NULL;
	const struct dirent *entry;
	struct lost lost;

	if (!dir || client_table_read("/proc/fs/nfsfs/servers", &servers) < 0 ||
		client_state_names(servers, server, port))
		return false;
	lost = lost_of(servers, server, port);
	while ((entry = readdir(dir)))
		if (any_leads_to(dirfd(dir), entry->d_name, &lost) && !has_mount(entry->d_name))
			return true;
	return false;
}
