/* SPDX-License-Identifier: Apache-2.0 */
/* The addresses that this node's interfaces have. */
#include "mountd/own_addrs.h"

#include <errno.h>
#include <ifaddrs.h>
#include <linux/if_addr.h>
#include <net/if.h>
#include <netlink/route/addr.h>
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

/* What is "temporary" of IPv6 is "secondary" of IPv4, and as good as any. */
bool own_addrs_is_lasting(int family, unsigned flags)
{
	return family != AF_INET6 ||
	       !(flags & (IFA_F_DADFAILED | IFA_F_TENTATIVE | IFA_F_TEMPORARY | IFA_F_DEPRECATED));
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

static int read_cache(struct nl_cache **ret)
{
	struct nl_sock *sk = nl_socket_alloc();
	int r = sk ? nl_connect(sk, NETLINK_ROUTE) : -NLE_NOMEM;

	if (r == 0)
		r = rtnl_addr_alloc_cache(sk, ret);
	nl_socket_free(sk);
	return r == 0 ? 0 : r == -NLE_NOMEM ? -ENOMEM : -EIO;
}

static bool is_fleeting(struct rtnl_addr *entry, struct addr *ret)
{
	struct nl_addr *local = rtnl_addr_get_local(entry);
	struct sockaddr_storage sa;
	socklen_t size = sizeof sa;

	return !own_addrs_is_lasting(rtnl_addr_get_family(entry), rtnl_addr_get_flags(entry)) &&
	       local && nl_addr_fill_sockaddr(local, (struct sockaddr *)&sa, &size) == 0 &&
	       addr_from_sockaddr((struct sockaddr *)&sa, ret) == 0;
}

/* getifaddrs(3) does not tell an address's flags. */
static int read_fleeting(struct own_addrs *ret)
{
	struct nl_cache *cache = NULL;
	struct addr *list;
	size_t n = 0;
	int error = read_cache(&cache);

	if (error < 0)
		return error;
	list = calloc((size_t)nl_cache_nitems(cache) + 1, sizeof *list);
	for (struct nl_object *o = nl_cache_get_first(cache); o && list; o = nl_cache_get_next(o))
		n += is_fleeting((struct rtnl_addr *)o, &list[n]);
	nl_cache_free(cache);
	if (!list)
		return -ENOMEM;
	*ret = (struct own_addrs){list, unique(list, n)};
	return 0;
}

static int read_all(
	enum own_addrs_which which, const struct own_addrs *except, struct own_addrs *ret)
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
			(which == OWN_ALL || is_reachable(i, &list[n])) &&
			!own_addrs_has(except, &list[n]))
			n++;
	freeifaddrs(interfaces);
	*ret = (struct own_addrs){list, unique(list, n)};
	return 0;
}

int own_addrs_read(enum own_addrs_which which, struct own_addrs *ret)
{
	struct own_addrs except = {0};
	int error = which == OWN_REACHABLE ? read_fleeting(&except) : 0;

	if (error == 0)
		error = read_all(which, &except, ret);
	own_addrs_clear(&except);
	return error;
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

bool own_addrs_equal(const struct own_addrs *a, const struct own_addrs *b)
{
	bool equal = a->n == b->n;

	for (size_t i = 0; equal && i < a->n; i++)
		equal = addr_equal(&a->list[i], &b->list[i]);
	return equal;
}
