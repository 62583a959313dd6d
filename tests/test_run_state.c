/* SPDX-License-Identifier: Apache-2.0 */
/* The life of a run, walked through its table. */
#include "mountd/run_state.h"

#include <criterion/criterion.h>
#include <errno.h>

#include "mountd/others.h"
#include "mountd/run.h"

static enum run_state walk(enum run_state state, const enum run_event *events, size_t n)
{
	for (size_t i = 0; i < n; i++)
		cr_assert_eq(run_state_next(state, events[i], &state), 0, "event %zu", i);
	return state;
}

#define WALK(...) \
	walk(RUN_GONE, (const enum run_event[]){__VA_ARGS__}, \
		sizeof((const enum run_event[]){__VA_ARGS__}) / sizeof(enum run_event))

Test(run_state, lives)
{
	cr_expect_eq(WALK(EVENT_WISH), RUN_PENDING);
	cr_expect_eq(WALK(EVENT_WISH, EVENT_START), RUN_WORKING);
	cr_expect_eq(WALK(EVENT_WISH, EVENT_START, EVENT_DONE), RUN_READY);
	cr_expect_eq(WALK(EVENT_WISH, EVENT_START, EVENT_FAIL), RUN_RETRYING);
	cr_expect_eq(WALK(EVENT_WISH, EVENT_START, EVENT_FAIL, EVENT_START), RUN_RETRYING,
		"an attempt after a failure is not news");
	cr_expect_eq(WALK(EVENT_WISH, EVENT_START, EVENT_FAIL, EVENT_START, EVENT_DONE), RUN_READY);
	cr_expect_eq(WALK(EVENT_WISH, EVENT_START, EVENT_DONE, EVENT_LOST), RUN_PENDING);
	cr_expect_eq(WALK(EVENT_WISH, EVENT_START, EVENT_DONE, EVENT_WISH), RUN_PENDING);
	cr_expect_eq(WALK(EVENT_WISH, EVENT_START, EVENT_UNWISH), RUN_ENDING);
	cr_expect_eq(
		WALK(EVENT_WISH, EVENT_START, EVENT_UNWISH, EVENT_START, EVENT_FAIL), RUN_ENDING);
	cr_expect_eq(WALK(EVENT_WISH, EVENT_START, EVENT_DONE, EVENT_UNWISH, EVENT_START,
			     EVENT_TAKEN_DOWN),
		RUN_GONE);
	cr_expect_eq(WALK(EVENT_START), RUN_ENDING, "left by a former daemon");
	cr_expect_eq(WALK(EVENT_START, EVENT_WISH), RUN_PENDING);
}

/* Wishes come at any time; whatever the state, they must be taken. */
Test(run_state, wishes_are_always_taken)
{
	for (int state = 0; state < RUN_STATES; state++) {
		enum run_state next;

		cr_expect_eq(run_state_next((enum run_state)state, EVENT_WISH, &next), 0);
		cr_expect_eq(next, RUN_PENDING);
		cr_expect_eq(run_state_next((enum run_state)state, EVENT_UNWISH, &next), 0);
		cr_expect(next == RUN_ENDING || next == RUN_GONE);
	}
}

/* Workers, the kernel and peers report in any order: none of it may find a state without an answer.
 */
Test(run_state, every_state_takes_every_event)
{
	for (int state = 0; state < RUN_STATES; state++)
		for (int event = 0; event < RUN_EVENTS; event++) {
			enum run_state next;

			cr_expect_eq(
				run_state_next((enum run_state)state, (enum run_event)event, &next),
				0, "state %s, event %d", run_state_name((enum run_state)state),
				event);
		}
}

/* Nobody is told "ready" who was not put into force, and what is not wished for is taken down. */
Test(run_state, ready_and_gone_are_earned)
{
	for (int state = 0; state < RUN_STATES; state++)
		for (int event = 0; event < RUN_EVENTS; event++) {
			enum run_state next;

			cr_assert_eq(
				run_state_next((enum run_state)state, (enum run_event)event, &next),
				0);
			if (next == RUN_READY && state != RUN_READY)
				cr_expect_eq(event, EVENT_DONE);
			if (next == RUN_GONE && state != RUN_GONE)
				cr_expect_eq(event, EVENT_TAKEN_DOWN);
		}
}

Test(run_state, unknown_is_refused)
{
	enum run_state next = RUN_READY;

	cr_expect_eq(run_state_next(RUN_STATES, EVENT_WISH, &next), -EINVAL);
	cr_expect_eq(run_state_next(RUN_GONE, RUN_EVENTS, &next), -EINVAL);
	cr_expect_eq(next, RUN_READY);
}

/* An end that failed after its first half, and then the same wish again. */
Test(run_state, what_was_held_by_a_mount_before_is_looked_for)
{
	struct runs runs = {0};
	struct run *run = runs_find_or_add(&runs, "demo", ROLE_EXPORT);
	struct addr client = {0};
	struct export export = {.id = {"demo", "u1"},
		.volume = "/v",
		.folder = "f",
		.clients = &client,
		.n_clients = 1};

	cr_assert_eq(run_hold_export(run, &export, true), 0);
	cr_assert_eq(run_hold_export(run, &export, true), 0);
	cr_expect_not(run->held[0].former, "only described anew");
	run->held[0].served = false;
	cr_assert_eq(run_hold_export(run, &export, true), 0);
	cr_expect(run->held[0].former);
	runs_drop(&runs, run);
	free(runs.list);
}

Test(run_state, whom_an_export_lists_no_longer_is_known_until_looked_at)
{
	struct runs runs = {0};
	struct run *run = runs_find_or_add(&runs, "demo", ROLE_EXPORT);
	struct addr clients[] = {{AF_INET, {10, 0, 0, 1}}, {AF_INET, {10, 0, 0, 2}}};
	struct export export = {.id = {"demo", "u1"},
		.volume = "/v",
		.folder = "f",
		.clients = clients,
		.n_clients = 2};

	cr_assert_eq(run_hold_export(run, &export, true), 0);
	cr_expect_eq(run->held[0].n_dropped, 0);
	export.n_clients = 1;
	cr_assert_eq(run_hold_export(run, &export, true), 0);
	cr_assert_eq(run->held[0].n_dropped, 1);
	cr_expect(addr_equal(&run->held[0].dropped[0], &clients[1]));
	export.clients = &clients[1];
	cr_assert_eq(run_hold_export(run, &export, true), 0);
	cr_assert_eq(run->held[0].n_dropped, 1, "one has come back, the other is gone");
	cr_expect(addr_equal(&run->held[0].dropped[0], &clients[0]));
	runs_drop(&runs, run);
	free(runs.list);
}

static void hold(struct runs *runs, const char *name, bool served, bool wished)
{
	struct run *run = runs_find_or_add(runs, name, ROLE_EXPORT);
	struct addr client = {0};
	struct spec spec = {.role = ROLE_EXPORT,
		.export = {.id = {"", "u1"},
			.volume = "/v",
			.folder = "f",
			.clients = &client,
			.n_clients = 1}};

	(void)snprintf(spec.export.id.run, sizeof spec.export.id.run, "%s", name);
	cr_assert_eq(run_hold_export(run, &spec.export, served), 0);
	if (wished)
		cr_assert_eq(run_set_wish(run, &spec), 1);
}

Test(run_state, exports_that_end_do_not_count_as_those_that_stay)
{
	struct runs runs = {0};
	struct other_exports others;
	struct run *replaced;

	hold(&runs, "a-gone", false, false);
	hold(&runs, "b-refused-next", true, false);
	hold(&runs, "c-taken-in-soon", false, true);
	hold(&runs, "d-lingers", true, true);
	hold(&runs, "e-replaced", false, true);
	replaced = runs_find(&runs, "e-replaced", ROLE_EXPORT);
	replaced->wish.export.id.incarnation[1] = '2';
	replaced = runs_find(&runs, "d-lingers", ROLE_EXPORT);
	replaced->wish.export.id.incarnation[1] = '2';
	cr_assert_eq(other_exports_list(&runs, &runs.list[0]->held[0].export, false, &others), 0);
	cr_expect_eq(others.n, 4);
	cr_assert_eq(others.n_staying, 2);
	cr_expect_str_eq(others.list[0]->id.run, "c-taken-in-soon");
	cr_expect_str_eq(others.list[1]->id.run, "d-lingers");
	free((void *)others.list);
	cr_assert_eq(other_exports_list(&runs, NULL, true, &others), 0);
	cr_expect_eq(others.n_staying, 5, "what could not be read may ask for any");
	free((void *)others.list);
	while (runs.n)
		runs_drop(&runs, runs.list[0]);
	free(runs.list);
}
