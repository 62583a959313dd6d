/* SPDX-License-Identifier: Apache-2.0 */
/* Streams of JSON cut into objects, however the bytes arrive. */
#include "mountd/watch_split.h"

#include <errno.h>
#include <jansson.h>

#include "mountd/watch_event.h"
#include "mountd/watch_pod.h"
#include "tests/watch/recording.h"

static unsigned count, deleted, bookmarks, errors;
static size_t longest;

static int on_event(void *data, const char *text, size_t size)
{
	struct event e;

	(void)data;
	cr_assert_eq(strlen(text), size);
	cr_assert_eq(event_parse(text, size, &e), 0, "%s", text);
	count++;
	deleted += e.kind == EVENT_DELETED;
	bookmarks += e.kind == EVENT_BOOKMARK;
	errors += e.kind == EVENT_ERROR;
	longest = size > longest ? size : longest;
	cr_expect_null(strstr(text, "f:metadata"), "managedFields are left out");
	event_clear(&e);
	return 0;
}

static int on_item(void *data, const char *text, size_t size)
{
	json_t *object = event_load(text, size);

	(void)data;
	cr_assert(object, "%s", text);
	cr_expect(*json_resource_version(object));
	json_decref(object);
	count++;
	return 0;
}

static int feed(enum split_kind kind, const char *text, size_t size, size_t step, bool *ret_whole)
{
	struct split *s;
	int r = 0;

	cr_assert_eq(
		split_new(kind, 1 << 16, kind == SPLIT_EVENTS ? on_event : on_item, NULL, &s), 0);
	for (size_t at = 0; at < size && r == 0; at += step)
		r = split_feed(s, text + at, size - at < step ? size - at : step);
	*ret_whole = split_is_whole(s);
	split_free(s);
	return r;
}

Test(watch_split, recorded_life_of_a_pod_in_pieces_of_any_size)
{
	size_t steps[] = {1, 2, 7, 1000, 1 << 20}, size;
	char *text = recording("watch-lifecycle", &size);
	bool whole;

	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
		count = deleted = bookmarks = 0;
		cr_assert_eq(feed(SPLIT_EVENTS, text, size, steps[i], &whole), 0);
		cr_expect(whole);
		cr_expect_eq(count, 13);
		cr_expect_eq(deleted, 1);
		cr_expect_eq(bookmarks, 3);
	}
	cr_expect_lt(longest, 4500, "%zu", longest);
	free(text);
}

Test(watch_split, expired_version_is_an_event)
{
	size_t size;
	char *text = recording("watch-410", &size);
	bool whole;

	cr_assert_eq(feed(SPLIT_EVENTS, text, size, 3, &whole), 0);
	cr_expect_eq(errors, 1);
	free(text);
}

Test(watch_split, stream_cut_in_mid_line)
{
	size_t size;
	char *text = recording("watch-lifecycle", &size);
	bool whole;

	cr_assert_eq(feed(SPLIT_EVENTS, text, size / 2, 512, &whole), 0);
	cr_expect_not(whole);
	free(text);
}

Test(watch_split, recorded_lists)
{
	static const char *const names[] = {"list-limit1", "list-node-vm"};

	for (size_t i = 0; i < 2; i++) {
		size_t size, frame_size;
		char *text = recording(names[i], &size);
		struct split *s;
		json_t *frame;

		count = 0;
		cr_assert_eq(split_new(SPLIT_LIST, 1 << 16, on_item, NULL, &s), 0);
		for (size_t at = 0; at < size; at++)
			cr_assert_eq(split_feed(s, text + at, 1), 0);
		cr_expect(split_is_whole(s));
		cr_expect_eq(count, 1);
		(void)split_frame(s, &frame_size);
		frame = event_load(split_frame(s, &frame_size), frame_size);
		cr_assert(frame, "%s", split_frame(s, &frame_size));
		cr_expect(*json_resource_version(frame));
		cr_expect_eq(json_array_size(json_object_get(frame, "items")), 0);
		json_decref(frame);
		split_free(s);
		free(text);
	}
}

Test(watch_split, object_that_is_too_long_is_an_error_and_takes_no_memory)
{
	struct split *s;
	int r = 0;

	cr_assert_eq(split_new(SPLIT_EVENTS, 1 << 16, on_event, NULL, &s), 0);
	cr_assert_eq(split_feed(s, "{\"a\":\"", 6), 0);
	for (unsigned i = 0; i < 1 << 20 && r == 0; i++)
		r = split_feed(s, "xxxxxxxx", 8);
	cr_expect_eq(r, -EMSGSIZE);
	split_free(s);
}

Test(watch_split, endless_managed_fields_take_no_memory)
{
	struct split *s;

	cr_assert_eq(split_new(SPLIT_EVENTS, 1 << 10, on_event, NULL, &s), 0);
	cr_assert_eq(split_feed(s, "{\"type\":\"ADDED\",\"object\":{\"managedFields\":[", 43), 0);
	for (unsigned i = 0; i < 10000; i++)
		cr_assert_eq(split_feed(s, "{\"f:x\":{}},", 11), 0);
	cr_assert_eq(split_feed(s, "{}]}}", 5), 0);
	cr_expect_eq(count, 1);
	split_free(s);
}

Test(watch_split, what_is_no_json)
{
	static const char *const texts[] = {"<html>", "}", "]", "\"x\"", "[1]", "7"};
	bool whole;

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		cr_expect_eq(feed(SPLIT_EVENTS, texts[i], strlen(texts[i]), 1, &whole), -EBADMSG,
			"%s", texts[i]);
	cr_expect_eq(feed(SPLIT_LIST, "{}{", 3, 1, &whole), -EBADMSG);
	cr_expect_eq(feed(SPLIT_LIST, "{\"items\":[", 10, 1, &whole), 0);
	cr_expect_not(whole);
}

Test(watch_split, braces_and_quotes_in_texts)
{
	static const char text[] =
		"{\"type\":\"BOOKMARK\",\"object\":{\"a\\\"}\":\"}{][\\\\\"}} \n";
	bool whole;

	cr_assert_eq(feed(SPLIT_EVENTS, text, strlen(text), 1, &whole), 0);
	cr_expect_eq(bookmarks, 1);
	cr_expect(whole);
}
