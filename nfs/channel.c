/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's export caches through /proc/net/rpc. */
#include "nfs/channel.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "mountd/base/cleanup.h"

static void cache_path(enum upcall_cache cache, const char *file, char path[64])
{
	(void)snprintf(path, 64, "/proc/net/rpc/%s/%s", upcall_cache_name(cache), file);
}

int channels_open(struct channels *c, struct kerr *e)
{
	struct channels opened = CHANNELS_CLOSED;
	char path[64];

	for (int i = 0; i < UPCALL_CACHES; i++) {
		cache_path(i, "channel", path);
		opened.fd[i] = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
		if (opened.fd[i] < 0) {
			int error = -errno;
			channels_close(&opened);
			return kerr_set(e, error, "open channel", path,
				error == -ENOENT ? "is the nfsd module loaded?" : NULL);
		}
	}
	*c = opened;
	return 0;
}

void channels_close(struct channels *c)
{
	for (int i = 0; i < UPCALL_CACHES; i++)
		if (c->fd[i] >= 0)
			(void)close(c->fd[i]);
	*c = CHANNELS_CLOSED;
}

int channel_read(struct channels *c, enum upcall_cache cache, struct upcall_request *ret)
{
	char line[UPCALL_LINE_MAX];
	/* One read is one request, as long as the buffer is not shorter. */
	ssize_t n = read(c->fd[cache], line, sizeof line);
	int error;

	if (n < 0)
		return errno == EAGAIN ? 0 : -errno;
	if (n == 0)
		return 0;
	error = upcall_parse(cache, line, (size_t)n, ret);
	return error < 0 ? error : 1;
}

int channel_write(const struct channels *c, const struct upcall_entry *entry)
{
	char line[UPCALL_LINE_MAX];
	int n = upcall_format(entry, line, sizeof line);

	if (n < 0)
		return n;
	return write(c->fd[entry->cache], line, (size_t)n) < 0 ? -errno : 0;
}

int channel_flush(enum upcall_cache cache, struct kerr *e)
{
	_cleanup_close_ int fd = -1;
	char path[64];

	cache_path(cache, "flush", path);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	/* The number has been without a meaning since 4.18. */
	if (fd < 0 || write(fd, "1\n", 2) < 0)
		return kerr_set(e, -errno, "flush cache", path, NULL);
	return 0;
}
