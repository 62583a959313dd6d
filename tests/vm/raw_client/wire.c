/* SPDX-License-Identifier: Apache-2.0 */
/* ONC RPC over TCP with nothing between. */
#include "tests/vm/raw_client/wire.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <rpc/rpc.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { ANSWER_MS = 15000, LAST_FRAGMENT = 1U << 31 };

static int bind_reserved(int fd, int family)
{
	for (uint16_t port = 1000; port > 700; port--) {
		struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
		struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons(port)};
		bool six = family == AF_INET6;
		if (bind(fd, six ? (void *)&v6 : (void *)&v4, six ? sizeof v6 : sizeof v4) == 0)
			return 0;
		if (errno != EADDRINUSE)
			break;
	}
	return -errno;
}

int wire_connect(const struct target *t)
{
	struct addrinfo hints = {
		.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV, .ai_socktype = SOCK_STREAM};
	struct addrinfo *a;
	int fd, error = 0;

	if (getaddrinfo(t->server, t->port, &hints, &a) != 0)
		return -EINVAL;
	fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		error = -errno;
	if (error == 0 && t->reserved)
		error = bind_reserved(fd, a->ai_family);
	if (error == 0 && connect(fd, a->ai_addr, a->ai_addrlen) < 0)
		error = -errno;
	freeaddrinfo(a);
	if (error < 0 && fd >= 0)
		(void)close(fd);
	return error < 0 ? error : fd;
}

static bool send_all(int fd, const char *data, size_t size)
{
	while (size > 0) {
		ssize_t n = send(fd, data, size, MSG_NOSIGNAL);
		if (n <= 0)
			return false;
		data += n;
		size -= (size_t)n;
	}
	return true;
}

bool wire_send(int fd, const void *data, size_t size)
{
	uint32_t mark = htonl(LAST_FRAGMENT | (uint32_t)size);

	return send_all(fd, (const char *)&mark, sizeof mark) && send_all(fd, data, size);
}

static long read_all(int fd, char *data, size_t size)
{
	size_t have = 0;

	while (have < size) {
		struct pollfd poller = {.fd = fd, .events = POLLIN};
		ssize_t n;
		if (poll(&poller, 1, ANSWER_MS) != 1)
			return -1;
		n = recv(fd, data + have, size - have, 0);
		if (n <= 0)
			return 0;
		have += (size_t)n;
	}
	return (long)have;
}

long wire_receive(int fd, void *data, size_t size)
{
	uint32_t mark;
	long n = read_all(fd, (char *)&mark, sizeof mark);

	if (n <= 0)
		return n;
	mark = ntohl(mark) & ~(uint32_t)LAST_FRAGMENT;
	return mark > size ? 0 : read_all(fd, data, mark);
}

static bool encode_call(XDR *x, uint32_t xid, const struct call *call)
{
	uint32_t uid = call->uid, zero = 0, two = 2, stamp = 1, flavor = AUTH_SYS, size = 20;
	uint32_t message = CALL, program = call->program, version = call->version,
		 procedure = call->procedure;
	bool ok = xdr_uint32_t(x, &xid) && xdr_uint32_t(x, &message) && xdr_uint32_t(x, &two) &&
		  xdr_uint32_t(x, &program) && xdr_uint32_t(x, &version) &&
		  xdr_uint32_t(x, &procedure);

	if (uid == UINT32_MAX)
		flavor = AUTH_NONE, size = 0;
	ok = ok && xdr_uint32_t(x, &flavor) && xdr_uint32_t(x, &size);
	if (size > 0) /* stamp, machine name "", uid, gid, no more gids */
		ok = ok && xdr_uint32_t(x, &stamp) && xdr_uint32_t(x, &zero) &&
		     xdr_uint32_t(x, &uid) && xdr_uint32_t(x, &uid) && xdr_uint32_t(x, &zero);
	return ok && xdr_uint32_t(x, &zero) && xdr_uint32_t(x, &zero);
}

static enum reply_kind accepted(uint32_t status)
{
	static const enum reply_kind kinds[] = {
		REPLY_OK, REPLY_PROGRAM, REPLY_VERSION, REPLY_PROCEDURE, REPLY_ARGUMENTS};

	return status < sizeof kinds / sizeof *kinds ? kinds[status] : REPLY_OTHER;
}

static enum reply_kind decode_reply(XDR *x, uint32_t xid)
{
	uint32_t got, message, denied, flavor, length, status;

	if (!xdr_uint32_t(x, &got) || got != xid || !xdr_uint32_t(x, &message) ||
		message != REPLY || !xdr_uint32_t(x, &denied))
		return REPLY_OTHER;
	if (denied)
		return REPLY_AUTH_DENIED;
	if (!xdr_uint32_t(x, &flavor) || !xdr_uint32_t(x, &length) || length > 400 ||
		!xdr_setpos(x, xdr_getpos(x) + length) || !xdr_uint32_t(x, &status))
		return REPLY_OTHER;
	return accepted(status);
}

enum reply_kind wire_call(int fd, const struct call *call, const void *args, size_t size,
	void *reply, const char **ret_body, size_t *ret_size)
{
	static char record[WIRE_MAX];
	static uint32_t xid = 0x6b6f7261;
	enum reply_kind kind;
	XDR x;
	long n;

	xdrmem_create(&x, record, sizeof record, XDR_ENCODE);
	if (!encode_call(&x, ++xid, call) || size > sizeof record - xdr_getpos(&x))
		return REPLY_OTHER;
	memcpy(record + xdr_getpos(&x), args, size);
	if (!wire_send(fd, record, xdr_getpos(&x) + size))
		return REPLY_CLOSED;
	n = wire_receive(fd, reply, WIRE_MAX);
	if (n <= 0)
		return n == 0 ? REPLY_CLOSED : REPLY_SILENCE;
	xdrmem_create(&x, reply, (u_int)n, XDR_DECODE);
	kind = decode_reply(&x, xid);
	*ret_body = (const char *)reply + xdr_getpos(&x);
	*ret_size = (size_t)n - xdr_getpos(&x);
	return kind;
}

const char *reply_name(enum reply_kind kind)
{
	static const char *const names[] = {"OK", "CLOSED", "SILENCE", "AUTH_DENIED",
		"PROG_UNAVAIL", "PROG_MISMATCH", "PROC_UNAVAIL", "GARBAGE_ARGS", "OTHER"};

	return names[kind];
}
