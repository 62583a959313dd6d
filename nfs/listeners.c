/* SPDX-License-Identifier: Apache-2.0 */
/* Whose listeners nfsd has: ours, or somebody else's. */
#include "nfs/listeners.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "mountd/base/cleanup.h"

void listeners_add(struct listeners *to, const struct addr *addr, uint16_t port)
{
	struct listener one = {.addr = *addr, .port = port};

	if (to->n < LISTENERS_MAX && !listeners_have(to, &one))
		to->list[to->n++] = one;
}

bool listeners_have(const struct listeners *set, const struct listener *one)
{
	for (size_t i = 0; i < set->n; i++)
		if (set->list[i].port == one->port && addr_equal(&set->list[i].addr, &one->addr))
			return true;
	return false;
}

void listener_format(const char *transport, const struct listener *l, char *text, size_t size)
{
	char addr[ADDR_TEXT_SIZE];
	bool v6 = l->addr.family == AF_INET6;

	addr_format(&l->addr, addr);
	(void)snprintf(
		text, size, "%s %s%s%s:%u", transport, v6 ? "[" : "", addr, v6 ? "]" : "", l->port);
}

/* How many sockets at port are ours, and the first that is not. */
static size_t count_ours(const struct listeners *sockets, const struct listeners *ours,
	uint16_t port, const struct listener **ret_other)
{
	size_t n = 0;

	*ret_other = NULL;
	for (size_t i = 0; i < sockets->n; i++) {
		const struct listener *s = &sockets->list[i];
		if (s->port != port)
			continue;
		if (listeners_have(ours, s))
			n++;
		else if (!*ret_other)
			*ret_other = s;
	}
	return n;
}

static size_t count_lines(const char *portlist, const struct nfsd_port *like)
{
	struct nfsd_port port;
	size_t n = 0;

	while (nfsd_portlist_next(&portlist, &port) > 0)
		n += port.port == like->port && strcmp(port.transport, like->transport) == 0;
	return n;
}

void listeners_judge(const char *portlist, const struct listeners *sockets,
	const struct listeners *ours, struct listeners_verdict *ret)
{
	const char *text = portlist;
	struct nfsd_port port;

	*ret = (struct listeners_verdict){0};
	for (size_t i = 0; i < sockets->n; i++)
		ret->n_ours += listeners_have(ours, &sockets->list[i]);
	while (nfsd_portlist_next(&text, &port) > 0) {
		const struct listener *other = NULL;
		bool tcp = strcmp(port.transport, "tcp") == 0;
		ret->n_nfsd++;
		if (ret->foreign[0] ||
			(tcp && count_lines(portlist, &port) <=
					count_ours(sockets, ours, port.port, &other)))
			continue;
		if (tcp && other)
			listener_format("tcp", other, ret->foreign, sizeof ret->foreign);
		else
			(void)snprintf(ret->foreign, sizeof ret->foreign, "%s %u", port.transport,
				port.port);
	}
}

static int read_sockets(
	const char *path, const struct listeners *ports, struct listeners *ret, struct kerr *e)
{
	_cleanup_fclose_ FILE *file = fopen(path, "re");
	_cleanup_free_ char *line = NULL;
	struct listener socket;
	size_t size = 0;

	if (!file) /* no IPv6 in this kernel */
		return errno == ENOENT ? 0 : kerr_set(e, -errno, "read sockets", path, NULL);
	while (getline(&line, &size, file) > 0) {
		const char *text = line;
		if (proc_tcp_next(&text, &socket) == 0)
			continue;
		for (size_t i = 0; i < ports->n; i++)
			if (ports->list[i].port == socket.port)
				listeners_add(ret, &socket.addr, socket.port);
	}
	return ferror(file) ? kerr_set(e, -EIO, "read sockets", path, NULL) : 0;
}

int listeners_read_sockets(const struct listeners *ports, struct listeners *ret, struct kerr *e)
{
	struct listeners sockets = {0};
	int error = read_sockets("/proc/self/net/tcp", ports, &sockets, e);

	if (error == 0)
		error = read_sockets("/proc/self/net/tcp6", ports, &sockets, e);
	if (error == 0)
		*ret = sockets;
	return error;
}
