/* SPDX-License-Identifier: Apache-2.0 */
/* Whose listeners nfsd has, and the record of our own. */
#include "nfs/listeners.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "nfs/server_record.h"

static void put(struct listeners *to, const char *text, uint16_t port)
{
	struct addr addr = {.family = strchr(text, ':') ? AF_INET6 : AF_INET};

	if (strcmp(text, "0.0.0.0") != 0 && strcmp(text, "::") != 0)
		cr_assert_eq(addr_parse(text, &addr), 0);
	listeners_add(to, &addr, port);
}

static void expect_foreign(const char *portlist, const struct listeners *sockets,
	const struct listeners *ours, const char *foreign)
{
	struct listeners_verdict v;

	listeners_judge(portlist, sockets, ours, &v);
	cr_expect_str_eq(v.foreign, foreign, "%s: %s", portlist, v.foreign);
}

Test(listeners, ours_are_not_foreign)
{
	struct listeners ours = {0};
	struct listeners_verdict v;

	put(&ours, "10.20.0.1", 20490);
	put(&ours, "fd20::1", 20490);
	listeners_judge("tcp 20490\ntcp 20490\n", &ours, &ours, &v);
	cr_expect_str_empty(v.foreign);
	cr_expect_eq(v.n_nfsd, 2);
	cr_expect_eq(v.n_ours, 2);
}

Test(listeners, a_stopped_nfsd_has_none)
{
	struct listeners ours = {0}, sockets = {0};

	put(&ours, "10.20.0.1", 20490);
	put(&sockets, "0.0.0.0", 20490); /* some other program's: not nfsd's business */
	expect_foreign("", &sockets, &ours, "");
}

Test(listeners, names_the_foreign_one)
{
	struct listeners ours = {0}, sockets = {0};

	put(&ours, "10.20.0.1", 20490);
	put(&sockets, "10.20.0.1", 20490);
	put(&sockets, "::", 2049);
	expect_foreign("tcp 20490\ntcp 2049\n", &sockets, &ours, "tcp [::]:2049");
	expect_foreign("tcp 20490\nudp 2049\n", &sockets, &ours, "udp 2049");
	expect_foreign("rdma 20490\n", &sockets, &ours, "rdma 20490");
}

Test(listeners, a_wildcard_at_our_port_is_foreign)
{
	struct listeners ours = {0}, sockets = {0};

	put(&ours, "10.20.0.1", 20490);
	put(&sockets, "0.0.0.0", 20490);
	expect_foreign("tcp 20490\n", &sockets, &ours, "tcp 0.0.0.0:20490");
}

Test(listeners, the_record_tells_of_former_listeners)
{
	struct addr listen[2];
	struct exporter_config config = {.listen = listen,
		.n_listen = 2,
		.port = 20490,
		.threads = 4,
		.lease_seconds = 30,
		.grace_seconds = 30,
		.server_scope = "node-a"};
	struct listeners known = {0};
	char *text;

	cr_assert_eq(addr_parse("10.20.0.1", &listen[0]), 0);
	cr_assert_eq(addr_parse("fd20::1", &listen[1]), 0);
	text = server_record_text(&config);
	cr_assert_str_eq(text, "scope node-a\nlease 30\ngrace 30\nthreads 4\n"
			       "listen 10.20.0.1 20490\nlisten fd20::1 20490\n");
	server_record_listeners(text, &known);
	cr_expect_eq(known.n, 2);
	cr_expect(listeners_have(&known, &(struct listener){.addr = listen[1], .port = 20490}));
	cr_expect_not(listeners_have(&known, &(struct listener){.addr = listen[1], .port = 2049}));
	server_record_listeners("listen 10.20.0.300 1\nlisten\nlisten 0.0.0.0 2049\n", &known);
	cr_expect_eq(known.n, 2, "malformed lines and wildcards tell nothing");
	free(text);
}
