/* SPDX-License-Identifier: Apache-2.0 */
/* One connection to the control socket, in the loop. */
#include "mountd/watch_channel.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "mountd/base/cleanup.h"

#define PACKET_MAX 65536

struct channel {
	int fd;
	struct loop_poll *poll;
	void (*on_packet)(void *data, const json_t *packet);
	void (*on_lost)(void *data);
	void *data;
};

void channel_free(struct channel *c)
{
	if (!c)
		return;
	loop_poll_free(c->poll);
	cleanup_close(&c->fd);
	free(c);
}

int channel_send(struct channel *c, const char *packet)
{
	return send(c->fd, packet, strlen(packet), MSG_NOSIGNAL | MSG_DONTWAIT) < 0 ? -errno : 0;
}

/* One packet a turn, so that the callback may free the channel. */
static void on_poll(void *data, unsigned events)
{
	static char buffer[PACKET_MAX];
	struct channel *c = data;
	ssize_t n = recv(c->fd, buffer, sizeof buffer, MSG_DONTWAIT | MSG_TRUNC);
	json_t *packet;

	(void)events;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	packet = n > 0 && n <= PACKET_MAX
			 ? json_loadb(buffer, (size_t)n, JSON_REJECT_DUPLICATES, NULL)
			 : NULL;
	if (json_is_object(packet))
		c->on_packet(c->data, packet);
	else
		c->on_lost(c->data);
	json_decref(packet);
}

static int connect_to(const char *path, int *ret)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	_cleanup_close_ int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -errno;
	if (strlen(path) >= sizeof address.sun_path)
		return -ENAMETOOLONG;
	(void)snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
	if (connect(fd, (struct sockaddr *)&address, sizeof address) < 0)
		return -errno;
	*ret = TAKE_FD(fd);
	return 0;
}

int channel_new(struct loop *loop, const char *socket,
	void (*on_packet)(void *data, const json_t *packet), void (*on_lost)(void *data),
	void *data, struct channel **ret)
{
	struct channel *c = calloc(1, sizeof *c);
	int r;

	if (!c)
		return -ENOMEM;
	*c = (struct channel){.fd = -1, .on_packet = on_packet, .on_lost = on_lost, .data = data};
	r = connect_to(socket, &c->fd);
	if (r == 0)
		r = loop_poll_new(loop, c->fd, LOOP_READ, on_poll, c, &c->poll);
	if (r < 0) {
		channel_free(c);
		return r;
	}
	*ret = c;
	return 0;
}
