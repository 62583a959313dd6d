/* SPDX-License-Identifier: Apache-2.0 */
/* Does a node answer at all? One TCP connection in the loop, which nobody need accept. */
#include "mountd/reach.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "mountd/base/cleanup.h"

struct reach {
	int fd;
	struct loop_poll *poll;
	struct loop_timer *timer;
	void (*done)(void *data, bool answered);
	void *data;
};

void reach_cancel(struct reach *r)
{
	if (!r)
		return;
	loop_poll_free(r->poll);
	loop_timer_free(r->timer);
	cleanup_close(&r->fd);
	free(r);
}

static void finish(struct reach *r, bool answered)
{
	void (*done)(void *, bool) = r->done;
	void *data = r->data;

	reach_cancel(r);
	done(data, answered);
}

static void on_timeout(void *data)
{
	finish(data, false);
}

static void on_connected(void *data, unsigned events)
{
	struct reach *r = data;
	int error = 0;
	socklen_t length = sizeof error;

	(void)events;
	if (getsockopt(r->fd, SOL_SOCKET, SO_ERROR, &error, &length) < 0)
		error = errno;
	finish(r, error == 0 || error == ECONNREFUSED || error == ECONNRESET);
}

static int begin(struct reach *r, struct loop *loop, const struct addr *node, uint16_t port)
{
	struct sockaddr_storage sa;
	socklen_t length = addr_to_sockaddr(node, port, &sa);
	int error;

	r->fd = socket(sa.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP);
	if (r->fd < 0)
		return -errno;
	if (connect(r->fd, (const struct sockaddr *)&sa, length) < 0 && errno != EINPROGRESS &&
		errno != ECONNREFUSED)
		return -errno;
	error = loop_timer_new(loop, on_timeout, r, &r->timer);
	return error < 0 ? error
			 : loop_poll_new(loop, r->fd, LOOP_WRITE, on_connected, r, &r->poll);
}

int reach_start(struct loop *loop, const struct addr *node, uint16_t port, uint64_t timeout_ms,
	void (*done)(void *data, bool answered), void *data, struct reach **ret)
{
	struct reach *r = calloc(1, sizeof *r);
	int error;

	if (!r)
		return -ENOMEM;
	*r = (struct reach){.fd = -1, .done = done, .data = data};
	error = begin(r, loop, node, port);
	if (error < 0) {
		reach_cancel(r);
		return error;
	}
	loop_timer_set(r->timer, timeout_ms);
	*ret = r;
	return 0;
}
