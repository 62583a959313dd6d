/* SPDX-License-Identifier: Apache-2.0 */
/* Does nfsd answer? Whether it listens does not tell: its start waits for its daemon's answers. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "tests/soak/soak.h"

#define ANSWER_MS 500
#define PORT	  20490

/* RFC 5531, sections 9 and 11: one record, NULL of NFS version 4, without credentials … */
static const char call[44] = "\x80\0\0\x28"
			     "null\0\0\0\0\0\0\0\2"
			     "\0\1\x86\xa3\0\0\0\4";
/* … and its success. */
static const char answer[28] = "\x80\0\0\x18"
			       "null\0\0\0\1";

/* A socket stays in the network in which it was made. */
static int socket_at(const struct node *n)
{
	char path[64];
	int here = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC), there, s = -1;

	(void)snprintf(path, sizeof path, "/proc/%d/ns/net", (int)n->init);
	there = open(path, O_RDONLY | O_CLOEXEC);
	if (there >= 0 && setns(there, CLONE_NEWNET) == 0) {
		s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
		if (setns(here, CLONE_NEWNET) < 0)
			broken("no way back to the own network");
	}
	(void)close(here);
	if (there >= 0)
		(void)close(there);
	return s;
}

bool nfsd_answers(const struct node *n)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(PORT)};
	struct timeval limit = {.tv_usec = ANSWER_MS * 1000};
	struct linger reset = {.l_onoff = 1}; /* asked often: nothing is to stay */
	char got[sizeof answer];
	int s = socket_at(n);
	bool good;

	if (s < 0)
		return false;
	(void)inet_pton(AF_INET, "10.20.0.1", &address.sin_addr);
	(void)setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
	(void)setsockopt(s, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
	(void)setsockopt(s, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
	good = connect(s, (struct sockaddr *)&address, sizeof address) == 0 &&
	       send(s, call, sizeof call, MSG_NOSIGNAL) == sizeof call &&
	       recv(s, got, sizeof got, MSG_WAITALL) == sizeof got &&
	       memcmp(got, answer, sizeof answer) == 0;
	(void)close(s);
	return good;
}
