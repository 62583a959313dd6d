/* SPDX-License-Identifier: Apache-2.0 */
/* Whether this node's NFS client still has anything to do with a server. */
#include "nfs/client_state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "mountd/base/cleanup.h"
#include "nfs/client_table.h"

static void format_key(const struct addr *server, uint16_t port, char *text, size_t size)
{
	size_t length = server->family == AF_INET ? 4 : 16;
	char hex[33];

	for (size_t i = 0; i < length; i++)
		(void)snprintf(hex + 2 * i, 3, "%02x", server->bytes[i]);
	(void)snprintf(text, size, "v4 %s %4x ", hex, port);
}

bool client_state_names(const char *text, const struct addr *server, uint16_t port)
{
	char key[64];

	format_key(server, port, key, sizeof key);
	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, key, strlen(key)) == 0)
			return true;
	}
	return false;
}

bool client_state_names_other_port(const char *text, const struct addr *server, uint16_t port)
{
	static const size_t version = sizeof "v4 " - 1;
	char key[64];
	size_t address;

	format_key(server, port, key, sizeof key);
	address = version + strcspn(key + version, " ") + 1;
	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (*line == 'v' && strncmp(line + 2, key + 2, address - 2) == 0 &&
			strncmp(line + address, key + address, strlen(key) - address) != 0)
			return true;
	}
	return false;
}

int client_state_holds(const struct addr *server, uint16_t port)
{
	_cleanup_fclose_ FILE *file = fopen("/proc/fs/nfsfs/servers", "re");
	_cleanup_free_ char *line = NULL;
	size_t size = 0;

	if (!file)
		return errno == ENOENT ? 0 : -errno;
	while (getline(&line, &size, file) >= 0)
		if (client_state_names(line, server, port))
			return 1;
	return ferror(file) ? -EIO : 0;
}

/* "v4 0a140001 500a 0:51 …": the length of what a line of servers begins with, or 0. */
static int client_key(const char *line, const char *device)
{
	char found[32];
	int length = 0;

	if (sscanf(line, "v4 %*32s %*4s %n%31s", &length, found) != 1 || strcmp(found, device) != 0)
		return 0;
	return length;
}

static bool has_line(const char *text, const char *key, size_t length)
{
	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, key, length) == 0)
			return true;
	}
	return false;
}

bool client_state_is_shut(const char *volumes, const char *servers, unsigned major, unsigned minor)
{
	char device[32];

	(void)snprintf(device, sizeof device, "%u:%u", major, minor);
	for (const char *line = volumes; line; line = strchr(line, '\n')) {
		int length;
		line += *line == '\n';
		length = client_key(line, device);
		if (length)
			return !has_line(servers, line, (size_t)length);
	}
	return false;
}

bool client_state_next_volume(const char **volumes, const struct addr *server, uint16_t port,
	unsigned *ret_major, unsigned *ret_minor)
{
	char key[64];

	format_key(server, port, key, sizeof key);
	while (*volumes && **volumes) {
		const char *line = *volumes, *next = strchr(line, '\n');

		*volumes = next ? next + 1 : NULL;
		if (strncmp(line, key, strlen(key)) == 0 &&
			sscanf(line + strlen(key), "%u:%u", ret_major, ret_minor) == 2)
			return true;
	}
	return false;
}

static int open_shutdown(unsigned major, unsigned minor)
{
	char path[64];
	int fd;

	(void)snprintf(path, sizeof path, "/sys/fs/nfs/%u:%u/shutdown", major, minor);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int client_state_write_shutdown(int fd)
{
	return write(fd, "1", 1) == 1 || errno == ENODEV ? 0 : -errno;
}

int client_state_shut_down_volume(unsigned major, unsigned minor)
{
	_cleanup_close_ int fd = open_shutdown(major, minor);

	return fd < 0 ? fd : client_state_write_shutdown(fd);
}

bool client_state_owns_volume(const char *volumes, const struct addr *server, uint16_t port,
	unsigned major, unsigned minor)
{
	char device[32], key[64];
	bool any = false;

	format_key(server, port, key, sizeof key);
	(void)snprintf(device, sizeof device, "%u:%u", major, minor);
	for (const char *line = volumes; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!client_key(line, device))
			continue;
		if (strncmp(line, key, strlen(key)) != 0)
			return false;
		any = true;
	}
	return any;
}

/* Opened, and not yet written to. */
struct opened {
	struct {
		int fd;
		unsigned major, minor;
	} list[64];
	size_t n;
};

/* A device's number may be another mount's by now: what is open is looked up once more. */
static int write_opened(struct opened *o, const struct addr *server, uint16_t port)
{
	_cleanup_free_ char *volumes = NULL;
	int first_error = 0;

	(void)client_table_read("/proc/fs/nfsfs/volumes", &volumes);
	while (o->n) {
		int fd = o->list[--o->n].fd, error = 0;

		if (volumes && client_state_owns_volume(volumes, server, port, o->list[o->n].major,
				       o->list[o->n].minor))
			error = client_state_write_shutdown(fd);
		(void)close(fd);
		first_error = first_error ? first_error : error;
	}
	return first_error;
}

int client_state_shut_down(const struct addr *server, uint16_t port)
{
	_cleanup_free_ char *text = NULL;
	const char *volumes;
	struct opened o = {.n = 0};
	int first_error = 0;

	(void)client_table_read("/proc/fs/nfsfs/volumes", &text);
	volumes = text;
	while (client_state_next_volume(
		&volumes, server, port, &o.list[o.n].major, &o.list[o.n].minor)) {
		int fd = open_shutdown(o.list[o.n].major, o.list[o.n].minor);

		if (fd >= 0)
			o.list[o.n++].fd = fd;
		else if (fd != -ENOENT && first_error == 0)
			first_error = fd;
		if (o.n == sizeof o.list / sizeof *o.list) {
			int error = write_opened(&o, server, port);
			first_error = first_error ? first_error : error;
		}
	}
	int error = write_opened(&o, server, port);
	return first_error ? first_error : error;
}

bool client_state_mount_is_shut(
	const struct addr *server, uint16_t port, unsigned major, unsigned minor)
{
	/* Servers are few, volumes as many as mounts. But one reached by two addresses is one. */
	if (client_state_holds(server, port) > 0)
		return false;
	_cleanup_free_ char *volumes = NULL, *servers = NULL;

	return client_table_read("/proc/fs/nfsfs/volumes", &volumes) == 0 &&
	       client_table_read("/proc/fs/nfsfs/servers", &servers) == 0 &&
	       client_state_is_shut(volumes, servers, major, minor);
}
