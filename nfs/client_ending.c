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

static int open_transports(int mount, const char *path)
{
	return openat(mount, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* Takes transports over. */
static bool any_leads_to(int transports, const struct lost *lost)
{
	_cleanup_closedir_ DIR *dir = transports < 0 ? NULL : fdopendir(transports);
	const struct dirent *entry;

	if (!dir) {
		cleanup_close(&transports);
		return false;
	}
	while ((entry = readdir(dir)))
		if (strncmp(entry->d_name, "xprt-", 5) == 0 &&
			leads_to(dirfd(dir), entry->d_name, lost))
			return true;
	return false;
}

static bool is_of(int mount, const struct lost *lost)
{
	return any_leads_to(open_transports(mount, "nfs_client/switch"), lost);
}

/* An end that is of lost; what it returns other than 0 is kept, the first of all. */
typedef int ending_fn(int mount, const struct lost *lost);

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

/* Its own client is gone by then, and what is left is that of all mounts of the server. */
static int gives_back_session(int mount, const struct lost *lost)
{
	int own = open_transports(mount, "nfs_client/switch");

	if (own < 0)
		return any_leads_to(open_transports(mount, "nfs_state_client/switch"), lost);
	cleanup_close(&own);
	return 0;
}

static int each_ending(ending_fn *fn, const struct lost *lost)
{
	_cleanup_closedir_ DIR *dir = opendir("/sys/fs/nfs");
	const struct dirent *entry;
	int first = 0;

	if (!dir)
		return errno == ENOENT ? 0 : -errno;
	while ((entry = readdir(dir))) {
		_cleanup_close_ int mount = -1;
		int r;

		if (strncmp(entry->d_name, "server-", 7) != 0)
			continue;
		mount = openat(dirfd(dir), entry->d_name, O_PATH | O_DIRECTORY | O_CLOEXEC);
		r = mount < 0 ? 0 : fn(mount, lost);
		first = first ? first : r;
	}
	return first;
}

static struct lost lost_of(const struct addr *server, uint16_t port)
{
	_cleanup_free_ char *servers = NULL;
	bool only_port = client_table_read("/proc/fs/nfsfs/servers", &servers) == 0 &&
			 !client_state_names_other_port(servers, server, port);

	return (struct lost){server, port, only_port};
}

int client_ending_shut_down(const struct addr *server, uint16_t port)
{
	struct lost lost = lost_of(server, port);

	return each_ending(shut_down, &lost);
}

bool client_ending_gives_back_session(const struct addr *server, uint16_t port)
{
	struct lost lost = lost_of(server, port);

	return each_ending(gives_back_session, &lost) > 0;
}
