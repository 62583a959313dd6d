/* SPDX-License-Identifier: Apache-2.0 */
/* What the watch says: packets to the daemon, conditions and Events to the cluster; and when. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mountd/watch_backoff.h"
#include "mountd/watch_condition.h"
#include "mountd/watch_event.h"
#include "mountd/watch_message.h"
#include "mountd/watch_packets.h"

Test(watch_backoff, grows_and_is_bounded)
{
	struct backoff b = {.first_ms = 500, .most_ms = 30000};
	uint64_t last = 0;

	for (int i = 0; i < 100; i++) {
		struct backoff low = b;
		uint64_t least = backoff_next(&low, 0), most = backoff_next(&b, UINT32_MAX);

		cr_expect_leq(most, 30000);
		cr_expect_geq(least, 250);
		cr_expect_lt(least, most);
		cr_expect_geq(most, last);
		last = most;
	}
	cr_expect_eq(last, 30000);
	backoff_reset(&b);
	cr_expect_leq(backoff_next(&b, UINT32_MAX), 500);
}

static struct spec make_spec(unsigned i)
{
	struct spec s = {
		.role = ROLE_MOUNT, .mount = {.kind = MOUNT_NFS, .port = 1, .uid = 1, .gid = 1}};

	(void)snprintf(s.mount.id.run, sizeof s.mount.id.run, "run-%u", i);
	(void)snprintf(s.mount.id.incarnation, sizeof s.mount.id.incarnation, "i");
	cr_assert_eq(addr_parse("10.0.0.1", &s.mount.server), 0);
	s.mount.volume = strdup("/v");
	return s;
}

Test(watch_packets, parts_are_numbered_bounded_and_hold_everything)
{
	enum { N = 1000 };
	static struct spec specs[N];
	struct packets p, again;
	size_t found = 0;

	for (unsigned i = 0; i < N; i++)
		specs[i] = make_spec(i);
	cr_assert_eq(packets_make("kubernetes", specs, N, 60000, &p), 0);
	cr_assert_gt(p.n, 1);
	for (size_t i = 0; i < p.n; i++) {
		json_t *object = event_load(p.list[i], strlen(p.list[i]));

		cr_assert(object);
		cr_expect_leq(strlen(p.list[i]), 60000);
		cr_expect_eq(json_integer_value(json_object_get(object, "part")), (int)i + 1);
		cr_expect_eq(json_is_true(json_object_get(object, "complete")), i + 1 == p.n);
		found += json_array_size(json_object_get(object, "specs"));
		json_decref(object);
	}
	cr_expect_eq(found, N);
	cr_assert_eq(packets_make("kubernetes", specs, N, 60000, &again), 0);
	cr_expect(packets_equal(&p, &again));
	packets_clear(&again);
	cr_assert_eq(packets_make("kubernetes", specs, N - 1, 60000, &again), 0);
	cr_expect_not(packets_equal(&p, &again));
	packets_clear(&again);
	packets_clear(&p);
	for (unsigned i = 0; i < N; i++)
		spec_clear(&specs[i]);
}

Test(watch_packets, nothing_wanted_is_said_too)
{
	struct packets p;

	cr_assert_eq(packets_make("kubernetes", NULL, 0, 60000, &p), 0);
	cr_assert_eq(p.n, 1);
	cr_expect(strstr(p.list[0], "\"complete\":true,\"specs\":[]"));
	packets_clear(&p);
}

static char nothing[] = "", uid[] = "u", name[] = "s", namespace[] = "t", fault[] = "it broke",
	    true_text[] = "True";

static struct pod pod = {.uid = uid,
	.name = name,
	.namespace = namespace,
	.condition_status = nothing,
	.condition_reason = nothing,
	.condition_message = nothing,
	.condition_since = nothing};

static struct link_run run = {
	.run = "demo", .incarnation = "u", .role = ROLE_MOUNT, .rung = nothing, .fault = nothing};

static struct verdict verdict = {.pod = &pod,
	.kind = VERDICT_WISHED,
	.role = ROLE_MOUNT,
	.tells = true,
	.reason = "Reason",
	.message = "message"};

static void expect(const struct link_run *r, bool current, const char *status, const char *reason)
{
	struct condition c;

	cr_assert_eq(condition_find(&verdict, r, current, &c), status != NULL);
	if (!status)
		return;
	cr_expect_str_eq(c.status, status);
	cr_expect_str_eq(c.reason, reason);
}

Test(watch_condition, of_a_mount)
{
	expect(NULL, true, "False", "Mounting");
	expect(&run, true, "False", "Mounting");
	run.fault = fault;
	expect(&run, true, "False", "Retrying");
	run.fault = nothing;
	run.ready = true;
	expect(&run, true, "True", "Mounted");
	(void)snprintf(run.incarnation, sizeof run.incarnation, "older");
	expect(&run, true, "False", "Mounting");
}

Test(watch_condition, what_was_mounted_is_so_until_the_daemon_says_otherwise)
{
	expect(NULL, false, "False", "Mounting");
	pod.condition_status = true_text;
	expect(NULL, false, NULL, NULL);
	expect(&run, false, NULL, NULL);
	expect(NULL, true, "False", "Mounting");
	run.fault = fault;
	expect(&run, false, "False", "Retrying");
}

Test(watch_condition, unmounted_only_when_it_is_known)
{
	verdict.kind = VERDICT_ENDING;
	expect(&run, true, "False", "Unmounting");
	expect(NULL, false, NULL, NULL);
	expect(NULL, true, "False", "Unmounted");
	(void)snprintf(run.incarnation, sizeof run.incarnation, "newer");
	expect(&run, true, "False", "Unmounted");
}

Test(watch_condition, only_one_node_tells)
{
	verdict.tells = false;
	expect(NULL, true, NULL, NULL);
	verdict.tells = true;
	verdict.role = ROLE_EXPORT;
	expect(NULL, true, NULL, NULL);
	verdict.kind = VERDICT_REFUSED;
	expect(NULL, true, "False", "Reason");
}

static enum happening happens(const struct link_run *r, bool was_ready, uint64_t waited)
{
	char text[256];

	return happening_find(&verdict, r, was_ready, waited, text, sizeof text);
}

Test(watch_condition, events)
{
	cr_expect_eq(happens(NULL, false, 0), HAPPENED_NOTHING);
	cr_expect_eq(happens(NULL, false, MOUNT_PATIENCE_MS), HAPPENED_TIMED_OUT);
	run.fault = fault;
	cr_expect_eq(happens(&run, false, 0), HAPPENED_FAILED);
	cr_expect_eq(happens(&run, true, 0), HAPPENED_LOST);
	(void)snprintf(run.error, sizeof run.error, "EHOSTUNREACH");
	cr_expect_eq(happens(&run, true, 0), HAPPENED_FORCED_OFF);
	cr_expect_eq(happens(&run, false, 0), HAPPENED_FAILED);
	(void)snprintf(run.error, sizeof run.error, "ESTALE");
	cr_expect_eq(happens(&run, true, 0), HAPPENED_STALE);
	run.error[0] = '\0';
	run.fault = nothing;
	run.ready = true;
	cr_expect_eq(happens(&run, false, 0), HAPPENED_MOUNTED);
	verdict.role = ROLE_EXPORT;
	cr_expect_eq(happens(&run, false, 0), HAPPENED_EXPORTED);
	verdict.kind = VERDICT_REFUSED;
	cr_expect_eq(happens(NULL, false, 0), HAPPENED_REFUSED);
	verdict.kind = VERDICT_ENDING;
	verdict.role = ROLE_MOUNT;
	cr_expect_eq(happens(NULL, true, 0), HAPPENED_UNMOUNTED);
	cr_expect_eq(happens(NULL, false, 0), HAPPENED_NOTHING);
	verdict.kind = VERDICT_WAITING;
	cr_expect_eq(happens(NULL, true, 0), HAPPENED_UNMOUNTED,
		"the agent's pod went before the mount");
	cr_expect_eq(happens(&run, true, 0), HAPPENED_NOTHING, "still mounted");
	cr_expect_eq(happens(NULL, false, 0), HAPPENED_NOTHING);
	for (enum happening h = HAPPENED_EXPORTED; h < HAPPENINGS; h++) {
		cr_expect(*happening_reason(h, ROLE_MOUNT));
		cr_expect(*happening_reason(h, ROLE_EXPORT));
	}
}

Test(watch_message, patch_keeps_the_time_of_the_last_transition)
{
	static char is_false[] = "False", since[] = "2026-01-01T00:00:00Z";
	struct condition c = {.status = "False", .reason = "R", .message = "\"quoted\"\n"};
	char *text;

	pod.condition_status = is_false;
	pod.condition_since = since;
	text = message_patch(&pod, &c, 1000);
	cr_expect(strstr(text, since));
	cr_expect(strstr(text, "\"uid\":\"u\""), "for that pod alone");
	free(text);
	c.status = "True";
	text = message_patch(&pod, &c, 1000);
	cr_expect(strstr(text, "1970-01-01T00:16:40Z"));
	free(text);
}

Test(watch_message, event_is_cut_between_characters)
{
	char message[1200];
	json_t *event;
	char *text;

	memset(message, 'x', 999);
	(void)snprintf(message + 999, sizeof message - 999, "\u00e4\u00e4\u00e4");
	text = message_event(&pod, "node", HAPPENED_MOUNTED, ROLE_MOUNT, message, 3, 1000, 2000);
	cr_assert(text, "a half character is not UTF-8");
	event = event_load(text, strlen(text));
	cr_expect_eq(json_string_length(json_object_get(event, "message")), 999);
	cr_expect_eq(json_integer_value(json_object_get(event, "count")), 3);
	json_decref(event);
	free(text);
}
