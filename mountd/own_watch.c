/* SPDX-License-Identifier: Apache-2.0 */
/* This node's addresses by rtnetlink(7)'s messages: that one has come is all that counts. */
#include "mountd/own_watch.h"

#include <errno.h>
#include <linux/rtnetlink.h>
#include <netlink/netlink.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "mountd/base/cleanup.h"

struct own_watch {
	struct nl_sock *sock;
	struct loop_poll *poll;
	loop_fn *changed;
	void *data;
	bool pending;
};

/* More than there was room for (ENOBUFS) is a change as well. */
static void drain(struct own_watch *w)
{
	char byte;

	while (recv(nl_socket_get_fd(w->sock), &byte, sizeof byte, MSG_DONTWAIT) >= 0 ||
		errno == ENOBUFS || errno == EINTR)
		w->pending = true;
}

bool own_watch_takes_change(struct own_watch *w)
{
	bool pending;

	if (!w)
		return true;
	drain(w);
	pending = w->pending;
	w->pending = false;
	return pending;
}

static void on_message(void *data, unsigned events)
{
	struct own_watch *w = data;

	(void)events;
	drain(w);
	if (w->pending)
		w->changed(w->data);
}

static int subscribe(struct own_watch *w)
{
	int r;

	w->sock = nl_socket_alloc();
	if (!w->sock)
		return -NLE_NOMEM;
	r = nl_connect(w->sock, NETLINK_ROUTE);
	return r < 0 ? r
		     : nl_socket_add_memberships(
			       w->sock, RTNLGRP_IPV4_IFADDR, RTNLGRP_IPV6_IFADDR, RTNLGRP_NONE);
}

int own_watch_new(
	struct loop *loop, loop_fn *changed, void *data, struct own_watch **ret, struct kerr *e)
{
	struct own_watch *w = calloc(1, sizeof *w);
	int nl, r;

	if (!w)
		return kerr_set(e, -ENOMEM, "follow addresses", "of this node", NULL);
	w->changed = changed;
	w->data = data;
	nl = subscribe(w);
	if (nl < 0)
		r = kerr_set(e, nl == -NLE_NOMEM ? -ENOMEM : -EIO, "follow addresses",
			"of this node", "%s", nl_geterror(nl));
	else if ((r = loop_poll_new(
			  loop, nl_socket_get_fd(w->sock), LOOP_READ, on_message, w, &w->poll)) < 0)
		(void)kerr_set(e, r, "follow addresses", "of this node", NULL);
	if (r < 0) {
		own_watch_free(w);
		return r;
	}
	*ret = w;
	return 0;
}

void own_watch_free(struct own_watch *w)
{
	if (!w)
		return;
	loop_poll_free(w->poll);
	nl_socket_free(w->sock);
	free(w);
}
