/* SPDX-License-Identifier: Apache-2.0 */
/* IP addresses as values. */
#include "nfs/addr.h"

#include <criterion/criterion.h>
#include <errno.h>

Test(addr, parses_and_prints)
{
	static const struct {
		const char *text, *printed;
	} cases[] = {
		{"10.20.0.1", "10.20.0.1"},
		{"127.0.0.1", "127.0.0.1"},
		{"fd20::2", "fd20::2"},
		{"FD20:0:0::2", "fd20::2"},
		{"::1", "::1"},
		{"::ffff:10.20.0.1", "10.20.0.1"},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct addr addr;
		char text[ADDR_TEXT_SIZE];
		cr_assert_eq(addr_parse(cases[i].text, &addr), 0, "%s", cases[i].text);
		addr_format(&addr, text);
		cr_expect_str_eq(text, cases[i].printed);
	}
}

Test(addr, refuses_what_is_no_address)
{
	static const char *const bad[] = {"", "node-1", "10.20.0", "10.20.0.1/24", "10.20.0.256",
		" 10.20.0.1", "010.20.0.1", "[fd20::2]", "fd20::2%eth0", "10.20.0.1:20490"};

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct addr addr;
		cr_expect_eq(addr_parse(bad[i], &addr), -EINVAL, "%s", bad[i]);
	}
}

Test(addr, refuses_what_names_no_single_host)
{
	static const char *const bad[] = {"0.0.0.0", "224.0.0.1", "255.255.255.255",
		"::", "ff02::1", "fe80::1", "::ffff:0.0.0.0"};

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct addr addr;
		cr_expect_eq(addr_parse(bad[i], &addr), -EADDRNOTAVAIL, "%s", bad[i]);
	}
}

Test(addr, sockaddr_round_trip)
{
	static const char *const texts[] = {"10.20.0.1", "fd20::2"};

	for (size_t i = 0; i < 2; i++) {
		struct addr addr, back;
		struct sockaddr_storage storage;
		cr_assert_eq(addr_parse(texts[i], &addr), 0);
		(void)addr_to_sockaddr(&addr, 20490, &storage);
		cr_assert_eq(addr_from_sockaddr((struct sockaddr *)&storage, &back), 0);
		cr_expect(addr_equal(&addr, &back));
	}
}

Test(addr, order_is_total)
{
	struct addr a, b, c;

	cr_assert_eq(addr_parse("10.20.0.1", &a), 0);
	cr_assert_eq(addr_parse("10.20.0.2", &b), 0);
	cr_assert_eq(addr_parse("fd20::2", &c), 0);
	cr_expect_lt(addr_compare(&a, &b), 0);
	cr_expect_gt(addr_compare(&b, &a), 0);
	cr_expect_lt(addr_compare(&b, &c), 0);
	cr_expect_eq(addr_compare(&c, &c), 0);
}

Test(addr, loopback_is_own_and_a_documentation_address_is_not)
{
	struct addr own, other;

	cr_assert_eq(addr_parse("127.0.0.1", &own), 0);
	cr_assert_eq(addr_parse("192.0.2.1", &other), 0);
	cr_expect_eq(addr_is_own(&own), 1);
	cr_expect_eq(addr_is_own(&other), 0);
}
