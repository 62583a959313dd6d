/* SPDX-License-Identifier: Apache-2.0 */
/* The planner of exports: what is served, ended, dropped and forgotten, and in which order. */
#include <criterion/criterion.h>

#include "tests/reconcile_views.h"

/* Ended sooner, a client could take new hold of it by the former daemon's answers. */
Test(reconcile_export, what_a_former_daemon_exported_ends_once_ours_are_the_answers)
{
	struct spec old = export_spec("a", "x"), want = export_spec("b", "y");
	struct held_export held[] = {HELD(old, false), HELD(want, true)};
	struct reconcile_view v = EXPORT(.held = held, .n_held = 1, .former_answers = true);

	cr_expect_eq(plan(&v).kind, STEP_WITHHELD);
	v.wished = true;
	v.want = &want;
	cr_expect_eq(plan(&v).kind, STEP_ADD_EXPORT, "the server waits for that one");
	v.n_held = 2;
	cr_expect_eq(plan(&v).kind, STEP_NONE);
	held[0].served = true;
	cr_expect_eq(plan(&v).kind, STEP_NONE, "taken in, but nfsd was not told");
	v.former_answers = false;
	cr_expect_eq(plan(&v).kind, STEP_END_EXPORT);
	cr_expect_eq(plan(&v).export, &held[0].export);
	v.former_answers = true;
	want = export_spec("a", "y");
	v.n_held = 1;
	cr_expect_eq(plan(&v).kind, STEP_END_EXPORT, "the same moved comes only after that");
}

/* Else the server would wait for that one, and this one for the server. */
Test(reconcile_export, what_failed_beside_a_former_daemons_export_is_tried_again)
{
	struct spec old = export_spec("a", "x"), want = export_spec("b", "y");
	struct held_export held = HELD(old, false);
	struct reconcile_view v = EXPORT(.wished = true, .want = &want, .held = &held, .n_held = 1,
		.former_answers = true, .attempts = 1);

	cr_expect_eq(plan(&v).kind, STEP_ADD_EXPORT);
	v.not_before_ms = 1001;
	cr_expect_eq(plan(&v).kind, STEP_WAIT);
	v.not_before_ms = 0;
	v.former_answers = false;
	cr_expect_eq(plan(&v).kind, STEP_END_EXPORT);
}

Test(reconcile_export, export_from_nothing_to_nothing)
{
	struct spec want = export_spec("a", "x");
	struct held_export held = HELD(want, true);
	struct reconcile_view v = EXPORT(.wished = true, .want = &want);

	cr_expect_eq(plan(&v).kind, STEP_ADD_EXPORT);
	cr_expect_eq(plan(&v).export, &want.export);
	v.held = &held;
	v.n_held = 1;
	cr_expect_eq(plan(&v).kind, STEP_NONE, "in force");
	v.wished = false;
	v.want = NULL;
	cr_expect_eq(plan(&v).kind, STEP_END_EXPORT);
	cr_expect_eq(plan(&v).export, &held.export);
	held.served = false;
	cr_expect_eq(plan(&v).kind, STEP_END_EXPORT, "clients may still hold state");
	v.n_held = 0;
	cr_expect_eq(plan(&v).kind, STEP_FORGET);
}

Test(reconcile_export, export_recorded_by_a_former_daemon_is_added_again)
{
	struct spec want = export_spec("a", "x");
	struct held_export held = HELD(want, false);
	struct reconcile_view v = EXPORT(.wished = true, .want = &want, .held = &held, .n_held = 1);

	cr_expect_eq(plan(&v).kind, STEP_ADD_EXPORT);
}

Test(reconcile_export, replaced_export_goes_after_the_new_one_came)
{
	struct spec old = export_spec("a", "x"), want = export_spec("b", "y");
	struct held_export held[] = {HELD(old, true), HELD(want, true)};
	struct reconcile_view v = EXPORT(.wished = true, .want = &want, .held = held, .n_held = 1);

	cr_expect_eq(plan(&v).kind, STEP_ADD_EXPORT);
	v.n_held = 2;
	cr_expect_eq(plan(&v).kind, STEP_END_EXPORT);
	cr_expect_str_eq(plan(&v).export->id.incarnation, "a");
}

Test(reconcile_export, replaced_export_does_not_outlive_a_failing_new_one)
{
	struct spec old = export_spec("a", "x"), want = export_spec("b", "y");
	struct held_export held = HELD(old, true);
	struct reconcile_view v =
		EXPORT(.wished = true, .want = &want, .held = &held, .n_held = 1, .attempts = 1);

	cr_expect_eq(plan(&v).kind, STEP_END_EXPORT);
}

Test(reconcile_export, a_record_that_does_not_go_keeps_no_other_export_from_its_end)
{
	struct spec old = export_spec("a", "x"), newer = export_spec("b", "y");
	struct spec want = export_spec("c", "z");
	struct held_export held[] = {HELD(old, false), HELD(newer, true), HELD(want, true)};
	struct reconcile_view v = EXPORT(.held = held, .n_held = 2);

	held[0].revoked = "none";
	cr_expect_eq(plan(&v).export, &held[1].export);
	v.wished = true;
	v.want = &want;
	v.n_held = 3;
	cr_expect_eq(plan(&v).export, &held[1].export);
	held[1].revoked = "none";
	cr_expect_eq(plan(&v).kind, STEP_END_EXPORT, "it is tried on");
}

Test(reconcile_export, other_folder_under_the_same_identity_ends_the_old_first)
{
	struct spec old = export_spec("a", "x"), want = export_spec("a", "y");
	struct held_export held = HELD(old, true);
	struct reconcile_view v = EXPORT(.wished = true, .want = &want, .held = &held, .n_held = 1);

	cr_expect_eq(plan(&v).kind, STEP_END_EXPORT);
}

Test(reconcile_export, other_owner_under_the_same_identity_is_added_over)
{
	struct spec old = export_spec("a", "x"), want = export_spec("a", "x");
	struct held_export held = HELD(old, true);
	struct reconcile_view v = EXPORT(.wished = true, .want = &want, .held = &held, .n_held = 1);

	want.export.uid = 2;
	cr_expect_eq(plan(&v).kind, STEP_ADD_EXPORT);
}

static struct addr clients[] = {{AF_INET, {10, 0, 0, 1}}, {AF_INET, {10, 0, 0, 2}}};

Test(reconcile_export, a_folder_made_anew_is_exported_after_the_old_one_ended)
{
	struct spec old = export_spec("a", "x"), want = old;
	struct held_export held = HELD(old, true);
	struct reconcile_view v = EXPORT(.wished = true, .want = &want, .held = &held, .n_held = 1);

	want.export.clients = clients;
	want.export.n_clients = 1;
	cr_expect_eq(plan(&v).kind, STEP_ADD_EXPORT, "nobody has looked at the folder");
	held.remade = true;
	cr_expect_eq(plan(&v).kind, STEP_END_EXPORT);
	v.former_answers = true;
	cr_expect_eq(plan(&v).kind, STEP_END_EXPORT, "the server waits for that one");
	v.want = &old;
	cr_expect_eq(plan(&v).kind, STEP_END_EXPORT, "whatever is wished meanwhile");
}

Test(reconcile_export, what_dropped_clients_hold_is_taken_once_they_are_refused)
{
	struct spec want = export_spec("a", "x");
	struct held_export held = HELD(want, true);
	struct reconcile_view v = EXPORT(.wished = true, .want = &want, .held = &held, .n_held = 1,
		.former_answers = true);
	struct reconcile_slots slots = {.ends = SLOTS_END};

	held.dropped = clients;
	held.n_dropped = 1;
	cr_expect_eq(plan(&v).kind, STEP_NONE, "they could take new hold of it");
	v.former_answers = false;
	cr_expect_eq(plan(&v).kind, STEP_DROP);
	cr_expect_eq(plan(&v).export, &held.export);
	cr_expect_eq(reconcile(&v, &slots, 1000).kind, STEP_NONE, "it takes a slot");
	v.not_before_ms = 1001;
	cr_expect_eq(plan(&v).kind, STEP_WAIT);
	v.not_before_ms = 0;
	held.served = false;
	cr_expect_eq(plan(&v).kind, STEP_ADD_EXPORT, "they may not be refused yet");
}

Test(reconcile_export, who_is_no_longer_listed_is_not_served_while_the_new_list_fails)
{
	struct spec old = export_spec("a", "x"), want = old;
	struct held_export held = HELD(old, true);
	struct reconcile_view v = EXPORT(.wished = true, .want = &want, .held = &held, .n_held = 1);

	want.export.clients = clients;
	want.export.n_clients = 1;
	held.export.clients = clients;
	held.export.n_clients = 2;
	v.attempts = 2;
	cr_expect_eq(plan(&v).kind, STEP_ADD_EXPORT, "clients that stay keep their files");
	v.attempts = 3;
	cr_expect_eq(plan(&v).kind, STEP_END_EXPORT);
	held.export.n_clients = 1;
	held.export.uid = 2;
	cr_expect_eq(plan(&v).kind, STEP_ADD_EXPORT, "nobody is too many");
}

Test(reconcile_export, one_that_was_quiesced_is_told_anew_when_it_is_wished_for_again)
{
	struct spec export = export_spec("a", "x");
	struct held_export held = {.export = export.export, .served = true, .folder = -1};
	struct reconcile_view v =
		EXPORT(.wished = true, .want = &export, .held = &held, .n_held = 1);

	cr_expect_eq(plan(&v).kind, STEP_NONE);
	held.quiesced = true;
	cr_expect_eq(plan(&v).kind, STEP_ADD_EXPORT);
	v.wished = false;
	v.want = NULL;
	cr_expect_eq(plan(&v).kind, STEP_END_EXPORT);
}

/* A wish that changes meanwhile clears the run's own time, not this one. */
Test(reconcile_export, one_that_was_refused_is_revoked_when_calls_under_way_are_over)
{
	struct spec export = export_spec("a", "x");
	struct held_export held = {.export = export.export, .folder = -1};
	struct reconcile_view v = EXPORT(.held = &held, .n_held = 1);

	held.revoke_not_before_ms = 1001;
	cr_expect_eq(plan(&v).kind, STEP_WAIT);
	cr_expect_eq(plan(&v).until_ms, 1001);
	held.revoke_not_before_ms = 1000;
	cr_expect_eq(plan(&v).kind, STEP_END_EXPORT);
}

Test(reconcile_export, a_record_that_does_not_go_keeps_nobody_served_who_is_no_longer_listed)
{
	struct spec old = export_spec("a", "x"), want = export_spec("b", "y");
	struct held_export held[] = {HELD(old, false), HELD(want, true)};
	struct reconcile_view v =
		EXPORT(.wished = true, .want = &want, .held = held, .n_held = 2, .attempts = 1);

	held[0].revoked = "none";
	held[1].export.clients = want.export.clients = clients;
	held[1].export.n_clients = 2;
	want.export.n_clients = 1;
	cr_expect_eq(plan(&v).kind, STEP_ADD_EXPORT);
	v.attempts = 3;
	cr_expect_eq(plan(&v).export, &held[1].export);
	held[1].served = false;
	held[1].revoked = "none";
	cr_expect_eq(plan(&v).kind, STEP_ADD_EXPORT, "nobody is served by it any more");
	held[1] = HELD(want, true);
	held[1].dropped = clients + 1;
	held[1].n_dropped = 1;
	cr_expect_eq(plan(&v).kind, STEP_DROP);
	held[1].n_dropped = 0;
	held[0].dropped = clients;
	held[0].n_dropped = 1;
	cr_expect_eq(plan(&v).kind, STEP_END_EXPORT, "it is tried on");
	cr_expect_eq(plan(&v).export, &held[0].export);
}
