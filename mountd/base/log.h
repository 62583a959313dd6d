/* SPDX-License-Identifier: Apache-2.0 */
/* Events on stderr: one line each, key=value or JSON, safe against newlines and quotes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum log_level {
	LOG_LEVEL_ERROR,
	LOG_LEVEL_WARNING,
	LOG_LEVEL_INFO,
	LOG_LEVEL_DEBUG,
};

enum log_format {
	LOG_FORMAT_TEXT,
	LOG_FORMAT_JSON,
};

struct log_field {
	const char *key;  /* [a-z_]+; NULL ends a list */
	const char *text; /* NULL: the field is a number */
	uint64_t number;
	bool skip;
};

/* A text that is NULL or empty leaves its field out. */
static inline struct log_field log_text(const char *key, const char *text)
{
	return (struct log_field){key, text, 0, !text || !*text};
}

static inline struct log_field log_number(const char *key, uint64_t number)
{
	return (struct log_field){key, NULL, number, false};
}

void log_set(enum log_format format, enum log_level level);

/*
 * Without a clock (monotonic milliseconds) nothing is rate-limited; with one, what goes beyond
 * LOG_BURST lines is dropped, refilled by LOG_PER_SECOND, and the number dropped is told later.
 */
#define LOG_BURST      4000
#define LOG_PER_SECOND 100
void log_set_clock(uint64_t (*now_ms)(void));

/* Writes to fd 2 and never waits: a reader that has stopped reading loses lines. */
void log_write(enum log_level level, const char *event, const struct log_field *fields);

#define log_event(level, event, ...) \
	log_write(level, event, (const struct log_field[]){__VA_ARGS__ __VA_OPT__(, ){0}})

/* The line that log_write() writes, newline included; cut to size. Returns its length. */
#define LOG_LINE_MAX 2048
size_t log_line(char *line, size_t size, enum log_format format, enum log_level level,
	const char *event, const struct log_field *fields);

/* "text" or "json"; "error", "warning", "info" or "debug". -EINVAL. */
int log_format_parse(const char *text, enum log_format *ret);
int log_level_parse(const char *text, enum log_level *ret);
