/* SPDX-License-Identifier: Apache-2.0 */
/* IP addresses as values: parsed, printed, compared. */
#include "nfs/addr.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <string.h>

static void unmap(struct addr *addr)
{
	struct in6_addr in6;

	memcpy(&in6, addr->bytes, sizeof in6);
	if (addr->family != AF_INET6 || !IN6_IS_ADDR_V4MAPPED(&in6))
		return;
	memmove(addr->bytes, addr->bytes + 12, 4);
	memset(addr->bytes + 4, 0, sizeof addr->bytes - 4);
	addr->family = AF_INET;
}

static bool names_one_host(const struct addr *addr)
{
	if (addr->family == AF_INET)
		return addr->bytes[0] != 0 && addr->bytes[0] < 224;

	struct in6_addr in6;
	memcpy(&in6, addr->bytes, sizeof in6);
	return !IN6_IS_ADDR_UNSPECIFIED(&in6) && !IN6_IS_ADDR_MULTICAST(&in6) &&
	       !IN6_IS_ADDR_LINKLOCAL(&in6);
}

int addr_parse(const char *text, struct addr *ret)
{
	struct addr addr = {0};

	if (inet_pton(AF_INET, text, addr.bytes) == 1)
		addr.family = AF_INET;
	else if (inet_pton(AF_INET6, text, addr.bytes) == 1)
		addr.family = AF_INET6;
	else
		return -EINVAL;
	unmap(&addr);
	if (!names_one_host(&addr))
		return -EADDRNOTAVAIL;
	*ret = addr;
	return 0;
}

void addr_format(const struct addr *addr, char text[ADDR_TEXT_SIZE])
{
	if (!addr->family || !inet_ntop(addr->family, addr->bytes, text, ADDR_TEXT_SIZE))
		text[0] = '\0';
}

int addr_compare(const struct addr *a, const struct addr *b)
{
	if (a->family != b->family)
		return a->family < b->family ? -1 : 1;
	return memcmp(a->bytes, b->bytes, sizeof a->bytes);
}

bool addr_equal(const struct addr *a, const struct addr *b)
{
	return addr_compare(a, b) == 0;
}

socklen_t addr_to_sockaddr(const struct addr *addr, uint16_t port, struct sockaddr_storage *ret)
{
	memset(ret, 0, sizeof *ret);
	if (addr->family == AF_INET) {
		struct sockaddr_in in = {.sin_family = AF_INET, .sin_port = htons(port)};
		memcpy(&in.sin_addr, addr->bytes, sizeof in.sin_addr);
		memcpy(ret, &in, sizeof in);
		return sizeof in;
	}
	struct sockaddr_in6 in6 = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
	memcpy(&in6.sin6_addr, addr->bytes, sizeof in6.sin6_addr);
	memcpy(ret, &in6, sizeof in6);
	return sizeof in6;
}

int addr_from_sockaddr(const struct sockaddr *sa, struct addr *ret)
{
	struct addr addr = {.family = sa->sa_family};

	if (sa->sa_family == AF_INET)
		memcpy(addr.bytes, &((const struct sockaddr_in *)(const void *)sa)->sin_addr, 4);
	else if (sa->sa_family == AF_INET6)
		memcpy(addr.bytes, &((const struct sockaddr_in6 *)(const void *)sa)->sin6_addr, 16);
	else
		return -EAFNOSUPPORT;
	unmap(&addr);
	*ret = addr;
	return 0;
}

int addr_is_own(const struct addr *addr)
{
	struct ifaddrs *list;
	int own = 0;

	if (getifaddrs(&list) < 0)
		return -errno;
	for (struct ifaddrs *i = list; i && !own; i = i->ifa_next) {
		struct addr other;
		own = i->ifa_addr && addr_from_sockaddr(i->ifa_addr, &other) == 0 &&
		      addr_equal(addr, &other);
	}
	freeifaddrs(list);
	return own;
}
