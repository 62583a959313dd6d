/* SPDX-License-Identifier: Apache-2.0 */
/* Which of this node's addresses are served on when none is configured. */
#include "mountd/own_addrs.h"

#include <criterion/criterion.h>
#include <linux/if_addr.h>

Test(own_addrs, fleeting_addresses_are_none_to_serve_on)
{
	const unsigned fleeting[] = {
		IFA_F_DADFAILED, IFA_F_TENTATIVE, IFA_F_TEMPORARY, IFA_F_DEPRECATED};

	for (size_t i = 0; i < sizeof fleeting / sizeof *fleeting; i++)
		cr_expect_not(own_addrs_is_lasting(AF_INET6, IFA_F_PERMANENT | fleeting[i]));
	cr_expect(own_addrs_is_lasting(AF_INET6, IFA_F_PERMANENT));
	cr_expect(own_addrs_is_lasting(AF_INET6, IFA_F_MANAGETEMPADDR | IFA_F_NOPREFIXROUTE));
	cr_expect(own_addrs_is_lasting(AF_INET, IFA_F_SECONDARY), "one of several in a subnet");
}

Test(own_addrs, what_is_reachable_is_among_all)
{
	struct own_addrs all = {0}, reachable = {0};

	cr_assert_eq(own_addrs_read(OWN_ALL, &all), 0);
	cr_assert_eq(own_addrs_read(OWN_REACHABLE, &reachable), 0);
	for (size_t i = 0; i < reachable.n; i++)
		cr_expect(own_addrs_has(&all, &reachable.list[i]));
	own_addrs_clear(&all);
	own_addrs_clear(&reachable);
}
