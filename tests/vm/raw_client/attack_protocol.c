/* SPDX-License-Identifier: Apache-2.0 */
/* Other protocols, sizes that nobody asks for, and noise. */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/vm/raw_client/attacks.h"
#include "tests/vm/raw_client/nfs4.h"

static enum reply_kind call_null(const struct attack *a, uint32_t program, uint32_t version)
{
	static char reply[WIRE_MAX];
	struct call call = {program, version, 0, a->uid};
	enum reply_kind kind;
	const char *body;
	size_t size;
	int fd = wire_connect(&a->target);

	if (fd < 0)
		return REPLY_CLOSED;
	kind = wire_call(fd, &call, "", 0, reply, &body, &size);
	(void)close(fd);
	return kind;
}

static void print_minor(const struct attack *a, uint32_t minor)
{
	static struct compound c;
	struct result r = {.reply = REPLY_CLOSED};
	int fd = wire_connect(&a->target);

	compound_begin(&c, minor);
	op_path(&c, "/");
	op_getfh(&c);
	if (fd >= 0)
		compound_call(fd, a->uid, &c, &r);
	(void)printf("v4.%u %s\n", minor, result_name(&r));
	if (fd >= 0)
		(void)close(fd);
}

int attack_versions(const struct attack *a)
{
	static const struct {
		const char *name;
		uint32_t program, version;
	} others[] = {{"nfs2", NFS_PROGRAM, 2}, {"nfs3", NFS_PROGRAM, 3}, {"nfs5", NFS_PROGRAM, 5},
		{"mount1", 100005, 1}, {"mount3", 100005, 3}, {"nlm4", 100021, 4},
		{"acl3", 100227, 3}, {"portmap", 100000, 2}};

	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		(void)printf("%s %s\n", others[i].name,
			reply_name(call_null(a, others[i].program, others[i].version)));
	print_minor(a, 0);
	print_minor(a, 1);
	print_minor(a, 3);
	return 0;
}

int attack_flavors(const struct attack *a)
{
	static struct compound c;
	struct session s;
	struct result r;
	struct target target = a->target;
	int fd = wire_connect(&target);

	compound_begin(&c, 2);
	op_path(&c, "/workspaces");
	op_readdir(&c);
	compound_call(fd, a->uid, &c, &r);
	(void)printf("no session: %s\n", result_name(&r));
	(void)close(fd);
	if (session_open(&target, UINT32_MAX, 2, &s, &r)) {
		compound_begin(&c, 2);
		op_sequence(&c, &s);
		op_path(&c, a->n ? a->args[0] : "/");
		op_readdir(&c);
		compound_call(s.fd, UINT32_MAX, &c, &r);
		session_close(&s);
	}
	(void)printf("no credentials: %s\n", result_name(&r));
	return 0;
}

int attack_udp(const struct attack *a)
{
	struct sockaddr_in sa = {
		.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(a->target.port))};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct pollfd poller = {.fd = fd, .events = POLLIN};
	char call[40] = "kora\0\0\0\0\0\0\0\2\0\1\x86\xa3\0\0\0\3", answer[64];

	if (inet_pton(AF_INET, a->target.server, &sa.sin_addr) != 1 ||
		connect(fd, (struct sockaddr *)&sa, sizeof sa) < 0 ||
		send(fd, call, sizeof call, 0) < 0)
		return 1;
	if (poll(&poller, 1, 5000) != 1)
		(void)printf("SILENCE\n");
	else if (recv(fd, answer, sizeof answer, 0) < 0)
		(void)printf("%s\n", strerrorname_np(errno));
	else
		(void)printf("ANSWERED\n");
	return 0;
}

static void fill_many(struct compound *c)
{
	for (int i = 0; i < 2000; i++)
		op_putrootfh(c);
}

static void fill_claimed(struct compound *c)
{
	fill_many(c);
	c->n = 0xffffffff;
}

static void fill_long_name(struct compound *c)
{
	op_putrootfh(c);
	op_bare(c, OP_LOOKUP);
	compound_put32(c, 0xfffffff0);
}

static void fill_unknown(struct compound *c)
{
	op_bare(c, 9999);
}

/* A session of its own: after a refusal the next sequence number is the server's choice. */
static int print_compound(const struct attack *a, const char *what, void (*fill)(struct compound *))
{
	static struct compound c;
	struct session s;
	struct result r;

	if (!session_open(&a->target, a->uid, 2, &s, &r))
		return 1;
	compound_begin(&c, 2);
	op_sequence(&c, &s);
	fill(&c);
	compound_call(s.fd, s.uid, &c, &r);
	/* Older kernels do as many as they like, and stop without an error. */
	(void)printf("%s: %s\n", what,
		r.n > 300  ? "ALL DONE"
		: r.status ? result_name(&r)
			   : "CUT SHORT");
	session_close(&s);
	return 0;
}

/* A record of which the length alone is sent. */
static void print_record(const struct attack *a, uint32_t mark)
{
	int fd = wire_connect(&a->target);
	struct pollfd poller = {.fd = fd, .events = POLLIN};
	char byte;

	mark = htonl(mark);
	(void)send(fd, &mark, sizeof mark, MSG_NOSIGNAL);
	(void)printf("a record's length: %s\n",
		poll(&poller, 1, 5000) == 1 && recv(fd, &byte, 1, 0) <= 0 ? "CLOSED" : "SILENCE");
	(void)close(fd);
}

int attack_oversized(const struct attack *a)
{
	print_record(a, 0xffffffff);
	return print_compound(a, "2000 operations", fill_many) ||
	       print_compound(a, "more are claimed", fill_claimed) ||
	       print_compound(a, "a name's length", fill_long_name) ||
	       print_compound(a, "an unknown operation", fill_unknown);
}

/* Noise, noise behind a good head, fragments of nothing, a record cut short. */
static void send_noise(int fd, unsigned kind, unsigned *seed)
{
	static const char head[24] = "kora\0\0\0\0\0\0\0\2\0\1\x86\xa3\0\0\0\4\0\0\0\1";
	char noise[600];
	uint32_t empty = 0, longer = htonl(0x80000400);

	for (size_t i = 0; i < sizeof noise; i++)
		noise[i] = (char)rand_r(seed);
	if (kind == 1)
		memcpy(noise, head, sizeof head);
	if (kind < 2)
		(void)wire_send(fd, noise, 1 + (size_t)rand_r(seed) % sizeof noise);
	else if (kind == 2)
		for (int i = 0; i < 100; i++)
			(void)send(fd, &empty, sizeof empty, MSG_NOSIGNAL);
	else if (send(fd, &longer, sizeof longer, MSG_NOSIGNAL) > 0)
		(void)send(fd, noise, 100, MSG_NOSIGNAL);
}

int attack_silence(const struct attack *a)
{
	static struct compound c;
	struct session s;
	struct result r;

	if (!session_begin(&a->target, a->uid, 2, &s, &r))
		return 1;
	for (unsigned i = 0; i < 120; i++) {
		compound_begin(&c, s.minor);
		op_sequence(&c, &s);
		compound_call(s.fd, s.uid, &c, &r);
		if (r.reply != REPLY_OK || r.status != 0)
			break;
		(void)usleep(500000);
	}
	(void)printf("%s\n", result_name(&r));
	session_close(&s);
	return 0;
}

int attack_garbage(const struct attack *a)
{
	unsigned seed = a->n ? (unsigned)atoi(a->args[0]) : 1;

	for (unsigned i = 0; i < 200; i++) {
		int fd = wire_connect(&a->target);
		if (fd < 0)
			return 1;
		send_noise(fd, i % 4, &seed);
		(void)close(fd);
	}
	(void)printf("200 connections\n");
	return 0;
}

int attack_hold(const struct attack *a)
{
	int n = a->n ? atoi(a->args[0]) : 100, open = 0;
	uint32_t half = htonl(0x80000100);

	for (int i = 0; i < n; i++) {
		int fd = wire_connect(&a->target);
		if (fd < 0)
			break;
		open++;
		if (i % 2)
			(void)send(fd, &half, 2, MSG_NOSIGNAL);
	}
	(void)printf("%d connections\n", open);
	(void)fflush(stdout);
	return pause();
}
