/* SPDX-License-Identifier: Apache-2.0 */
/* Answers fit into one packet, and are JSON, whatever the directory holds. */
#include "mountd/control_items.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mountd/control.h"
#include "mountd/server.h"

static struct daemon d;

static void set_up(void)
{
	log_set(LOG_FORMAT_TEXT, LOG_LEVEL_ERROR);
	cr_assert_eq(loop_new(&d.loop), 0);
	cr_assert_eq(server_new(&d, &d.server), 0);
}

static void tear_down(void)
{
	server_free(d.server);
	desired_clear(&d.desired);
	loop_free(d.loop);
}

TestSuite(control_items, .init = set_up, .fini = tear_down);

static json_t *status_in_one_packet(void)
{
	json_t *status = status_of(&d);
	char *text = json_dumps(status, JSON_COMPACT);

	cr_assert(text);
	cr_expect_leq(strlen(text), CONTROL_PACKET_MAX, "%zu", strlen(text));
	free(text);
	return status;
}

Test(control_items, many_faults_are_counted)
{
	char name[256];
	json_t *status, *faults;
	const char *last;

	for (unsigned i = 0; i < 1500; i++) {
		(void)snprintf(name, sizeof name, "%0200u.json", i);
		cr_assert_eq(desired_put_fault(&d.desired, name, "not a JSON object"), 1);
	}
	status = status_in_one_packet();
	faults = json_object_get(status, "faults");
	cr_assert_eq(json_array_size(faults), 51);
	last = json_string_value(json_array_get(faults, 50));
	cr_expect_str_eq(last, "and 1450 more");
	json_decref(status);
}

Test(control_items, faults_that_swell_as_json)
{
	char name[256], fault[400];
	json_t *status;

	memset(fault, 1, sizeof fault - 1);
	fault[sizeof fault - 1] = '\0';
	for (unsigned i = 0; i < 100; i++) {
		(void)snprintf(name, sizeof name, "\xff%u.json", i);
		cr_assert_eq(desired_put_fault(&d.desired, name, fault), 1);
	}
	status = status_in_one_packet();
	cr_expect_gt(json_array_size(json_object_get(status, "faults")), 5);
	json_decref(status);
}

static void put(const char *name)
{
	static const char text[] =
		"{\"kind\":\"export\",\"run\":\"demo\",\"incarnation\":\"1\","
		"\"volume\":\"/w\",\"clients\":[\"10.0.0.1\"],\"uid\":1,\"gid\":1}";
	struct spec spec;
	struct spec_fault fault;

	cr_assert_eq(spec_parse(text, strlen(text), &spec, &fault), 0, "%s", fault.message);
	cr_assert_eq(desired_put(&d.desired, name, &spec), 1);
}

Test(control_items, an_overruled_file_is_told_by_which)
{
	json_t *status, *faults;

	put("b.json");
	put("a.json");
	status = status_in_one_packet();
	faults = json_object_get(status, "faults");
	cr_assert_eq(json_array_size(faults), 1);
	cr_expect_str_eq(json_string_value(json_array_get(faults, 0)),
		"b.json: a.json speaks of run demo, too, and sorts before it");
	json_decref(status);
}
