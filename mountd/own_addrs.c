/* SPDX-License-Identifier: Apache-2.0 */
/* The addresses that this node's interfaces have. */
#include "mountd/own_addrs.h"

#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <stdlib.h>

static int compare(const void *a, const void *b)
{
	return addr_compare(a, b);
}

static bool is_reachable(const struct ifaddrs *i, const struct addr *addr)
{
	const unsigned char *b = addr->bytes;

	if (i->ifa_flags & IFF_LOOPBACK)
		return false;
	if (addr->family == AF_INET)
		return b[0] != 127 && !(b[0] == 169 && b[1] == 254);
	return !(b[0] == 0xfe && (b[1] & 0xc0) == 0x80);
}

static size_t unique(struct addr *list, size_t n)
{
	size_t kept = 0;

	qsort(list, n, sizeof *list, compare);
	for (size_t i = 0; i < n; i++)
		if (!kept || !addr_equal(&list[i], &list[kept - 1]))
			list[kept++] = list[i];
	return kept;
}

int own_addrs_read(enum own_addrs_which which, struct own_addrs *ret)
{
	struct ifaddrs *interfaces;
	struct addr *list;
	size_t n = 0;

	if (getifaddrs(&interfaces) < 0)
		return -errno;
	for (const struct ifaddrs *i = interfaces; i; i = i->ifa_next)
		n++;
	list = calloc(n ? n : 1, sizeof *list);
	if (!list) {
		freeifaddrs(interfaces);
		return -ENOMEM;
	}
	n = 0;
	for (const struct ifaddrs *i = interfaces; i; i = i->ifa_next)
		if (i->ifa_addr && addr_from_sockaddr(i->ifa_addr, &list[n]) == 0 &&
			(which == OWN_ALL || is_reachable(i, &list[n])))
			n++;
	freeifaddrs(interfaces);
	*ret = (struct own_addrs){list, unique(list, n)};
	return 0;
}

void own_addrs_clear(struct own_addrs *addrs)
{
	free(addrs->list);
	*addrs = (struct own_addrs){0};
}

bool own_addrs_has(const struct own_addrs *addrs, const struct addr *addr)
{
	return addrs->n && bsearch(addr, addrs->list, addrs->n, sizeof *addr, compare);
}
