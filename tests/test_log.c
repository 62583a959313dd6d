/* SPDX-License-Identifier: Apache-2.0 */
/* Log lines: one line whatever comes in, JSON that parses, nothing cut in its middle. */
#include "mountd/base/log.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <jansson.h>
#include <string.h>
#include <unistd.h>

static char line[LOG_LINE_MAX];

static size_t make(enum log_format format, size_t size, const struct log_field *fields)
{
	size_t n = log_line(line, size, format, LOG_LEVEL_INFO, "event", fields);

	cr_assert_leq(n, size);
	cr_assert_eq(line[n - 1], '\n');
	cr_assert_eq(memchr(line, '\n', n), line + n - 1, "one line");
	line[n - 1] = '\0';
	return n;
}

#define FIELDS(...) ((const struct log_field[]){__VA_ARGS__, {0}})

Test(log, text)
{
	(void)make(LOG_FORMAT_TEXT, sizeof line,
		FIELDS(log_text("run", "demo"), log_number("ms", 17), log_text("rung", NULL),
			log_text("peer", ""),
			log_text("error", "it \"broke\"\nlevel=error\x01\xff")));
	cr_expect_str_eq(line, "level=info event=event run=demo ms=17 "
			       "error=\"it \\\"broke\\\"\\nlevel=error\\u0001\\u00ff\"");
}

Test(log, text_quotes_what_would_split_a_line)
{
	static const char *const texts[] = {"a b", "a=b", "\"", "\\", "\t", "ü", "a\x7f"};

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		(void)make(LOG_FORMAT_TEXT, sizeof line, FIELDS(log_text("key", texts[i])));
		cr_expect_neq(strstr(line, "key=\""), NULL, "%s", line);
	}
}

Test(log, json)
{
	json_t *object;

	(void)make(LOG_FORMAT_JSON, sizeof line,
		FIELDS(log_text("run", "demo"), log_number("ms", 17),
			log_text("error", "\"\\\n\t\x7f\xff\xc3\xbc\xed\xa0\x80")));
	object = json_loads(line, 0, NULL);
	cr_assert(json_is_object(object), "%s", line);
	cr_expect_str_eq(json_string_value(json_object_get(object, "level")), "info");
	cr_expect_eq(json_integer_value(json_object_get(object, "ms")), 17);
	json_decref(object);
}

/* Whatever the size it is cut to, a line stays a line, and JSON stays JSON. */
Test(log, cut_anywhere)
{
	for (size_t size = 64; size < 400; size++) {
		const struct log_field *fields = FIELDS(log_text("run", "demo"),
			log_text("path",
				"/ü/\"\"\"\n\n\n/ü/\x01\x02/𝄞𝄞𝄞/aaaaaaaaaaaaaaaaaaaaaaaaaa"),
			log_number("ms", 123456789), log_text("error", "\\\\\\\\\\\\\\\\\\\\ü𝄞"));
		json_t *object;

		(void)make(LOG_FORMAT_TEXT, size, fields);
		(void)make(LOG_FORMAT_JSON, size, fields);
		object = json_loads(line, 0, NULL);
		cr_assert(json_is_object(object), "%zu: %s", size, line);
		json_decref(object);
	}
}

static uint64_t now;

static uint64_t clock_ms(void)
{
	return now;
}

static size_t count_lines(int fd)
{
	char buffer[65536];
	size_t lines = 0;
	ssize_t n;

	while ((n = read(fd, buffer, sizeof buffer)) > 0)
		for (ssize_t i = 0; i < n; i++)
			lines += buffer[i] == '\n';
	return lines;
}

/* Standard error becomes a pipe; its other end is returned. */
static int catch_stderr(void)
{
	int ends[2];

	cr_assert_eq(pipe2(ends, O_CLOEXEC), 0);
	cr_assert_eq(fcntl(ends[0], F_SETFL, O_NONBLOCK), 0);
	cr_assert_geq(fcntl(ends[1], F_SETPIPE_SZ, 1 << 20), 0);
	cr_assert_eq(dup2(ends[1], STDERR_FILENO), STDERR_FILENO);
	return ends[0];
}

Test(log, rate_is_bounded)
{
	int out = catch_stderr();

	now = 1000;
	log_set_clock(clock_ms);
	for (int i = 0; i < LOG_BURST + 500; i++)
		log_event(LOG_LEVEL_INFO, "x");
	cr_expect_eq(count_lines(out), LOG_BURST);
	now += 1000;
	for (int i = 0; i < 500; i++)
		log_event(LOG_LEVEL_INFO, "x");
	cr_expect_eq(count_lines(out), LOG_PER_SECOND + 1, "and one that tells of the dropped");
}

Test(log, level_is_kept)
{
	int out = catch_stderr();

	log_set(LOG_FORMAT_TEXT, LOG_LEVEL_WARNING);
	log_event(LOG_LEVEL_INFO, "x");
	log_event(LOG_LEVEL_WARNING, "x");
	log_event(LOG_LEVEL_ERROR, "x");
	cr_expect_eq(count_lines(out), 2);
}

Test(log, reader_that_stopped_reading_costs_lines_not_time, .timeout = 10)
{
	int out = catch_stderr();

	log_set(LOG_FORMAT_TEXT, LOG_LEVEL_INFO);
	for (int i = 0; i < 200000; i++)
		log_event(LOG_LEVEL_INFO, "something-happened", log_text("run", "demo"));
	cr_expect_gt(count_lines(out), 1000);
}

Test(log, names)
{
	enum log_format format;
	enum log_level level;

	cr_expect_eq(log_format_parse("json", &format), 0);
	cr_expect_eq(format, LOG_FORMAT_JSON);
	cr_expect_lt(log_format_parse("xml", &format), 0);
	cr_expect_eq(log_level_parse("debug", &level), 0);
	cr_expect_eq(level, LOG_LEVEL_DEBUG);
	cr_expect_lt(log_level_parse("", &level), 0);
}
