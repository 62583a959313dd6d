/* SPDX-License-Identifier: Apache-2.0 */
/* Which clients of the server count as dead. */
#include "mountd/client_judge.h"

#include <criterion/criterion.h>
#include <limits.h>

#define LEASE 30

static enum client_verdict look(struct client_signs *s, unsigned quiet, bool recall_failed)
{
	struct nfsd_client now = {
		.confirmed = true, .quiet_seconds = quiet, .recall_failed = recall_failed};

	return client_judge(s, &now, false);
}

/* One whose node has answered once. */
static struct client_signs known(void)
{
	struct client_signs s = {0};

	cr_assert_eq(look(&s, 0, false), CLIENT_ASK, "a new one is asked");
	client_heard(&s, true);
	return s;
}

static void stay_silent(struct client_signs *s)
{
	for (unsigned i = 0; i < CLIENT_SILENCES; i++)
		client_heard(s, false);
}

Test(client_judge, one_at_work_is_not_asked)
{
	struct client_signs s = known();

	cr_expect_eq(look(&s, 0, false), CLIENT_FINE);
	cr_expect_eq(look(&s, 1, true), CLIENT_FINE, "a recall fails before it is answered");
	cr_expect_eq(look(&s, 2, false), CLIENT_ASK);
}

Test(client_judge, who_holds_somebody_up_is_dead_when_its_node_is_silent)
{
	struct client_signs s = known();

	client_heard(&s, false);
	cr_expect_eq(look(&s, 5, true), CLIENT_ASK, "one silence may be a lost packet");
	client_heard(&s, false);
	cr_expect_eq(look(&s, 7, true), CLIENT_HOLDS_UP);
	cr_expect_neq(look(&s, 1, true), CLIENT_HOLDS_UP, "it is back");
}

/* nfsd calls it a courtesy client then, and takes from it only what somebody wants. */
Test(client_judge, who_holds_nobody_up_keeps_what_it_has)
{
	struct client_signs s = known();

	stay_silent(&s);
	cr_expect_eq(look(&s, LEASE - 1, false), CLIENT_ASK);
	cr_expect_eq(look(&s, 100 * LEASE, false), CLIENT_ASK);
}

Test(client_judge, a_node_that_answers_is_alive)
{
	struct client_signs s = known();

	stay_silent(&s);
	client_heard(&s, true);
	cr_expect_eq(look(&s, 10, true), CLIENT_ASK);
	cr_expect_eq(look(&s, 2 * LEASE, true), CLIENT_ASK, "the kernel frees it by itself");
}

Test(client_judge, silence_behind_a_firewall_says_nothing)
{
	struct client_signs s = {0};

	stay_silent(&s);
	cr_expect_eq(look(&s, LEASE - 1, true), CLIENT_ASK);
	cr_expect_eq(look(&s, 100 * LEASE, true), CLIENT_ASK);
}

Test(client_judge, half_made_clients_and_kernels_that_tell_no_age_are_left_alone)
{
	struct client_signs s = {0};
	struct nfsd_client made = {.quiet_seconds = 999}, old = {.confirmed = true,
								  .recall_failed = true,
								  .quiet_seconds = UINT_MAX};

	stay_silent(&s);
	cr_expect_eq(client_judge(&s, &made, false), CLIENT_FINE);
	cr_expect_eq(client_judge(&s, &old, false), CLIENT_FINE);
}

Test(client_judge, looks_are_frequent_only_where_something_can_happen)
{
	struct client_signs s = known();

	cr_expect_eq(client_look_ms(&s), CLIENT_BUSY_MS);
	look(&s, 8, false);
	cr_expect_eq(client_look_ms(&s), CLIENT_EVERY_MS);
	client_heard(&s, false);
	cr_expect_eq(client_look_ms(&s), CLIENT_SOON_MS);
}

Test(client_judge, one_that_calls_lets_go_of_what_was_revoked)
{
	struct client_signs s = known();
	struct nfsd_client busy = {.confirmed = true, .holds_revoked = true},
			   idle = {.confirmed = true, .holds_revoked = true, .quiet_seconds = 9},
			   free = {.confirmed = true};

	for (unsigned i = 1; i < CLIENT_REVOKED_LOOKS; i++)
		cr_expect_eq(client_judge(&s, &busy, false), CLIENT_FINE);
	cr_expect_eq(client_judge(&s, &free, false), CLIENT_FINE);
	for (unsigned i = 1; i < CLIENT_REVOKED_LOOKS; i++)
		cr_expect_eq(client_judge(&s, &busy, false), CLIENT_FINE);
	cr_expect_neq(client_judge(&s, &idle, false), CLIENT_KEEPS_REVOKED, "it did not call");
	cr_expect_eq(client_judge(&s, &busy, false), CLIENT_KEEPS_REVOKED);
}

/* Looked at each second, one that has called once was at work the second time as well. */
Test(client_judge, one_call_counts_once)
{
	struct client_signs s = known();
	struct nfsd_client now = {.confirmed = true, .holds_revoked = true};

	for (unsigned call = 1; call < CLIENT_REVOKED_LOOKS; call++)
		for (now.quiet_seconds = 0; now.quiet_seconds < 4; now.quiet_seconds++)
			cr_expect_neq(client_judge(&s, &now, false), CLIENT_KEEPS_REVOKED,
				"call %u", call);
	now.quiet_seconds = 0;
	cr_expect_eq(client_judge(&s, &now, false), CLIENT_KEEPS_REVOKED);
}

/* Each of its calls may take it seconds, as it asks after the state first. */
Test(client_judge, one_that_calls_seldom_is_told_as_well)
{
	struct client_signs s = known();
	struct nfsd_client now = {.confirmed = true, .holds_revoked = true, .quiet_seconds = 4};
	unsigned looks = 0;

	while (looks < 50 && client_judge(&s, &now, false) != CLIENT_KEEPS_REVOKED) {
		cr_expect_eq(client_look_ms(&s), CLIENT_SOON_MS);
		now.quiet_seconds = looks++ % 3 + 2; /* 2, 3, 4, and a call again */
	}
	cr_expect_leq(looks, 3 * CLIENT_REVOKED_LOOKS);
	now.quiet_seconds = CLIENT_EVERY_MS / 1000;
	(void)client_judge(&s, &now, false);
	cr_expect_eq(client_look_ms(&s), CLIENT_EVERY_MS, "nobody is waited for in a hurry");
}

Test(client_judge, who_does_not_say_what_it_had_waits_for_ever)
{
	struct client_signs s = known();
	struct nfsd_client now = {.confirmed = true, .quiet_seconds = 9};

	for (unsigned i = 1; i < CLIENT_UNRECLAIMED_LOOKS; i++) {
		cr_expect_eq(client_judge(&s, &now, true), CLIENT_ASK);
		cr_expect_eq(client_look_ms(&s), CLIENT_SOON_MS);
	}
	cr_expect_eq(client_judge(&s, &now, false), CLIENT_ASK, "it has said so");
	for (unsigned i = 1; i < CLIENT_UNRECLAIMED_LOOKS; i++)
		cr_expect_eq(client_judge(&s, &now, true), CLIENT_ASK);
	cr_expect_eq(client_judge(&s, &now, true), CLIENT_UNRECLAIMED);
	now.confirmed = false;
	cr_expect_eq(client_judge(&s, &now, true), CLIENT_FINE, "half made");
}
