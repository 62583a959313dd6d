/* SPDX-License-Identifier: Apache-2.0 */
/* Which servers the kernel's client still holds, from its own table. */
#include "nfs/client_state.h"

#include "nfs/client_ending.h"
#include "nfs/client_lease.h"

#include <criterion/criterion.h>
#include <stdio.h>

static const char table[] = "NV SERVER   PORT USE HOSTNAME\n"
			    "v4 0a140001 500a   2 10.20.0.1\n"
			    "v3 0a140002 500a   1 10.20.0.2\n"
			    "v4 fd200000000000000000000000000001  801   1 fd20::1\n";

static bool names(const char *address, uint16_t port)
{
	struct addr addr;

	cr_assert_eq(addr_parse(address, &addr), 0);
	return client_state_names(table, &addr, port);
}

Test(client_state, finds_what_is_there)
{
	cr_expect(names("10.20.0.1", 20490));
	cr_expect(names("fd20::1", 2049));
}

Test(client_state, takes_no_other_port_address_or_version)
{
	cr_expect_not(names("10.20.0.1", 2049));
	cr_expect_not(names("10.20.0.2", 20490));
	cr_expect_not(names("10.20.0.11", 20490));
	cr_expect_not(names("fd20::1", 20490));
	cr_expect_not(names("fd20::2", 2049));
}

static bool names_other_port(const char *text, const char *address)
{
	struct addr addr;

	cr_assert_eq(addr_parse(address, &addr), 0);
	return client_state_names_other_port(text, &addr, 20490);
}

Test(client_state, another_port_of_a_server)
{
	static const char *const others[] = {
		"v4 0a140001  801   1 10.20.0.1\n",
		"v3 0a140001    0   1 10.20.0.1\n",
		"v3 0a140001 500b   1 10.20.0.1\n",
	};
	char text[512];

	cr_expect_not(names_other_port(table, "10.20.0.1"));
	cr_expect_not(names_other_port(table, "10.20.0.3"), "unknown");
	cr_expect(names_other_port(table, "fd20::1"));
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		(void)snprintf(text, sizeof text, "%s%s", table, others[i]);
		cr_expect(names_other_port(text, "10.20.0.1"), "%s", others[i]);
		(void)snprintf(text, sizeof text, "%s%s", others[i], table);
		cr_expect(names_other_port(text, "10.20.0.1"), "%s", others[i]);
	}
}

static const char volumes[] =
	"NV SERVER   PORT DEV          FSID                              FSC\n"
	"v4 0a140001 500a 0:51         f2f6a1b2c3d4e5f6:0102030405060708  no \n"
	"v4 0a140002 500a 0:5          f2f6a1b2c3d4e5f6:0102030405060709  no \n"
	"v4 0a140003 500a 0:52         f2f6a1b2c3d4e5f6:010203040506070a  no \n";

Test(client_state, a_mount_whose_client_is_in_no_order_is_shut)
{
	cr_expect_not(client_state_is_shut(volumes, table, 0, 51));
	cr_expect(client_state_is_shut(volumes, table, 0, 5), "only NFSv3 of that server is there");
	cr_expect(client_state_is_shut(volumes, table, 0, 52));
	cr_expect_not(client_state_is_shut(volumes, table, 0, 53), "unknown");
	cr_expect_not(client_state_is_shut("", "", 0, 51));
}

Test(client_state, volumes_of_one_server)
{
	const char *rest = volumes;
	unsigned major = 0, minor = 0;
	struct addr addr;

	cr_assert_eq(addr_parse("10.20.0.2", &addr), 0);
	cr_assert(client_state_next_volume(&rest, &addr, 20490, &major, &minor));
	cr_expect(major == 0 && minor == 5);
	cr_expect_not(client_state_next_volume(&rest, &addr, 20490, &major, &minor));
	rest = volumes;
	cr_expect_not(client_state_next_volume(&rest, &addr, 2049, &major, &minor));
	cr_expect(client_state_owns_volume(volumes, &addr, 20490, 0, 5));
	cr_expect_not(client_state_owns_volume(volumes, &addr, 20490, 0, 51), "another server's");
	cr_expect_not(client_state_owns_volume(volumes, &addr, 20490, 0, 6), "gone");
	rest = "";
	cr_expect_not(client_state_next_volume(&rest, &addr, 20490, &major, &minor));
}

Test(client_ending, the_port_of_a_transport)
{
	static const char info[] = "num_reqs=2\nsrc_port=893\ntasks_queuelen=1\ndst_port=20490\n";

	cr_expect_eq(client_ending_port(info), 20490);
	cr_expect_eq(client_ending_port("src_port=20490\n"), 0);
	cr_expect_eq(client_ending_port("<closed>\n"), 0, "as without a connection");
}

static const char *const stats[] = {
	"device /dev/vda mounted on / with fstype ext4\n",
	"device 10.20.0.11:/workspaces/a/i mounted on /a with fstype nfs4 statvers=1.1\n",
	"\topts:\trw,vers=4.2,port=20490,timeo=600\n",
	"\tnfsv4:\tbm0=0xfd,sessions,pnfs=not configured,lease_time=30,lease_expired=1\n",
	"device 10.20.0.1:/x mounted on /b with fstype nfs4 statvers=1.1\n",
	"\topts:\trw,vers=4.2,port=2049,timeo=600\n",
	"\tnfsv4:\tbm0=0xfd,sessions,pnfs=not configured,lease_time=30,lease_expired=2\n",
	"device 10.20.0.1:/workspaces/c/i mounted on /c with fstype nfs4 statvers=1.1\n",
	"\topts:\trw,vers=4.2,port=20490,timeo=600\n",
	"\tnfsv4:\tbm0=0xfd,sessions,pnfs=not configured,lease_time=30,lease_expired=3\n",
	"device 10.20.0.1:/workspaces/e/i mounted on /e with fstype nfs4 statvers=1.1\n",
	"\topts:\trw,vers=4.2,port=20490,timeo=600\n",
	"\tnfsv4:\tbm0=0xfd,sessions,pnfs=not configured,lease_time=30,lease_expired=500\n",
	"device [fd20::1]:/workspaces/d/i mounted on /d with fstype nfs4 statvers=1.1\n",
	"\topts:\trw,vers=4.2,port=20490,timeo=600\n",
	"\tnfsv4:\tbm0=0xfd,sessions,pnfs=not configured,lease_time=30,lease_expired=4\n",
};

static unsigned lease_over_s(const char *address, uint16_t port)
{
	struct client_lease_walk walk = {.port = port};
	struct addr addr;

	cr_assert_eq(addr_parse(address, &addr), 0);
	walk.server = &addr;
	for (size_t i = 0; i < sizeof stats / sizeof *stats; i++)
		client_lease_line(&walk, stats[i]);
	cr_expect_eq(walk.best.length_s, walk.best.over_s ? 30 : 0);
	return walk.best.over_s;
}

Test(client_lease, is_that_of_the_server_and_port)
{
	cr_expect_eq(lease_over_s("10.20.0.1", 20490), 3);
	cr_expect_eq(lease_over_s("10.20.0.1", 2049), 2);
	cr_expect_eq(lease_over_s("10.20.0.11", 20490), 1);
	cr_expect_eq(lease_over_s("fd20::1", 20490), 4);
	cr_expect_eq(lease_over_s("10.20.0.2", 20490), 0);
}
