/* SPDX-License-Identifier: Apache-2.0 */
/* The planner of mounts, and what holds for all runs: times, workers, slots. */
#include <criterion/criterion.h>
#include <errno.h>

#include "tests/reconcile_views.h"

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
