/* SPDX-License-Identifier: Apache-2.0 */
/* NFS mount options: what is asked for, and what the kernel's answer is worth. */
#include "nfs/mount_options.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As Linux 6.12 shows a mount made with what mount_options_nfs() asks for. */
static const char good4[] =
	"rw,nosuid,nodev,noatime,rw,vers=4.2,rsize=131072,wsize=131072,namlen=255,acregmin=1,"
	"acregmax=1,acdirmin=1,acdirmax=1,hard,nosharecache,proto=tcp,port=20490,timeo=600,"
	"retrans=2,sec=sys,clientaddr=10.20.0.2,lookupcache=pos,local_lock=none,addr=10.20.0.1";

static struct addr address(const char *text)
{
	struct addr a;

	cr_assert_eq(addr_parse(text, &a), 0);
	return a;
}

static enum options_match compare(const char *options, const char *server, char fault[128])
{
	struct addr a = address(server);

	return mount_options_compare(options, &a, 20490, fault, 128);
}

/* good4 with one option taken for another; NULL drops it. */
static enum options_match compare_changed(const char *option, const char *instead, char fault[128])
{
	char text[512];
	const char *at = strstr(good4, option);

	cr_assert_not_null(at);
	(void)snprintf(text, sizeof text, "%.*s%s%s", (int)(at - good4), good4,
		instead ? instead : "x", at + strlen(option));
	return compare(text, "10.20.0.1", fault);
}

Test(mount_options, asked_for)
{
	struct addr server = address("10.20.0.1"), client = address("10.20.0.2");
	char *options;

	cr_assert_eq(mount_options_nfs(&server, 20490, &client, false, &options), 0);
	cr_expect_str_eq(options,
		"vers=4.2,sec=sys,hard,nosharecache,lookupcache=positive,"
		"actimeo=1,proto=tcp,port=20490,addr=10.20.0.1,clientaddr=10.20.0.2");
	free(options);
	server = address("fd20::1");
	client = address("fd20::2");
	cr_assert_eq(mount_options_nfs(&server, 1, &client, true, &options), 0);
	cr_expect_not_null(strstr(
		options, "proto=tcp6,port=1,addr=fd20::1,clientaddr=fd20::2,rdirplus=force"));
	free(options);
}

Test(mount_options, in_force)
{
	char fault[128];

	cr_expect_eq(compare(good4, "10.20.0.1", fault), OPTIONS_MATCH);
	cr_expect_str_eq(fault, "");
}

Test(mount_options, wrong)
{
	static const char *const changes[][2] = {{"vers=4.2", "vers=4.1"}, {"hard", "soft"},
		{"nosuid", "suid"}, {"nodev", "dev"}, {"sec=sys", "sec=krb5"},
		{"proto=tcp", "proto=rdma"}, {"port=20490", "port=2049"},
		{"addr=10.20.0.1", "addr=10.20.0.9"}, {"addr=10.20.0.1", "addr"}};
	char fault[128];

	for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
		cr_expect_eq(compare_changed(changes[i][0], changes[i][1], fault), OPTIONS_WRONG);
		cr_expect_str_eq(fault, changes[i][0]);
	}
}

Test(mount_options, differ)
{
	char fault[128];

	cr_expect_eq(compare_changed("lookupcache=pos", "lookupcache=none", fault), OPTIONS_DIFFER);
	cr_expect_str_eq(fault, "lookupcache=pos");
	cr_expect_eq(compare_changed("acregmax=1", NULL, fault), OPTIONS_DIFFER);
	cr_expect_str_eq(fault, "acregmax=1");
	cr_expect_eq(compare("vers=4.2", "10.20.0.1", fault), OPTIONS_WRONG);
	cr_expect_lt(strlen(fault), 128);
}

Test(mount_options, one_ipv6_address_in_two_spellings)
{
	static const char good6[] = "nosuid,nodev,noatime,vers=4.2,acregmin=1,acregmax=1,"
				    "acdirmin=1,acdirmax=1,hard,nosharecache,proto=tcp6,port=20490,"
				    "sec=sys,lookupcache=pos,addr=fd20:0:0::0001";
	char fault[128];

	cr_expect_eq(compare(good6, "fd20::1", fault), OPTIONS_MATCH, "%s", fault);
	cr_expect_eq(compare(good6, "fd20::2", fault), OPTIONS_WRONG);
}

Test(mount_options, a_short_fault_is_cut)
{
	struct addr a = address("10.20.0.1");
	char fault[8];

	cr_expect_eq(mount_options_compare("", &a, 20490, fault, sizeof fault), OPTIONS_WRONG);
	cr_expect_str_eq(fault, "proto=t");
}
