/* SPDX-License-Identifier: Apache-2.0 */
/* Is a configuration of the export engine possible? */
#include <criterion/criterion.h>
#include <errno.h>

#include "nfs/export.h"

static struct addr listen_on[2];
static struct exporter_config good(void)
{
	cr_assert_eq(addr_parse("10.20.0.1", &listen_on[0]), 0);
	cr_assert_eq(addr_parse("fd20::1", &listen_on[1]), 0);
	return (struct exporter_config){.listen = listen_on,
		.n_listen = 2,
		.port = 20490,
		.threads = 4,
		.lease_seconds = 10,
		.grace_seconds = 3600,
		.state_dir = "/var/lib/kora",
		.runtime_dir = "/run/kora",
		.server_scope = "node-a"};
}

static void expect_refused(const struct exporter_config *config, const char *field)
{
	struct kerr e = {0};

	cr_expect_eq(exporter_config_check(config, &e), -EINVAL, "%s", field);
	cr_expect_str_eq(e.subject, field);
	cr_expect(e.detail[0]);
}

Test(exporter_config, takes_a_good_one)
{
	struct exporter_config c = good();

	cr_expect_eq(exporter_config_check(&c, NULL), 0);
}

Test(exporter_config, refuses_times_that_nfsd_refuses)
{
	static const unsigned bad[] = {0, 9, 3601};

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct exporter_config c = good();
		c.lease_seconds = bad[i];
		expect_refused(&c, "lease");
		c = good();
		c.grace_seconds = bad[i];
		expect_refused(&c, "grace");
	}
}

Test(exporter_config, refuses_a_wildcard_and_doubles)
{
	struct exporter_config c = good();

	listen_on[1] = listen_on[0];
	expect_refused(&c, "listen");
	listen_on[1] = (struct addr){.family = AF_INET6};
	expect_refused(&c, "listen");
	listen_on[1] = (struct addr){0};
	expect_refused(&c, "listen");
	c.n_listen = 0;
	expect_refused(&c, "listen");
	c = good();
	c.port = 0;
	expect_refused(&c, "port");
}

Test(exporter_config, refuses_the_rest)
{
	struct exporter_config c = good();

	c.threads = 0;
	expect_refused(&c, "threads");
	c = good();
	c.server_scope = "";
	expect_refused(&c, "server scope");
	c.server_scope = "two words";
	expect_refused(&c, "server scope");
	c.server_scope = "0123456789012345678901234567890123456789012345678901234567890123x";
	expect_refused(&c, "server scope");
	c = good();
	c.state_dir = "var/lib";
	expect_refused(&c, "state folder");
	c = good();
	c.runtime_dir = NULL;
	expect_refused(&c, "runtime folder");
}
