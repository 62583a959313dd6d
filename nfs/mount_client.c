/* SPDX-License-Identifier: Apache-2.0 */
/* This node as an NFS client: the kernel's module, its name, its address. */
#include "nfs/mount_client.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>

#include "mountd/base/cleanup.h"
#include "nfs/mount_error.h"

static const char identifier_path[] = "/sys/fs/nfs/net/nfs_client/identifier";

/* Opening a mount context loads the filesystem's module, wherever modprobe lives. */
static int load_module(struct kerr *e)
{
	_cleanup_close_ int fd = fsopen("nfs4", FSOPEN_CLOEXEC);

	if (fd >= 0)
		return 0;
	if (errno == ENODEV)
		return kerr_set(e, -ENODEV, "load nfsv4", NULL, "%s", mount_error_hint(-ENODEV));
	return kerr_set(e, -errno, "load nfsv4", NULL, NULL);
}

bool mount_client_knows(const char *option, const char *value)
{
	_cleanup_close_ int fd = fsopen("nfs4", FSOPEN_CLOEXEC);

	return fd >= 0 && fsconfig(fd, FSCONFIG_SET_STRING, option, value, 0) == 0;
}

static int open_identifier(int flags, struct kerr *e)
{
	int fd = open(identifier_path, flags | O_CLOEXEC);

	if (fd >= 0)
		return fd;
	if (errno == ENOENT)
		return kerr_set(e, -ENOENT, "open", identifier_path,
			"/sys must be a sysfs of the host's network namespace");
	return kerr_set(e, -errno, "open", identifier_path, "/sys must be writable here");
}

static int read_identifier(char *text, size_t size, struct kerr *e)
{
	_cleanup_close_ int fd = open_identifier(O_RDONLY, e);
	ssize_t got;

	if (fd < 0)
		return fd;
	got = read(fd, text, size - 1);
	if (got < 0)
		return kerr_set(e, -errno, "read", identifier_path, NULL);
	text[got] = '\0';
	text[strcspn(text, "\n")] = '\0';
	if (strcmp(text, "(null)") == 0)
		text[0] = '\0';
	return 0;
}

static int write_identifier(const char *text, struct kerr *e)
{
	_cleanup_close_ int fd = open_identifier(O_WRONLY, e);

	if (fd < 0)
		return fd;
	if (write(fd, text, strlen(text)) < 0)
		return kerr_set(e, -errno, "write", identifier_path, NULL);
	return 0;
}

int mount_client_prepare(const char *identifier, char *fault, size_t size, struct kerr *e)
{
	char now[128] = "";
	int error = load_module(e);

	fault[0] = '\0';
	if (error == 0)
		error = read_identifier(now, sizeof now, e);
	if (error < 0)
		return error;
	if (!now[0])
		return write_identifier(identifier, e);
	if (strcmp(now, identifier) != 0)
		(void)snprintf(fault, size, "client identifier is %s, not %s", now, identifier);
	return 0;
}

int mount_client_address(const struct addr *server, uint16_t port, struct addr *ret, struct kerr *e)
{
	_cleanup_close_ int fd = socket(server->family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct sockaddr_storage address;
	socklen_t length = addr_to_sockaddr(server, port, &address);
	char text[ADDR_TEXT_SIZE];
	int error;

	addr_format(server, text);
	if (fd < 0)
		return kerr_set(e, -errno, "open socket", text, NULL);
	/* Sends nothing: a route is looked up and a source address chosen. */
	if (connect(fd, (const struct sockaddr *)&address, length) < 0) {
		error = -errno;
		return kerr_set(
			e, error, "find route to", text, "%s", mount_error_hint(-ENETUNREACH));
	}
	length = sizeof address;
	if (getsockname(fd, (struct sockaddr *)&address, &length) < 0)
		return kerr_set(e, -errno, "find route to", text, NULL);
	error = addr_from_sockaddr((const struct sockaddr *)&address, ret);
	return error < 0 ? kerr_set(e, error, "find route to", text, NULL) : 0;
}
