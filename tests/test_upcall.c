/* SPDX-License-Identifier: Apache-2.0 */
/* The lines of the kernel's export caches, as fs/nfsd and net/sunrpc write and read them. */
#include "nfs/upcall.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "nfs/nfsd_abi.h"

static int parse(enum upcall_cache cache, const char *line, struct upcall_request *q)
{
	return upcall_parse(cache, line, strlen(line), q);
}

static void expect_line(const struct upcall_entry *entry, const char *line)
{
	char text[UPCALL_LINE_MAX];
	int n = upcall_format(entry, text, sizeof text);

	cr_assert_eq(n, (int)strlen(line));
	cr_expect_eq(memcmp(text, line, (size_t)n), 0, "%.*s", n, text);
}

static struct addr address(const char *text)
{
	struct addr a;

	cr_assert_eq(upcall_address(text, &a), 0);
	return a;
}

Test(upcall, parses_an_address_of_either_family)
{
	struct upcall_request q;
	struct addr v4 = address("10.20.0.2"), v6 = address("fd20::2");

	cr_assert_eq(parse(UPCALL_IP, "nfsd 10.20.0.2\n", &q), 0);
	cr_expect(addr_equal(&q.address, &v4));
	cr_assert_eq(parse(UPCALL_IP, "nfsd fd20:0000:0000:0000:0000:0000:0000:0002\n", &q), 0);
	cr_expect(addr_equal(&q.address, &v6));
	cr_assert_eq(parse(UPCALL_IP, "nfsd ::ffff:10.20.0.2\n", &q), 0);
	cr_expect(addr_equal(&q.address, &v4));
}

Test(upcall, a_link_local_peer_is_asked_about_too)
{
	struct upcall_request q;

	cr_expect_eq(parse(UPCALL_IP, "nfsd fe80::1\n", &q), 0);
}

Test(upcall, only_nfsd_s_clients_are_for_us)
{
	struct upcall_request q;

	cr_expect_eq(parse(UPCALL_IP, "lockd 10.20.0.2\n", &q), -EAFNOSUPPORT);
	cr_expect_eq(parse(UPCALL_IP, "nfsd name.example\n", &q), -EAFNOSUPPORT);
	cr_expect_eq(parse(UPCALL_IP, "a-class-longer-than-any 10.20.0.2\n", &q), -EAFNOSUPPORT);
}

Test(upcall, parses_a_key)
{
	struct upcall_request q;

	cr_assert_eq(parse(UPCALL_KEY, "kora-10.20.0.2 1 \\x00000000\n", &q), 0);
	cr_expect_str_eq(q.domain, "kora-10.20.0.2");
	cr_expect_eq(q.fsid.type, NFSD_FSID_NUM);
	cr_expect_eq(q.fsid.size, 4);
	cr_assert_eq(
		parse(UPCALL_KEY, "d 7 \\x1000000000000000Ff00112233445566778899aabbccddee\n", &q),
		0);
	cr_expect_eq(q.fsid.size, 24);
	cr_expect_eq(q.fsid.bytes[0], 0x10);
	cr_expect_eq(q.fsid.bytes[8], 0xff);
	cr_expect_eq(q.fsid.bytes[23], 0xee);
}

Test(upcall, parses_a_quoted_path)
{
	struct upcall_request q;

	cr_assert_eq(parse(UPCALL_EXPORT, "d /a\\040b\\134c\\012\n", &q), 0);
	cr_expect_str_eq(q.path, "/a b\\c\n");
	cr_assert_eq(parse(UPCALL_EXPORT, "d /plain", &q), 0);
	cr_expect_str_eq(q.path, "/plain");
}

Test(upcall, malformed_lines_are_refused_and_nothing_is_touched)
{
	static const struct {
		enum upcall_cache cache;
		const char *line;
	} bad[] = {
		{UPCALL_IP, ""},
		{UPCALL_IP, "\n"},
		{UPCALL_IP, "nfsd\n"},
		{UPCALL_IP, "nfsd 10.20.0.2 more\n"},
		{UPCALL_IP, "nfsd 10.20.0.2\n\n"},
		{UPCALL_KEY, "d 1\n"},
		{UPCALL_KEY, "d x \\x00000000\n"},
		{UPCALL_KEY, "d 1 \\x\n"},
		{UPCALL_KEY, "d 1 \\x0\n"},
		{UPCALL_KEY, "d 1 \\x0g\n"},
		{UPCALL_KEY, "d 12345 \\x00\n"},
		{UPCALL_EXPORT, "d\n"},
		{UPCALL_EXPORT, "d /a\\04\n"},
		{UPCALL_EXPORT, "d /a\\\n"},
		{UPCALL_EXPORT, "d /a\\777\n"},
		{UPCALL_EXPORT, "d /a\\000b\n"},
		{UPCALL_EXPORT, "d \\x\n"},
	};

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct upcall_request q = {.path = "untouched"};
		cr_expect_eq(parse(bad[i].cache, bad[i].line, &q), -EINVAL, "%s", bad[i].line);
		cr_expect_str_eq(q.path, "untouched");
	}
}

Test(upcall, too_long_is_not_cut)
{
	static char line[2 * PATH_MAX + 100];
	struct upcall_request q;

	(void)snprintf(line, sizeof line, "d /%0*d\n", PATH_MAX, 0);
	cr_expect_eq(parse(UPCALL_EXPORT, line, &q), -ENAMETOOLONG);
	(void)snprintf(line, sizeof line, "%0*d /\n", UPCALL_DOMAIN_SIZE, 0);
	cr_expect_eq(parse(UPCALL_EXPORT, line, &q), -ENAMETOOLONG);
	(void)snprintf(line, sizeof line, "d 7 \\x%0*d\n", 2 * UPCALL_FSID_MAX + 2, 0);
	cr_expect_eq(parse(UPCALL_KEY, line, &q), -EINVAL);
}

Test(upcall, formats_addresses)
{
	struct upcall_entry e = {
		.cache = UPCALL_IP,
		.expiry = INT32_MAX,
		.address = address("fd20::2"),
		.domain = "kora-fd20::2",
	};

	expect_line(&e, "nfsd fd20::2 2147483647 kora-fd20::2\n");
	e.negative = true;
	e.expiry = 60;
	expect_line(&e, "nfsd fd20::2 60\n");
}

Test(upcall, formats_keys)
{
	struct upcall_entry e = {
		.cache = UPCALL_KEY,
		.expiry = 100,
		.domain = "d",
		.fsid = {.type = 1, .size = 4, .bytes = {0, 1, 0xab, 0xff}},
		.path = "/with space",
	};

	expect_line(&e, "d 1 \\x0001abff 100 /with\\040space\n");
	e.negative = true;
	expect_line(&e, "d 1 \\x0001abff 100\n");
}

Test(upcall, formats_exports)
{
	static const unsigned char uuid[UPCALL_UUID_SIZE] = {0xde, 0xad, [15] = 0x01};
	struct upcall_entry e = {
		.cache = UPCALL_EXPORT,
		.expiry = 100,
		.domain = "d",
		.path = "/p",
		.flags = 0x41c,
		.uid = 10001,
		.gid = 4000000000,
		.uuid = uuid,
	};

	expect_line(
		&e, "d /p 100 1052 10001 -294967296 0 uuid \\xdead0000000000000000000000000001\n");
	e.uuid = NULL;
	expect_line(&e, "d /p 100 1052 10001 -294967296 0\n");
	e.negative = true;
	expect_line(&e, "d /p 100\n");
}

Test(upcall, what_does_not_fit_is_an_error)
{
	struct upcall_entry e = {
		.cache = UPCALL_EXPORT, .negative = true, .expiry = 1, .domain = "d", .path = "/p"};
	char text[8];

	cr_expect_eq(upcall_format(&e, text, 7), 7);
	cr_expect_eq(upcall_format(&e, text, 6), -ENAMETOOLONG);
	cr_expect_eq(upcall_format(&e, text, 0), -ENAMETOOLONG);
}
