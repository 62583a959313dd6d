/* SPDX-License-Identifier: Apache-2.0 */
/* The tombstone's connections: records in, answers out, until told to stop. */
#include "nfs/tombstone.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>

#include "mountd/base/cleanup.h"

enum {
	PEERS_MAX = 32,	  /* one per connection of this node's client; nconnect allows 16 */
	HEAD_SIZE = 1024, /* of a call only its head is ever looked at; data is passed over */
	LAST_FRAGMENT = 1U << 31,
};

struct peer {
	int fd;
	const struct addr *server; /* whom it takes us for */
	unsigned char mark[4];	   /* record mark being read, RFC 5531 section 11 */
	size_t mark_length;
	uint32_t left; /* bytes of this fragment still to come */
	bool last;
	size_t length; /* bytes of the record so far, of which HEAD_SIZE at most are kept */
	unsigned char head[HEAD_SIZE];
};

static int listen_as(const struct addr *server, uint16_t port)
{
	static const int on = 1;
	struct sockaddr_storage sa;
	socklen_t length = addr_to_sockaddr(server, port, &sa);
	bool v4 = server->family == AF_INET;
	_cleanup_close_ int fd =
		socket(server->family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) < 0 ||
		setsockopt(fd, v4 ? IPPROTO_IP : IPPROTO_IPV6,
			v4 ? IP_TRANSPARENT : IPV6_TRANSPARENT, &on, sizeof on) < 0 ||
		bind(fd, (struct sockaddr *)&sa, length) < 0 || listen(fd, PEERS_MAX) < 0)
		return -errno;
	return TAKE_FD(fd);
}

static int answer_record(struct peer *peer)
{
	unsigned char reply[4 + TOMBSTONE_REPLY_MAX];
	size_t kept = peer->length < HEAD_SIZE ? peer->length : HEAD_SIZE;
	int n = tombstone_answer(peer->server, peer->head, kept, reply + 4);
	uint32_t mark;

	peer->length = 0;
	if (n < 0)
		return n;
	mark = htonl(LAST_FRAGMENT | (uint32_t)n);
	memcpy(reply, &mark, sizeof mark);
	/* A peer that does not take these few bytes at once is dropped; it will connect again. */
	if (send(peer->fd, reply, (size_t)n + 4, MSG_NOSIGNAL | MSG_DONTWAIT) != n + 4)
		return -EPIPE;
	return 0;
}

static size_t take_mark(struct peer *peer, const unsigned char *bytes, size_t n)
{
	size_t wanted = sizeof peer->mark - peer->mark_length;
	size_t taken = n < wanted ? n : wanted;
	uint32_t mark;

	memcpy(peer->mark + peer->mark_length, bytes, taken);
	peer->mark_length += taken;
	if (peer->mark_length == sizeof peer->mark) {
		memcpy(&mark, peer->mark, sizeof mark);
		mark = ntohl(mark);
		peer->last = mark & LAST_FRAGMENT;
		peer->left = mark & ~LAST_FRAGMENT;
	}
	return taken;
}

static size_t take_body(struct peer *peer, const unsigned char *bytes, size_t n)
{
	size_t taken = n < peer->left ? n : peer->left;

	if (peer->length < HEAD_SIZE) {
		size_t room = HEAD_SIZE - peer->length;
		memcpy(peer->head + peer->length, bytes, taken < room ? taken : room);
	}
	peer->length += taken;
	peer->left -= (uint32_t)taken;
	return taken;
}

static int feed(struct peer *peer, const unsigned char *bytes, size_t n)
{
	while (n > 0) {
		bool in_mark = peer->mark_length < sizeof peer->mark;
		size_t taken = in_mark ? take_mark(peer, bytes, n) : take_body(peer, bytes, n);

		bytes += taken;
		n -= taken;
		if (peer->length > TOMBSTONE_CALL_MAX || peer->left > TOMBSTONE_CALL_MAX)
			return -EMSGSIZE;
		if (peer->mark_length < sizeof peer->mark || peer->left > 0)
			continue;
		peer->mark_length = 0;
		if (peer->last) {
			int r = answer_record(peer);
			if (r < 0)
				return r;
		}
	}
	return 0;
}

static int read_peer(struct peer *peer)
{
	unsigned char bytes[16384];
	ssize_t n = recv(peer->fd, bytes, sizeof bytes, MSG_DONTWAIT);

	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	return n == 0 ? -EPIPE : feed(peer, bytes, (size_t)n);
}

static void accept_peer(int listener, const struct addr *server, struct peer peers[PEERS_MAX])
{
	int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd < 0)
		return;
	for (size_t i = 0; i < PEERS_MAX; i++)
		if (peers[i].fd < 0) {
			peers[i] = (struct peer){.fd = fd, .server = server};
			return;
		}
	(void)close(fd);
}

static int serve(int listener, int stop_fd, const struct addr *server, struct peer peers[PEERS_MAX])
{
	struct pollfd fds[2 + PEERS_MAX];

	for (;;) {
		fds[0] = (struct pollfd){.fd = stop_fd, .events = POLLIN};
		fds[1] = (struct pollfd){.fd = listener, .events = POLLIN};
		for (size_t i = 0; i < PEERS_MAX; i++)
			fds[2 + i] = (struct pollfd){.fd = peers[i].fd, .events = POLLIN};
		if (poll(fds, 2 + PEERS_MAX, -1) < 0) {
			if (errno == EINTR)
				continue;
			return -errno;
		}
		if (fds[0].revents)
			return 0;
		for (size_t i = 0; i < PEERS_MAX; i++)
			if (fds[2 + i].revents && read_peer(&peers[i]) < 0) {
				(void)close(peers[i].fd);
				peers[i].fd = -1;
			}
		if (fds[1].revents)
			accept_peer(listener, server, peers);
	}
}

int tombstone_serve(const struct addr *server, uint16_t port, int stop_fd, struct kerr *e)
{
	struct peer peers[PEERS_MAX];
	char text[ADDR_TEXT_SIZE];
	_cleanup_close_ int listener = -1;
	int r, restored;

	addr_format(server, text);
	for (size_t i = 0; i < PEERS_MAX; i++)
		peers[i].fd = -1;
	/* The listener first: a turned flow without one would be refused, and retried slowly. */
	listener = listen_as(server, port);
	if (listener < 0)
		return kerr_set(e, listener, "listen in place of", text,
			"is another NFS server of this node bound to every address?");
	r = tombstone_route_turn(server, port, e);
	if (r < 0)
		return r;
	r = serve(listener, stop_fd, server, peers);
	for (size_t i = 0; i < PEERS_MAX; i++)
		if (peers[i].fd >= 0)
			(void)close(peers[i].fd);
	restored = tombstone_route_restore(server, port, e);
	return r < 0 ? kerr_set(e, r, "answer in place of", text, NULL) : restored;
}
