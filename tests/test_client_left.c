/* SPDX-License-Identifier: Apache-2.0 */
/* Whom the kernel's client still holds for mounts that show nowhere. */
#include "nfs/client_left.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "nfs/client_table.h"

#define FSID " f2f6a1b2c3d4e5f6:0102030405060708  no \n"

static const char volumes[] =
	"NV SERVER   PORT DEV          FSID                              FSC\n"
	"v4 0a140001 500a 0:51        " FSID "v3 0a140002 500a 0:52        " FSID
	"v4 fd200000000000000000000000000001  801 0:53        " FSID;

static bool next(const char **table, char text[ADDR_TEXT_SIZE + 8], const char **ret_rest)
{
	char address[ADDR_TEXT_SIZE];
	struct client_line line;

	if (!client_table_next(table, &line))
		return false;
	addr_format(&line.server, address);
	(void)snprintf(text, ADDR_TEXT_SIZE + 8, "%s %u", address, line.port);
	*ret_rest = line.rest;
	return true;
}

Test(client_table, lines_of_nfsv4)
{
	const char *table = volumes, *rest;
	char text[ADDR_TEXT_SIZE + 8];

	cr_assert(next(&table, text, &rest));
	cr_expect_str_eq(text, "10.20.0.1 20490");
	cr_expect_eq(strncmp(rest, "0:51 ", 5), 0);
	cr_assert(next(&table, text, &rest));
	cr_expect_str_eq(text, "fd20::1 2049");
	cr_expect_eq(strncmp(rest, "0:53 ", 5), 0);
	cr_expect_not(next(&table, text, &rest));
	cr_expect_not(next(&table, text, &rest), "it stays at its end");
}

Test(client_table, passes_over_what_it_does_not_know)
{
	static const char *const lines[] = {
		"",
		"\n",
		"v4",
		"v4 0a140001",
		"v4 0a1400 500a   2 10.20.0.1",
		"v4 0a14000102 500a   2 10.20.0.1",
		"v4 0a14000x 500a   2 10.20.0.1",
		"v4 00000000 500a   2 0.0.0.0",
		"v4 fe800000000000000000000000000001 500a   2 fe80::1%eth0",
		"v4 00000000000000000000ffff0a140001 500a   2 ::ffff:10.20.0.1",
		"v4 fd2000000000000000000000000000010 500a   2 fd20::1",
		"v41 0a140001 500a   2 10.20.0.1",
	};
	struct client_line line;
	const char *table = NULL;

	cr_expect_not(client_table_next(&table, &line));
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		table = lines[i];
		cr_expect_not(client_table_next(&table, &line), "%s", lines[i]);
	}
}

static bool is_of_port(const void *data, const struct addr *server, uint16_t port)
{
	(void)server;
	return port == *(const uint16_t *)data;
}

#define ROOT "21 1 254:0 / / rw - ext4 /dev/vda rw\n"

/* "10.20.0.1 10.20.0.3" for these tables. */
static const char *found(const char *volume_lines, const char *servers, const char *mounts)
{
	static char text[8192];
	static const uint16_t port = 20490;
	struct actual_mounts shown = {0}, none = {0};
	struct client_left_view view = {volume_lines, servers, &shown, &none};
	struct client_left left;
	char *end = text;

	cr_assert_eq(actual_mounts_parse(mounts, strlen(mounts), &shown), 0);
	client_left_find(&view, is_of_port, &port, &left);
	*end = '\0';
	for (size_t i = 0; i < left.n; i++) {
		char address[ADDR_TEXT_SIZE];

		addr_format(&left.server[i].addr, address);
		cr_expect_eq(left.server[i].port, port);
		end += sprintf(end, "%s%s", i ? " " : "", address);
	}
	view.shown = NULL;
	view.host_shown = &shown;
	size_t n = left.n;
	client_left_find(&view, is_of_port, &port, &left);
	cr_expect_eq(left.n, n, "shown to us or to init: both are");
	actual_mounts_clear(&shown);
	return text;
}

#define SERVERS \
	"NV SERVER   PORT USE HOSTNAME\n" \
	"v4 0a140001 500a   2 10.20.0.1\n" \
	"v4 fd200000000000000000000000000001 500a   1 fd20::1\n"

#define SHOWS(device) ROOT "36 21 " device " / /a rw shared:1 - nfs4 10.20.0.1:/x rw,port=20490\n"

Test(client_left, who_is_detached)
{
	static const char lines[] = "v4 0a140001 500a 0:51" FSID "v4 0a140001 500a 0:52" FSID
				    "v4 fd200000000000000000000000000001 500a 0:53" FSID;

	cr_expect_str_eq(found(lines, SERVERS, ROOT), "10.20.0.1 fd20::1");
	cr_expect_str_eq(found(lines, SERVERS, SHOWS("0:51")), "10.20.0.1 fd20::1");
	cr_expect_str_eq(found("", SERVERS, ROOT), "");
	cr_expect_str_eq(found(NULL, NULL, ROOT), "", "no client is in this kernel");
}

Test(client_left, what_shows_is_not_left)
{
	static const char lines[] = "v4 0a140001 500a 0:51" FSID;

	cr_expect_str_eq(found(lines, SERVERS, SHOWS("0:51")), "");
	cr_expect_str_eq(found(lines, SERVERS, SHOWS("0:5")), "10.20.0.1", "another device");
	cr_expect_str_eq(found(lines, SERVERS, SHOWS("1:51")), "10.20.0.1", "another device");
}

Test(client_left, other_ports_and_versions_are_not_asked_for)
{
	cr_expect_str_eq(found("v4 0a140001  801 0:51" FSID, SERVERS, ROOT), "");
	cr_expect_str_eq(found("v3 0a140001 500a 0:51" FSID, SERVERS, ROOT), "");
	cr_expect_str_eq(found("v4 0a140001 500a\n", SERVERS, ROOT), "", "it has no device");
}

/* Ours are mounted by address, those of others mostly by name. */
Test(client_left, who_was_mounted_by_name_is_not_ours)
{
	static const char lines[] = "v4 0a140001 500a 0:51" FSID;

	cr_expect_str_eq(found(lines, "v4 0a140001 500a   2 files.example\n", ROOT), "");
	cr_expect_str_eq(found(lines, "v4 0a140001 500a   2 10.20.0.11\n", ROOT), "");
	cr_expect_str_eq(found(lines, "v4 0a140001 500a   2\n", ROOT), "");
	cr_expect_str_eq(found(lines, "v4 0a140001  801   2 10.20.0.1\n", ROOT), "");
	cr_expect_str_eq(found(lines, "", ROOT), "", "it has just gone");
}

/* The kernel has a client for each minor version, of which the tables do not tell. */
Test(client_left, who_was_mounted_by_address_beside_a_name_is_perhaps_ours)
{
	static const char lines[] = "v4 0a140001 500a 0:51" FSID;
	static const char name[] = "v4 0a140001 500a   2 files.example\n";
	char servers[128];

	(void)snprintf(servers, sizeof servers, "%s%s", name, "v4 0a140001 500a   1 10.20.0.1\n");
	cr_expect_str_eq(found(lines, servers, ROOT), "10.20.0.1");
	(void)snprintf(servers, sizeof servers, "%s%s", "v4 0a140001 500a   1 10.20.0.1\n", name);
	cr_expect_str_eq(found(lines, servers, ROOT), "10.20.0.1");
	(void)snprintf(servers, sizeof servers, "%s%s", name, name);
	cr_expect_str_eq(found(lines, servers, ROOT), "");
}

Test(client_left, no_more_than_there_is_room_for)
{
	static char lines[100 * 128], servers[100 * 64];
	static const uint16_t port = 20490;
	struct client_left_view view = {lines, servers, NULL, NULL};
	struct client_left left;
	char *v = lines, *s = servers;

	for (unsigned i = 1; i <= CLIENT_LEFT_MAX; i++) {
		v += sprintf(v, "v4 0a1400%02x 500a 0:%u" FSID, i, 50 + i);
		s += sprintf(s, "v4 0a1400%02x 500a   1 10.20.0.%u\n", i, i);
	}
	client_left_find(&view, is_of_port, &port, &left);
	cr_expect_eq(left.n, CLIENT_LEFT_MAX);
	cr_expect_not(left.more);
	(void)sprintf(v, "v4 0a1400ff 500a 0:200" FSID);
	(void)sprintf(s, "v4 0a1400ff 500a   1 10.20.0.255\n");
	client_left_find(&view, is_of_port, &port, &left);
	cr_expect_eq(left.n, CLIENT_LEFT_MAX);
	cr_expect(left.more);
}
