/* SPDX-License-Identifier: Apache-2.0 */
/* Does an NFS server answer? A bounded NULL call. */
#include "nfs/probe.h"

#include <errno.h>
#include <poll.h>
#include <rpc/rpc.h>

#include "mountd/base/cleanup.h"

enum { NFS_PROGRAM = 100003, NFS_V4 = 4, NULL_PROCEDURE = 0 };

static void cleanup_client(CLIENT **client)
{
	if (*client)
		CLNT_DESTROY(*client);
}

/* NULL has neither arguments nor results. */
static bool_t xdr_nothing(XDR *xdr, ...)
{
	(void)xdr;
	return TRUE;
}

static int wait_connected(int fd, int timeout_ms)
{
	struct pollfd poller = {.fd = fd, .events = POLLOUT};
	int error;
	socklen_t length = sizeof error;
	int n = poll(&poller, 1, timeout_ms);

	if (n < 0)
		return -errno;
	if (n == 0)
		return -ETIMEDOUT;
	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length) < 0)
		return -errno;
	return -error;
}

static int connect_within(const struct sockaddr *sa, socklen_t length, int timeout_ms, int *ret_fd)
{
	_cleanup_close_ int fd =
		socket(sa->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP);
	int r;

	if (fd < 0)
		return -errno;
	if (connect(fd, sa, length) < 0) {
		if (errno != EINPROGRESS)
			return -errno;
		r = wait_connected(fd, timeout_ms);
		if (r < 0)
			return r;
	}
	*ret_fd = TAKE_FD(fd);
	return 0;
}

static int errno_of(enum clnt_stat status)
{
	switch (status) {
	case RPC_SUCCESS:
		return 0;
	case RPC_TIMEDOUT:
		return -ETIMEDOUT;
	case RPC_CANTSEND:
	case RPC_CANTRECV:
		return -ECONNRESET;
	default:
		return -EPROTO;
	}
}

static int call_null(int fd, struct sockaddr *sa, socklen_t length, int timeout_ms)
{
	struct netbuf address = {.maxlen = length, .len = length, .buf = sa};
	_cleanup_(cleanup_client) CLIENT *client =
		clnt_vc_create(fd, &address, NFS_PROGRAM, NFS_V4, 0, 0);
	struct timeval timeout = {timeout_ms / 1000, timeout_ms % 1000 * 1000};

	if (!client)
		return -EPROTO;
	return errno_of(
		CLNT_CALL(client, NULL_PROCEDURE, xdr_nothing, NULL, xdr_nothing, NULL, timeout));
}

int probe_server(const struct addr *server, uint16_t port, int timeout_ms, struct kerr *e)
{
	struct sockaddr_storage sa;
	socklen_t length = addr_to_sockaddr(server, port, &sa);
	char text[ADDR_TEXT_SIZE];
	_cleanup_close_ int fd = -1;
	int r;

	addr_format(server, text);
	r = connect_within((struct sockaddr *)&sa, length, timeout_ms, &fd);
	if (r < 0)
		return kerr_set(e, r, "connect to", text, "port %u", port);
	r = call_null(fd, (struct sockaddr *)&sa, length, timeout_ms);
	return r < 0 ? kerr_set(e, r, "call", text, "NFSv4 NULL on port %u", port) : 0;
}
