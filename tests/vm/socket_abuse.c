/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a hostile or broken peer does to the control socket: socket_abuse SOCKET KIND.
 *   idle      as many connections as are let in, which then say nothing, until killed
 *   oversized one packet far beyond the limit; prints the answer
 *   garbage   a thousand packets that are no request; every one must be answered as a refusal
 *   deaf      a thousand requests, whose answers are never read
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { CONNECTIONS = 200, PACKETS = 1000, OVERSIZED = 150000, ANSWER_MS = 30000 };

static int connect_to(const char *path)
{
	struct sockaddr_un sa = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	(void)snprintf(sa.sun_path, sizeof sa.sun_path, "%s", path);
	if (fd >= 0 && connect(fd, (struct sockaddr *)&sa, sizeof sa) < 0) {
		(void)close(fd);
		return -1;
	}
	return fd;
}

static int idle(const char *path)
{
	int open = 0;

	for (int i = 0; i < CONNECTIONS; i++)
		open += connect_to(path) >= 0;
	(void)printf("%d connections\n", open);
	(void)fflush(stdout);
	return pause();
}

/* 1: a refusal was answered; 0: hung up instead; -1: silence. */
static int refused(int fd, char *answer, size_t size)
{
	struct pollfd poller = {.fd = fd, .events = POLLIN};
	ssize_t n;

	if (poll(&poller, 1, ANSWER_MS) != 1)
		return -1;
	n = recv(fd, answer, size - 1, 0);
	if (n <= 0)
		return 0;
	answer[n] = '\0';
	return strstr(answer, "\"ok\": false") || strstr(answer, "\"ok\":false");
}

static int oversized(const char *path)
{
	static char packet[OVERSIZED];
	char answer[4096] = "";
	int fd = connect_to(path);

	memset(packet, 'x', sizeof packet);
	if (fd < 0 || (send(fd, packet, sizeof packet, MSG_NOSIGNAL) < 0 && errno != EMSGSIZE))
		return 1;
	if (refused(fd, answer, sizeof answer) < 0)
		return 1;
	(void)printf("%s\n", answer);
	return 0;
}

static int garbage(const char *path)
{
	int fd = -1;
	unsigned seed = 1;

	for (int i = 0; i < PACKETS; i++) {
		char packet[512], answer[4096];
		size_t length = 1 + (size_t)rand_r(&seed) % sizeof packet;

		for (size_t j = 0; j < length; j++)
			packet[j] = (char)rand_r(&seed);
		if (fd < 0)
			fd = connect_to(path);
		if (fd < 0 || send(fd, packet, length, MSG_NOSIGNAL) < 0)
			return 1;
		switch (refused(fd, answer, sizeof answer)) {
		case 1:
			break;
		case 0: /* a peer that is hung up on may come again */
			(void)close(fd);
			fd = -1;
			break;
		default:
			(void)printf("packet %d: no answer\n", i);
			return 1;
		}
	}
	return 0;
}

static int deaf(const char *path)
{
	static const char request[] = "{\"verb\": \"runs\"}";
	int fd = connect_to(path);

	for (int i = 0; fd >= 0 && i < PACKETS; i++)
		if (send(fd, request, sizeof request - 1, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
			break;
	return fd < 0;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(const char *path);
	} kinds[] = {
		{"idle", idle}, {"oversized", oversized}, {"garbage", garbage}, {"deaf", deaf}};

	for (size_t i = 0; argc == 3 && i < sizeof kinds / sizeof *kinds; i++)
		if (strcmp(argv[2], kinds[i].name) == 0)
			return kinds[i].run(argv[1]);
	(void)fprintf(stderr, "usage: socket_abuse SOCKET idle|oversized|garbage|deaf\n");
	return 2;
}
