/* SPDX-License-Identifier: Apache-2.0 */
/* doctor's reading of the kernel's socket tables. */
#include "mountd/ctl_doctor.h"

#include <criterion/criterion.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static struct doctor_listener l;

static void expect_address(const char *expected)
{
	char text[ADDR_TEXT_SIZE];

	addr_format(&l.addr, text);
	cr_expect_str_eq(text, expected);
}

Test(ctl_doctor, reads_listeners)
{
	cr_assert_eq(doctor_listener_parse("   0: 0114140A:500A 00000000:0000 0A 00000000:00000000 "
					   "00:00000000 00000000     0        0 12345 1 x 100\n",
			     &l),
		0);
	cr_expect_eq(l.port, 20490);
	cr_expect_eq(l.inode, 12345);
	cr_expect_not(l.wildcard);
	expect_address("10.20.20.1");
	cr_assert_eq(
		doctor_listener_parse("  10: 000020FD000000000000000002000000:0801 "
				      "00000000000000000000000000000000:0000 0A 00000000:00000000 "
				      "00:00000000 00000000     0        0 7 1 x\n",
			&l),
		0);
	cr_expect_eq(l.port, 2049);
	expect_address("fd20::2");
	cr_assert_eq(doctor_listener_parse("   0: 00000000:500A 00000000:0000 0A 00000000:00000000 "
					   "00:00000000 00000000     0        0 1 1 x\n",
			     &l),
		0);
	cr_expect(l.wildcard);
}

Test(ctl_doctor, leaves_everything_else)
{
	static const char *const none[] = {"", "  sl  local_address rem_address   st\n",
		"   0: 0114140A:500A", "   0: 0114140A01:500A 00000000:0000 0A 0:0 0:0 0 0 0 1",
		"   0: ZZZZZZZZ:500A 00000000:0000 0A 0:0 0:0 0 0 0 1"};

	for (size_t i = 0; i < sizeof none / sizeof *none; i++)
		cr_expect_eq(doctor_listener_parse(none[i], &l), -EINVAL, "%s", none[i]);
	cr_expect_eq(doctor_listener_parse("   0: 0114140A:500A 0214140A:0400 01 00000000:00000000 "
					   "00:00000000 00000000     0        0 1 1 x\n",
			     &l),
		-ENOENT, "connected, not listening");
}

/* The kernel's own table, and not only what we think it looks like. */
Test(ctl_doctor, finds_a_real_listener)
{
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof in;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	char line[512];
	bool found = false;

	cr_assert_eq(bind(fd, (struct sockaddr *)&in, sizeof in), 0);
	cr_assert_eq(listen(fd, 1), 0);
	cr_assert_eq(getsockname(fd, (struct sockaddr *)&in, &size), 0);
	FILE *file = fopen("/proc/net/tcp", "re");
	cr_assert_not_null(file);
	while (!found && fgets(line, sizeof line, file))
		found = doctor_listener_parse(line, &l) == 0 && l.port == ntohs(in.sin_port);
	cr_assert(found);
	expect_address("127.0.0.1");
	fclose(file);
	close(fd);
}
