/* SPDX-License-Identifier: Apache-2.0 */
/* The daemon's command line: every option taken, every bad value refused by its option's name. */
#include "mountd/options.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nfs/export.h"
#include "nfs/mount.h"

static char fault[OPTIONS_FAULT_SIZE];

static int parse(struct options *o, char *one, char *two)
{
	char *argv[] = {"kora-sandbox-mount", one, two, NULL};

	fault[0] = '\0';
	return options_parse(one ? two ? 3 : 2 : 1, argv, o, fault);
}

Test(options, defaults)
{
	struct options o;

	cr_assert_eq(parse(&o, NULL, NULL), 0);
	cr_expect_eq(o.action, ACTION_RUN);
	cr_expect_eq(o.n_listen, 0);
	cr_expect_eq(o.port, 20490);
	cr_expect_eq(o.threads, 8);
	cr_expect_eq(o.lease_seconds, 30);
	cr_expect_eq(o.grace_seconds, 30);
	cr_expect_str_eq(o.state_dir, "/var/lib/kora-sandbox-mount");
	cr_expect_str_eq(o.runtime_dir, "/run/kora-sandbox-mount");
	cr_expect_eq(o.mount_timeout_seconds, 20);
	cr_expect_str_eq(o.node_name, "");
}

Test(options, every_value_arrives)
{
	char *argv[] = {"kora-sandbox-mount", "--listen", "10.20.0.1", "--listen=fd20::1", "--port",
		"2050", "--threads", "16", "--lease", "10", "--grace", "3600", "--state-dir", "/a",
		"--runtime-dir", "/b", "--spec-dir", "/c", "--control-group", "kora", "--node-name",
		"Node_1.x", "--mount-timeout", "7", "--mask-rung", "beneath", "--mask-rung",
		"netlink-cache", "--log-format", "json", "--log-level", "debug", "--check", NULL};
	struct options o;

	cr_assert_eq(
		options_parse(sizeof argv / sizeof *argv - 1, argv, &o, fault), 0, "%s", fault);
	cr_expect_eq(o.n_listen, 2);
	cr_expect_eq(o.listen[1].family, AF_INET6);
	cr_expect_eq(o.port, 2050);
	cr_expect_eq(o.threads, 16);
	cr_expect_eq(o.lease_seconds, 10);
	cr_expect_eq(o.grace_seconds, 3600);
	cr_expect_str_eq(o.state_dir, "/a");
	cr_expect_str_eq(o.runtime_dir, "/b");
	cr_expect_str_eq(o.spec_dir, "/c");
	cr_expect_str_eq(o.control_group, "kora");
	cr_expect_str_eq(o.node_name, "Node_1.x");
	cr_expect_eq(o.mount_timeout_seconds, 7);
	cr_expect_eq(o.masked_mount_rungs, MOUNT_RUNG_BENEATH);
	cr_expect_eq(o.masked_export_rungs, EXPORT_RUNG_NETLINK_CACHE);
	cr_expect_eq(o.log_format, LOG_FORMAT_JSON);
	cr_expect_eq(o.log_level, LOG_LEVEL_DEBUG);
	cr_expect_eq(o.action, ACTION_CHECK);
}

Test(options, grace_follows_the_lease)
{
	struct options o;

	cr_assert_eq(parse(&o, "--lease", "45"), 0);
	cr_expect_eq(o.grace_seconds, 45);
}

Test(options, refused_by_name)
{
	static char *const bad[][2] = {
		{"--listen", "0.0.0.0"},
		{"--listen", "::"},
		{"--listen", "fe80::1"},
		{"--listen", "node-1"},
		{"--listen", ""},
		{"--listen", "10.0.0.1,"},
		{"--listen", ",10.0.0.1"},
		{"--listen", "10.0.0.1,10.0.0.1"},
		{"--port", "0"},
		{"--port", "65536"},
		{"--port", "nfs"},
		{"--port", "+1"},
		{"--threads", "0"},
		{"--threads", "257"},
		{"--lease", "0"},
		{"--lease", "9"},
		{"--lease", "3601"},
		{"--lease", "10s"},
		{"--grace", "0"},
		{"--grace", "9"},
		{"--grace", "3601"},
		{"--grace", "99999999999999999999"},
		{"--state-dir", "relative"},
		{"--state-dir", "/a/../b"},
		{"--runtime-dir", ""},
		{"--runtime-dir", "/12345678901234567890123456789012345678901234567890"
				  "1234567890123456789012345678901"},
		{"--spec-dir", "/a\nb"},
		{"--control-group", ""},
		{"--node-name", "a b"},
		{"--node-name", ""},
		{"--mount-timeout", "0"},
		{"--mask-rung", "all"},
		{"--log-format", "xml"},
		{"--log-level", "loud"},
	};

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct options o;

		cr_expect_eq(
			parse(&o, bad[i][0], bad[i][1]), -EINVAL, "%s %s", bad[i][0], bad[i][1]);
		cr_expect_eq(strncmp(fault, bad[i][0], strlen(bad[i][0])), 0, "%s: %s", bad[i][0],
			fault);
	}
}

Test(options, malformed_lines)
{
	struct options o;

	cr_expect_eq(parse(&o, "--nonsense", NULL), -EINVAL);
	cr_expect(strstr(fault, "--nonsense"), "%s", fault);
	cr_expect_eq(parse(&o, "--port", NULL), -EINVAL);
	cr_expect(strstr(fault, "--port"), "%s", fault);
	cr_expect_eq(parse(&o, "--check=yes", NULL), -EINVAL);
	cr_expect_eq(parse(&o, "--l", "x"), -EINVAL, "ambiguous");
	cr_expect_eq(parse(&o, "-x", NULL), -EINVAL);
	cr_expect_eq(parse(&o, "specs", NULL), -EINVAL);
	cr_expect(strstr(fault, "specs"), "%s", fault);
}

Test(options, the_same_address_twice)
{
	char *argv[] = {"x", "--listen", "10.0.0.1", "--listen", "::ffff:10.0.0.1", NULL};
	struct options o;

	cr_expect_eq(options_parse(5, argv, &o, fault), -EINVAL);
	cr_expect(strstr(fault, "twice"), "%s", fault);
}

Test(options, addresses_by_comma)
{
	char *argv[] = {"x", "--listen", "10.0.0.1,fd00::1", "--listen=10.0.0.2", NULL};
	struct options o;
	char text[ADDR_TEXT_SIZE];

	cr_assert_eq(options_parse(4, argv, &o, fault), 0, "%s", fault);
	cr_assert_eq(o.n_listen, 3);
	addr_format(&o.listen[1], text);
	cr_expect_str_eq(text, "fd00::1");
}

Test(options, help_names_every_option)
{
	static const char *const names[] = {"listen", "port", "threads", "lease", "grace",
		"state-dir", "runtime-dir", "spec-dir", "control-group", "node-name",
		"mount-timeout", "mask-rung", "log-format", "log-level", "check", "version",
		"help"};
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	options_help(out);
	(void)fclose(out);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		char option[32];

		(void)snprintf(option, sizeof option, "--%s ", names[i]);
		cr_expect(strstr(text, option), "%s", option);
	}
	for (const char *s = text; *s; s += strcspn(s, "\n") + 1)
		cr_expect_leq(strcspn(s, "\n"), 100);
	free(text);
}

Test(options, a_word_of_letters_is_named_by_its_first)
{
	struct options o;

	cr_expect_eq(parse(&o, "-xy", NULL), -EINVAL);
	cr_expect(strncmp(fault, "-x: unknown", 11) == 0, "%s", fault);
	cr_expect_eq(parse(&o, "--prot", NULL), -EINVAL);
	cr_expect(strncmp(fault, "--prot: unknown", 15) == 0, "%s", fault);
}
