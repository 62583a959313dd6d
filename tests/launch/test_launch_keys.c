/* SPDX-License-Identifier: Apache-2.0 */
/* Options and configuration files: what is accepted, what is refused and how it is said. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harden/config.h"
#include "harden/keys.h"
#include "harden/options.h"
#include "harden/parse.h"

static struct policy policy;
static struct fail why;

static void setup(void)
{
	cr_assert_eq(policy_init(&policy), 0);
	why.text[0] = '\0';
}

static void teardown(void)
{
	policy_done(&policy);
}

TestSuite(keys, .init = setup, .fini = teardown);

static int options(char **argv)
{
	int argc = 0;

	while (argv[argc])
		argc++;
	return options_apply(&policy, argc, argv, &why);
}

#define OPTIONS(...) options((char *[]){(char *)"kora-launch", __VA_ARGS__, NULL})
#define CONFIG(text) config_parse(&policy, "f", text, sizeof(text) - 1, &why)

Test(keys, every_name_is_unique_and_has_help)
{
	for (size_t i = 0; i < n_keys; i++) {
		cr_expect_eq(key_find(keys[i].name), (int)i, "%s", keys[i].name);
		cr_expect(keys[i].help[0] && keys[i].set, "%s", keys[i].name);
	}
	cr_expect_eq(key_find("nothing"), -ENOENT);
}

Test(keys, options_set_fields)
{
	cr_assert_eq(OPTIONS((char *)"--run=r1", (char *)"--uid", (char *)"10001",
			     (char *)"--tcp-connect", (char *)"443,8000-8010",
			     (char *)"--verify=no", (char *)"--init"),
		0, "%s", why.text);
	cr_expect_str_eq(policy.run, "r1");
	cr_expect_eq(policy.uid, 10001);
	cr_expect(ports_have(&policy.tcp_connect, 443) && ports_have(&policy.tcp_connect, 8005));
	cr_expect_not(ports_have(&policy.tcp_connect, 8011));
	cr_expect(policy.init && !policy.verify);
}

Test(keys, options_end_at_the_program)
{
	int program;

	cr_assert_eq(options_early(&policy, 4,
			     (char *[]){(char *)"kora-launch", (char *)"--init", (char *)"sh",
				     (char *)"--uid", NULL},
			     &program, &why),
		0);
	cr_expect_eq(program, 2);
}

Test(keys, an_option_given_twice_is_refused_unless_it_adds_up)
{
	cr_expect_eq(OPTIONS((char *)"--uid=1", (char *)"--uid=2"), -EINVAL);
	cr_expect_str_eq(why.text, "option --uid is given twice");
	cr_expect_eq(OPTIONS((char *)"--read=/a", (char *)"--read=-/b"), 0);
	cr_expect_eq(policy.grants.n, 2);
	cr_expect(policy.grants.v[1].optional && !strcmp(policy.grants.v[1].path, "/b"));
}

Test(keys, no_port_set_has_the_mounts_port)
{
	cr_expect_eq(OPTIONS((char *)"--tcp-connect=20490"), -EINVAL);
	cr_expect_eq(OPTIONS((char *)"--tcp-connect=any", (char *)"--tcp-bind=20000-21000"), 0);
	cr_expect_not(ports_have(&policy.tcp_connect, 20490));
	cr_expect_not(ports_have(&policy.tcp_bind, 20490));
	cr_expect(ports_have(&policy.tcp_connect, 20491));
}

Test(keys, config_names_the_line)
{
	static const struct {
		const char *text, *says;
	} bad[] = {
		{"uid = 1\n\nuid = 2\n", "f:3: duplicate key 'uid', first in line 1"},
		{"# x\nnope = 1", "f:2: unknown key 'nope'"},
		{"uid", "f:1: key = value is needed"},
		{"uid = x", "f:1: uid 'x': a number is needed (names are not resolved: use the "
			    "number of the id)"},
		{"umask = 888", "f:1: umask '888': an octal mask is needed, for example 022"},
		{"verify = perhaps", "f:1: verify 'perhaps': yes or no is needed"},
		{"config = /x", "f:1: 'config' is for the command line only"},
		{"read = etc", "f:1: read 'etc': an absolute path without '.' and '..' is needed"},
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		cr_expect_eq(config_parse(&policy, "f", bad[i].text, strlen(bad[i].text), &why),
			-EINVAL, "%s", bad[i].text);
		cr_expect_str_eq(why.text, bad[i].says);
	}
}

Test(keys, config_takes_comments_and_space)
{
	cr_assert_eq(CONFIG("  # comment\n\n\t uid =  7 \r\nenv = A=b=c\n"), 0, "%s", why.text);
	cr_expect_eq(policy.uid, 7);
	cr_expect_str_eq(policy.env.v[0], "A=b=c");
}

Test(keys, config_refuses_a_zero_byte)
{
	cr_expect_eq(CONFIG("uid = 7\0\nuid = 8\n"), -EINVAL);
	cr_expect_eq(CONFIG("umask = 022\n\0"), -EINVAL);
}

Test(keys, numbers_are_strict)
{
	uint64_t v = 42;

	cr_expect_eq(parse_u64("", 9, &v), -EINVAL);
	cr_expect_eq(parse_u64("+1", 9, &v), -EINVAL);
	cr_expect_eq(parse_u64(" 1", 9, &v), -EINVAL);
	cr_expect_eq(parse_u64("0x1", 99, &v), -EINVAL);
	cr_expect_eq(parse_u64("10", 9, &v), -ERANGE);
	cr_expect_eq(parse_u64("18446744073709551616", UINT64_MAX, &v), -ERANGE);
	cr_expect_eq(v, 42, "untouched on failure");
	cr_expect_eq(parse_u64("18446744073709551615", UINT64_MAX, &v), 0);
	cr_expect_eq(v, UINT64_MAX);
	cr_expect_eq(parse_u64("9", 9, &v), 0);
}

Test(keys, runs_and_paths)
{
	cr_expect(valid_run("a") && valid_run("r-1") && valid_run("0"));
	cr_expect_not(valid_run("") || valid_run("-a") || valid_run("a-") || valid_run("A"));
	cr_expect_not(valid_run("a/b") || valid_run("..") || valid_run("a.b"));
	cr_expect_not(
		valid_run("0123456789012345678901234567890123456789012345678901234567890123"));
	cr_expect(valid_path("/") && valid_path("/a/..b") && valid_path("/a/.b/"));
	cr_expect_not(valid_path("a") || valid_path("/a/..") || valid_path("/./a"));
	cr_expect_not(valid_path("/../a") || valid_path("") || valid_path("/a/."));
}

Test(keys, limits)
{
	struct limit l = {0};

	cr_expect_eq(parse_limit("10", &l), 0);
	cr_expect(l.soft == 10 && l.hard == 10);
	cr_expect_eq(parse_limit("10:unlimited", &l), 0);
	cr_expect(l.soft == 10 && l.hard == UINT64_MAX);
	cr_expect_eq(parse_limit("11:10", &l), -EINVAL);
	cr_expect_eq(parse_limit("10:", &l), -EINVAL);
}

Test(keys, contradictions)
{
	policy.profile = PROFILE_RUNTIME;
	cr_expect_eq(policy_check(&policy, &why), -EINVAL);
	policy.profile = PROFILE_SANDBOX;
	policy.landlock_min = 11;
	cr_expect_eq(policy_check(&policy, &why), -EINVAL);
	policy.landlock_min = 10;
	cr_expect_eq(policy_check(&policy, &why), 0);
}
