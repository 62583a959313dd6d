/* SPDX-License-Identifier: Apache-2.0 */
/* The planner: every next step from what is wished for, what is there, and the time. */
#include "mountd/reconcile.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>

static struct spec export_spec(const char *incarnation, char *folder)
{
	struct spec s = {.role = ROLE_EXPORT};

	s.export =
		(struct export){.id = {"demo", ""}, .volume = "/srv", .folder = folder, .uid = 1};
	(void)snprintf(s.export.id.incarnation, sizeof s.export.id.incarnation, "%s", incarnation);
	return s;
}

static struct spec mount_spec(const char *incarnation, char *volume, unsigned char server)
{
	struct spec s = {.role = ROLE_MOUNT};

	s.mount = (struct mount){.id = {"demo", ""},
		.kind = MOUNT_NFS,
		.server = {AF_INET, {10, 0, 0, server}},
		.port = 20490,
		.volume = volume,
		.uid = 1};
	(void)snprintf(s.mount.id.incarnation, sizeof s.mount.id.incarnation, "%s", incarnation);
	return s;
}

static struct step plan(const struct reconcile_view *v)
{
	struct reconcile_slots slots = {0};

	return reconcile(v, &slots, 1000);
}

#define HELD(spec, is_served) \
	((struct held_export){.export = (spec).export, .served = (is_served), .folder = -1})
#define EXPORT(...) ((struct reconcile_view){.role = ROLE_EXPORT, __VA_ARGS__})
#define MOUNT(...)  ((struct reconcile_view){.role = ROLE_MOUNT, __VA_ARGS__})

/* Ended sooner, a client could take new hold of it by the former daemon's answers. */
Test(reconcile, what_a_former_daemon_exported_ends_once_ours_are_the_answers)
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
Test(reconcile, what_failed_beside_a_former_daemons_export_is_tried_again)
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

Test(reconcile, export_from_nothing_to_nothing)
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

Test(reconcile, export_recorded_by_a_former_daemon_is_added_again)
{
	struct spec want = export_spec("a", "x");
	struct held_export held = HELD(want, false);
	struct reconcile_view v = EXPORT(.wished = true, .want = &want, .held = &held, .n_held = 1);

	cr_expect_eq(plan(&v).kind, STEP_ADD_EXPORT);
}

Test(reconcile, replaced_export_goes_after_the_new_one_came)
{
	struct spec old = export_spec("a", "x"), want = export_spec("b", "y");
	struct held_export held[] = {HELD(old, true), HELD(want, true)};
	struct reconcile_view v = EXPORT(.wished = true, .want = &want, .held = held, .n_held = 1);

	cr_expect_eq(plan(&v).kind, STEP_ADD_EXPORT);
	v.n_held = 2;
	cr_expect_eq(plan(&v).kind, STEP_END_EXPORT);
	cr_expect_str_eq(plan(&v).export->id.incarnation, "a");
}

Test(reconcile, replaced_export_does_not_outlive_a_failing_new_one)
{
	struct spec old = export_spec("a", "x"), want = export_spec("b", "y");
	struct held_export held = HELD(old, true);
	struct reconcile_view v =
		EXPORT(.wished = true, .want = &want, .held = &held, .n_held = 1, .attempts = 1);

	cr_expect_eq(plan(&v).kind, STEP_END_EXPORT);
}

Test(reconcile, a_record_that_does_not_go_keeps_no_other_export_from_its_end)
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

Test(reconcile, other_folder_under_the_same_identity_ends_the_old_first)
{
	struct spec old = export_spec("a", "x"), want = export_spec("a", "y");
	struct held_export held = HELD(old, true);
	struct reconcile_view v = EXPORT(.wished = true, .want = &want, .held = &held, .n_held = 1);

	cr_expect_eq(plan(&v).kind, STEP_END_EXPORT);
}

Test(reconcile, other_owner_under_the_same_identity_is_added_over)
{
	struct spec old = export_spec("a", "x"), want = export_spec("a", "x");
	struct held_export held = HELD(old, true);
	struct reconcile_view v = EXPORT(.wished = true, .want = &want, .held = &held, .n_held = 1);

	want.export.uid = 2;
	cr_expect_eq(plan(&v).kind, STEP_ADD_EXPORT);
}

static struct addr clients[] = {{AF_INET, {10, 0, 0, 1}}, {AF_INET, {10, 0, 0, 2}}};

Test(reconcile, a_folder_made_anew_is_exported_after_the_old_one_ended)
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

Test(reconcile, what_dropped_clients_hold_is_taken_once_they_are_refused)
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

Test(reconcile, who_is_no_longer_listed_is_not_served_while_the_new_list_fails)
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

Test(reconcile, mount_from_nothing_to_nothing)
{
	struct spec want = mount_spec("a", "/w", 1);
	struct reconcile_view v = MOUNT(.wished = true, .want = &want);

	cr_expect_eq(plan(&v).kind, STEP_ATTACH);
	cr_expect_eq(plan(&v).mount, &want.mount);
	v.held_mount = &want.mount;
	cr_expect_eq(plan(&v).kind, STEP_ATTACH, "attached perhaps: not proven");
	v.in_force = true;
	cr_expect_eq(plan(&v).kind, STEP_NONE);
	v.wished = false;
	v.want = NULL;
	cr_expect_eq(plan(&v).kind, STEP_DETACH);
	cr_expect_eq(plan(&v).how, DETACH_CLEAN);
	v.held_mount = NULL;
	cr_expect_eq(plan(&v).kind, STEP_FORGET);
}

Test(reconcile, teardown_goes_down_the_ladder)
{
	struct spec held = mount_spec("a", "/w", 1);
	struct reconcile_view v = MOUNT(.held_mount = &held.mount, .end_failures = 1);

	cr_expect_eq(plan(&v).how, DETACH_CUT);
	v.end_failures = 0;
	v.suspect = true;
	cr_expect_eq(plan(&v).how, DETACH_CUT, "a silent server is not asked first");
	v.stuck = 1;
	cr_expect_eq(plan(&v).kind, STEP_DETACH, "a stuck worker does not stop the next rung");
	v.stuck = 2;
	cr_expect_eq(plan(&v).kind, STEP_NONE, "but workers do not pile up");
}

Test(reconcile, replaced_mount_is_one_step)
{
	struct spec old = mount_spec("a", "/w", 1), want = mount_spec("b", "/w", 2);
	struct reconcile_view v =
		MOUNT(.wished = true, .want = &want, .held_mount = &old.mount, .in_force = true);

	cr_expect_eq(plan(&v).kind, STEP_ATTACH);
}

Test(reconcile, mount_that_moves_to_another_volume_leaves_the_old_first)
{
	struct spec old = mount_spec("a", "/w", 1), want = mount_spec("a", "/v", 1);
	struct reconcile_view v =
		MOUNT(.wished = true, .want = &want, .held_mount = &old.mount, .in_force = true);

	cr_expect_eq(plan(&v).kind, STEP_DETACH);
	cr_expect_str_eq(plan(&v).mount->volume, "/w");
	v.held_mount = NULL;
	cr_expect_eq(plan(&v).kind, STEP_ATTACH);
}

Test(reconcile, a_wish_that_is_not_possible_holds_nothing_and_is_not_forgotten)
{
	struct spec held = mount_spec("a", "/w", 1);
	struct reconcile_view v =
		MOUNT(.wished = true, .held_mount = &held.mount, .in_force = true);

	cr_expect_eq(plan(&v).kind, STEP_DETACH);
	v.held_mount = NULL;
	cr_expect_eq(plan(&v).kind, STEP_NONE);
}

Test(reconcile, one_that_was_quiesced_is_told_anew_when_it_is_wished_for_again)
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
Test(reconcile, one_that_was_refused_is_revoked_when_calls_under_way_are_over)
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

Test(reconcile, a_record_that_does_not_go_keeps_nobody_served_who_is_no_longer_listed)
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

Test(reconcile, waits_for_its_time)
{
	struct spec export = export_spec("a", "x"), mount = mount_spec("a", "/w", 1);
	struct held_export held = {.export = export.export, .served = true, .folder = -1};
	struct reconcile_view views[] = {
		EXPORT(.wished = true, .want = &export, .not_before_ms = 1001),
		EXPORT(.held = &held, .n_held = 1, .not_before_ms = 1001),
		MOUNT(.wished = true, .want = &mount, .not_before_ms = 1001),
		MOUNT(.held_mount = &mount.mount, .not_before_ms = 1001),
	};

	for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
		struct step step = plan(&views[i]);

		cr_expect_eq(step.kind, STEP_WAIT, "view %zu", i);
		cr_expect_eq(step.until_ms, 1001);
		views[i].not_before_ms = 1000;
		cr_expect_neq(plan(&views[i]).kind, STEP_WAIT, "view %zu", i);
	}
}

Test(reconcile, worker_that_builds_the_wrong_thing_is_cancelled)
{
	struct spec old = mount_spec("a", "/w", 1), want = mount_spec("b", "/w", 1);
	struct reconcile_view v =
		MOUNT(.wished = true, .want = &want, .busy = BUSY_BUILDING, .trying = &old);

	cr_expect_eq(plan(&v).kind, STEP_CANCEL);
	v.want = &old;
	cr_expect_eq(plan(&v).kind, STEP_NONE);
	v.want = NULL;
	v.wished = false;
	cr_expect_eq(plan(&v).kind, STEP_CANCEL);
	v.busy = BUSY_ENDING;
	v.trying = NULL;
	cr_expect_eq(plan(&v).kind, STEP_NONE, "an end is never broken off");
}

Test(reconcile, stuck_workers_do_not_pile_up_and_do_not_hold_up_a_new_wish)
{
	struct spec export = export_spec("a", "x"), mount = mount_spec("a", "/w", 1);
	struct reconcile_view e = EXPORT(.wished = true, .want = &export, .stuck = 1);
	struct reconcile_view m = MOUNT(.wished = true, .want = &mount, .stuck = 1);
	struct reconcile_view gone = MOUNT(.stuck = 1);

	cr_expect_eq(plan(&e).kind, STEP_ADD_EXPORT);
	cr_expect_eq(plan(&m).kind, STEP_ATTACH);
	e.attempts = m.attempts = 1;
	cr_expect_eq(plan(&e).kind, STEP_NONE);
	cr_expect_eq(plan(&m).kind, STEP_NONE);
	e.attempts = m.attempts = 0;
	e.stuck = m.stuck = 2;
	cr_expect_eq(plan(&e).kind, STEP_NONE);
	cr_expect_eq(plan(&m).kind, STEP_NONE);
	cr_expect_eq(plan(&gone).kind, STEP_NONE, "not forgotten while a worker knows it");
}

static unsigned count_attach(
	struct reconcile_slots *slots, unsigned char server, bool suspect, unsigned n)
{
	struct spec want = mount_spec("a", "/w", server);
	struct reconcile_view v = MOUNT(.wished = true, .want = &want, .suspect = suspect);
	unsigned begun = 0;

	while (n--)
		begun += reconcile(&v, slots, 0).kind == STEP_ATTACH;
	return begun;
}

Test(reconcile, one_server_does_not_take_all_slots)
{
	struct reconcile_slots slots = {0};

	cr_expect_eq(count_attach(&slots, 1, false, 1000), SLOTS_SERVER);
	cr_expect_eq(count_attach(&slots, 2, false, 1000), SLOTS_MOUNT - SLOTS_SERVER);
	cr_expect_eq(count_attach(&slots, 3, false, 1000), 0);
}

Test(reconcile, silent_servers_leave_room_for_the_others)
{
	struct reconcile_slots slots = {0};
	unsigned begun = 0;

	for (unsigned char server = 1; server < 100; server++)
		begun += count_attach(&slots, server, true, 10);
	cr_expect_eq(begun, SLOTS_SUSPECT);
	cr_expect_eq(count_attach(&slots, 200, false, 1000), SLOTS_SERVER);
}

Test(reconcile, running_workers_count)
{
	struct reconcile_slots slots = {0};
	struct spec want = mount_spec("a", "/w", 1);
	struct spec export = export_spec("a", "x");
	struct reconcile_view m =
		MOUNT(.wished = true, .want = &want, .busy = BUSY_BUILDING, .trying = &want);
	struct reconcile_view e =
		EXPORT(.wished = true, .want = &export, .busy = BUSY_BUILDING, .trying = &export);
	struct reconcile_view x = MOUNT(.held_mount = &want.mount, .busy = BUSY_ENDING);

	reconcile_occupy(&slots, &m);
	reconcile_occupy(&slots, &e);
	reconcile_occupy(&slots, &x);
	cr_expect_eq(slots.mounts, 1);
	cr_expect_eq(slots.exports, 1);
	cr_expect_eq(slots.ends, 1);
	cr_expect_eq(count_attach(&slots, 1, false, 1000), SLOTS_SERVER - 1);
}

Test(reconcile, ends_and_exports_have_slots_of_their_own)
{
	struct reconcile_slots slots = {0};
	struct spec export = export_spec("a", "x"), mount = mount_spec("a", "/w", 1);
	struct reconcile_view e = EXPORT(.wished = true, .want = &export);
	struct reconcile_view m = MOUNT(.held_mount = &mount.mount);
	unsigned exports = 0, ends = 0;

	(void)count_attach(&slots, 1, false, 1000);
	(void)count_attach(&slots, 2, false, 1000);
	for (int i = 0; i < 1000; i++) {
		exports += reconcile(&e, &slots, 0).kind == STEP_ADD_EXPORT;
		ends += reconcile(&m, &slots, 0).kind == STEP_DETACH;
	}
	cr_expect_eq(exports, SLOTS_EXPORT);
	cr_expect_eq(ends, SLOTS_END);
}

Test(reconcile, backoff_grows_to_its_bound)
{
	for (unsigned random = 0; random < 100000; random += 997) {
		cr_expect_leq(reconcile_backoff_ms(-ENOENT, 1, random), 25);
		cr_expect_geq(reconcile_backoff_ms(-ENOENT, 1, random), 15);
		cr_expect_leq(reconcile_backoff_ms(-ENOENT, 1000000, random), 2500);
		cr_expect_geq(reconcile_backoff_ms(-ENOENT, 8, random), 1500);
		cr_expect_leq(reconcile_backoff_ms(-EIO, 1, random), 625);
		cr_expect_geq(reconcile_backoff_ms(-EIO, 1, random), 375);
		cr_expect_geq(reconcile_backoff_ms(-ETIMEDOUT, 1000000, random), 11250);
		cr_expect_leq(reconcile_backoff_ms(-ETIMEDOUT, 1000000, random), 18750);
	}
}

Test(reconcile, a_lost_server_is_cut_off_and_left_alone)
{
	struct spec want = mount_spec("a", "/w", 1);
	struct reconcile_view v = MOUNT(.wished = true, .want = &want, .held_mount = &want.mount,
		.in_force = true, .lost = true);

	cr_expect_eq(plan(&v).kind, STEP_DETACH);
	cr_expect_eq(plan(&v).how, DETACH_CUT);
	v.cut_not_before_ms = 1001;
	cr_expect_eq(plan(&v).kind, STEP_WAIT, "others' attempts end first");
	v.cut_not_before_ms = 1000;
	cr_expect_eq(plan(&v).kind, STEP_DETACH);
	v.held_mount = NULL;
	v.in_force = false;
	cr_expect_eq(plan(&v).kind, STEP_NONE, "no attempt until it answers");
	v.lost = false;
	cr_expect_eq(plan(&v).kind, STEP_ATTACH);
	v.lost = true;
	v.busy = BUSY_BUILDING;
	v.trying = &want;
	cr_expect_eq(plan(&v).kind, STEP_CANCEL, "it would be cut off with the others");
	v.busy = BUSY_NOT;
	v.wished = false;
	v.want = NULL;
	cr_expect_eq(plan(&v).kind, STEP_FORGET, "a release does not wait for the server");
}
