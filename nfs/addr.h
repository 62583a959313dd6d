/* SPDX-License-Identifier: Apache-2.0 */
/* IP addresses as values: parsed, printed, compared. No names, no DNS. */
#pragma once

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#define ADDR_TEXT_SIZE INET6_ADDRSTRLEN

struct addr {
	int family; /* AF_INET or AF_INET6; 0 = none */
	unsigned char bytes[16];
};

/*
 * An IPv4 or IPv6 literal. An IPv4-mapped IPv6 address becomes IPv4. -EINVAL: not an address;
 * -EADDRNOTAVAIL: one that names no single host (unspecified, multicast, broadcast, or a
 * link-local IPv6 address, which means nothing without an interface).
 */
int addr_parse(const char *text, struct addr *ret);
void addr_format(const struct addr *addr, char text[ADDR_TEXT_SIZE]);
int addr_compare(const struct addr *a, const struct addr *b);
bool addr_equal(const struct addr *a, const struct addr *b);
/* Returns the length of the filled sockaddr. */
socklen_t addr_to_sockaddr(const struct addr *addr, uint16_t port, struct sockaddr_storage *ret);
int addr_from_sockaddr(const struct sockaddr *sa, struct addr *ret); /* -EAFNOSUPPORT */

/* Is addr configured on an interface of this network namespace? 1, 0, or -errno of getifaddrs(3).
 */
int addr_is_own(const struct addr *addr);
