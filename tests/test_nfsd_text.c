/* SPDX-License-Identifier: Apache-2.0 */
/* The texts that nfsd and its sockets show. */
#include "nfs/nfsd_text.h"

#include <criterion/criterion.h>
#include <limits.h>

Test(nfsd_text, reads_portlist)
{
	const char *text = "tcp 20490\nudp 2049\n\nrubbish\ntcp 2049\n";
	struct nfsd_port port;

	cr_assert_eq(nfsd_portlist_next(&text, &port), 1);
	cr_expect_str_eq(port.transport, "tcp");
	cr_expect_eq(port.port, 20490);
	cr_assert_eq(nfsd_portlist_next(&text, &port), 1);
	cr_expect_str_eq(port.transport, "udp");
	cr_assert_eq(nfsd_portlist_next(&text, &port), 1);
	cr_expect_eq(port.port, 2049);
	cr_expect_eq(nfsd_portlist_next(&text, &port), 0);
}

static void expect_listener(const char **text, const char *addr, uint16_t port)
{
	struct listener l;
	char printed[ADDR_TEXT_SIZE];

	cr_assert_eq(proc_tcp_next(text, &l), 1, "%s", addr);
	addr_format(&l.addr, printed);
	cr_expect_str_eq(printed, addr);
	cr_expect_eq(l.port, port);
}

Test(nfsd_text, reads_listening_sockets)
{
	const char *v4 =
		"  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt\n"
		"   0: 0100000A:500A 00000000:0000 0A 00000000:00000000 00:00000000 00000000 0\n"
		"   1: 0100000A:500A 0200000A:0309 01 00000000:00000000 00:00000000 00000000 0\n"
		"   2: 00000000:0801 00000000:0000 0A 00000000:00000000 00:00000000 00000000 0\n";
	const char *v6 = "   0: 000020FD000000000000000001000000:500A "
			 "00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000\n"
			 "   1: 00000000000000000000000000000000:0801 "
			 "00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000\n";
	struct listener l;

	expect_listener(&v4, "10.0.0.1", 20490);
	expect_listener(&v4, "0.0.0.0", 2049);
	cr_expect_eq(proc_tcp_next(&v4, &l), 0);
	expect_listener(&v6, "fd20::1", 20490);
	expect_listener(&v6, "::", 2049);
	cr_expect_eq(proc_tcp_next(&v6, &l), 0);
}

Test(nfsd_text, reads_states_of_both_kernels)
{
	const char *text =
		"- 0x01: { type: open, access: -w, deny: --, superblock: \"fe:00:14\", filename: "
		"\"sandbox/f\", owner: \"open id:\\x00\" }\n"
		"- 0x02: { type: lock, superblock: \"fe:10:4294967300\", filename: \"f\" }\n"
		"- 0x03: { type: open, access: --, deny: --, owner: \"open\", admin-revoked }\n"
		"- 0x04: { type: deleg, access: wa, superblock: \"00:2a:7\", filename: \"r\" }\n";
	struct nfsd_state s;

	cr_assert_eq(nfsd_states_next(&text, &s), 1);
	cr_expect(s.major == 0xfe && s.minor == 0 && s.inode == 14);
	cr_assert_eq(nfsd_states_next(&text, &s), 1);
	cr_expect(s.major == 0xfe && s.minor == 0x10 && s.inode == 4294967300);
	cr_assert_eq(nfsd_states_next(&text, &s), 1);
	cr_expect(s.major == 0 && s.minor == 0x2a && s.inode == 7, "a revoked one is skipped");
	cr_expect_eq(nfsd_states_next(&text, &s), 0);
}

Test(nfsd_text, a_file_name_hides_no_state)
{
	const char *text = "- 0x01: { type: open, superblock: \"fe:00:14\", filename: \"x\n"
			   "\", superblock: \"fe:00:99\", owner: \"y\" }\n"
			   "- 0x02: { type: open, superblock: \"fe:00:15\", filename: \"z\" }\n";
	struct nfsd_state s;

	cr_assert_eq(nfsd_states_next(&text, &s), 1);
	cr_expect_eq(s.inode, 14);
	cr_assert_eq(nfsd_states_next(&text, &s), 1);
	cr_expect_eq(s.inode, 15);
	cr_expect_eq(nfsd_states_next(&text, &s), 0);
}

Test(nfsd_text, reads_a_clients_address)
{
	static const struct {
		const char *info, *address;
	} cases[] = {
		{"clientid: 0x1\naddress: \"10.20.0.2:921\"\nstatus: confirmed\n", "10.20.0.2"},
		{"address: \"[fd20::2]:921\"\n", "fd20::2"},
		{"address: \"10.20.0.2:921\"\nname: \"x\naddress: \\\"10.20.0.3:1\\\"\"\n",
			"10.20.0.2"},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct addr addr;
		char text[ADDR_TEXT_SIZE];
		cr_assert_eq(nfsd_client_address(cases[i].info, &addr), 0);
		addr_format(&addr, text);
		cr_expect_str_eq(text, cases[i].address);
	}
}

Test(nfsd_text, a_client_without_an_address_has_none)
{
	static const char *const infos[] = {"", "clientid: 0x1\n", "address: \"\"\n",
		"address: \"(einval)\"\n", "name: \"address: 10.20.0.2:1\"\n"};

	for (size_t i = 0; i < sizeof infos / sizeof *infos; i++) {
		struct addr addr;
		cr_expect_lt(nfsd_client_address(infos[i], &addr), 0, "%s", infos[i]);
	}
}

Test(nfsd_text, reads_a_clients_condition)
{
	static const struct {
		const char *info;
		bool confirmed, recall_failed;
		unsigned quiet;
		bool revoked;
	} cases[] = {
		{"address: \"10.20.0.2:9\"\nstatus: confirmed\nseconds from last renew: 7\n"
		 "name: \"x\"\ncallback state: UP\nadmin-revoked states: 0\n",
			true, false, 7, false},
		{"address: \"10.20.0.2:9\"\nstatus: courtesy\nseconds from last renew: 51\n"
		 "callback state: FAULT\nadmin-revoked states: 2\n",
			true, true, 51, true},
		{"address: \"10.20.0.2:9\"\nstatus: unconfirmed\n", false, false, UINT_MAX, false},
		{"address: \"10.20.0.2:9\"\nseconds from last renew: 1\n"
		 "seconds from last renew: 99\n",
			false, false, 1, false},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct nfsd_client client;
		cr_assert_eq(nfsd_client_parse(cases[i].info, &client), 0);
		cr_expect_eq(client.confirmed, cases[i].confirmed, "%zu", i);
		cr_expect_eq(client.recall_failed, cases[i].recall_failed, "%zu", i);
		cr_expect_eq(client.quiet_seconds, cases[i].quiet, "%zu", i);
		cr_expect_eq(client.holds_revoked, cases[i].revoked, "%zu", i);
	}
}
