/* SPDX-License-Identifier: Apache-2.0 */
/* Servers of mounts that show nowhere any more, and that somebody is still on. */
#include "nfs/client_left.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "mountd/base/cleanup.h"
#include "nfs/client_table.h"

static bool shows(const struct actual_mounts *mounts, unsigned major, unsigned minor)
{
	for (size_t i = 0; mounts && i < mounts->n; i++)
		if (mounts->list[i].major == major && mounts->list[i].minor == minor)
			return true;
	return false;
}

/* "0:51  f2f6…": the device. What has none is not looked at. */
static bool is_shown(const struct client_left_view *view, const struct client_line *volume)
{
	unsigned major, minor;

	return sscanf(volume->rest, "%u:%u", &major, &minor) != 2 ||
	       shows(view->shown, major, minor) || shows(view->host_shown, major, minor);
}

static bool is_same(const struct client_line *line, const struct addr *server, uint16_t port)
{
	return line->port == port && addr_equal(&line->server, server);
}

/*
 * "2 10.20.0.1": how often it is used, and by which name it was mounted first. The kernel has a
 * client for each minor version, and does not tell which of them a volume is of.
 */
static bool is_by_address(const char *servers, const struct client_line *volume)
{
	struct client_line line;
	char name[ADDR_TEXT_SIZE];
	struct addr addr;

	while (client_table_next(&servers, &line))
		if (is_same(&line, &volume->server, volume->port) &&
			sscanf(line.rest, "%*d %45s", name) == 1 && addr_parse(name, &addr) == 0 &&
			addr_equal(&addr, &line.server))
			return true;
	return false;
}

static void add(struct client_left *left, const struct client_line *volume)
{
	for (size_t i = 0; i < left->n; i++)
		if (is_same(volume, &left->server[i].addr, left->server[i].port))
			return;
	left->more = left->n == CLIENT_LEFT_MAX;
	if (left->more)
		return;
	left->server[left->n].addr = volume->server;
	left->server[left->n++].port = volume->port;
}

void client_left_find(const struct client_left_view *view, client_left_asked *asked,
	const void *data, struct client_left *ret)
{
	const char *volumes = view->volumes;
	struct client_line volume;

	ret->n = 0;
	ret->more = false;
	while (!ret->more && client_table_next(&volumes, &volume))
		if (asked(data, &volume.server, volume.port) && !is_shown(view, &volume) &&
			is_by_address(view->servers, &volume))
			add(ret, &volume);
}

/* In a container with the host's processes, its init sees the host's mounts. */
static int read_hosts(struct actual_mounts *ret)
{
	_cleanup_close_ int fd = open("/proc/1/mountinfo", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	return actual_mounts_read(fd, ret);
}

int client_left_read(client_left_asked *asked, const void *data, struct client_left *ret)
{
	_cleanup_mounts_ struct actual_mounts own = {0}, hosts = {0};
	_cleanup_free_ char *volumes = NULL, *servers = NULL;
	struct client_left_view view = {.volumes = NULL};
	struct client_left left;
	int r = client_table_read("/proc/fs/nfsfs/volumes", &volumes);

	if (r == 0)
		r = client_table_read("/proc/fs/nfsfs/servers", &servers);
	if (r < 0 && r != -ENOENT)
		return r;
	view.volumes = volumes;
	view.servers = servers;
	client_left_find(&view, asked, data, &left);
	/* The mounts after the volumes: what comes or goes meanwhile is none that is left. */
	r = left.n ? actual_mounts_read_own(&own) : 0;
	if (r == 0 && left.n)
		r = read_hosts(&hosts);
	if (r < 0)
		return r;
	view.shown = &own;
	view.host_shown = &hosts;
	if (left.n)
		client_left_find(&view, asked, data, &left);
	*ret = left;
	return 0;
}
