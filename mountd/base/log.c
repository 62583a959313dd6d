/* SPDX-License-Identifier: Apache-2.0 */
/* Events on stderr: one line each, key=value or JSON, safe against newlines and quotes. */
#include "mountd/base/log.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "mountd/base/utf8.h"

static const char *const level_names[] = {
	[LOG_LEVEL_ERROR] = "error",
	[LOG_LEVEL_WARNING] = "warning",
	[LOG_LEVEL_INFO] = "info",
	[LOG_LEVEL_DEBUG] = "debug",
};

static const char *const format_names[] = {
	[LOG_FORMAT_TEXT] = "text",
	[LOG_FORMAT_JSON] = "json",
};

static struct {
	enum log_format format;
	enum log_level level;
	uint64_t (*now_ms)(void);
	uint64_t filled_ms;
	uint64_t tokens; /* thousandths of a line */
	uint64_t dropped;
} state = {.level = LOG_LEVEL_INFO, .tokens = LOG_BURST * 1000ULL};

/* Appends to a buffer that always keeps room for a closing quote, brace and newline. */
struct writer {
	char *text;
	size_t length;
	size_t room;
};

static void put(struct writer *w, const char *text, size_t n)
{
	if (n > w->room - w->length)
		n = w->room - w->length;
	memcpy(w->text + w->length, text, n);
	w->length += n;
}

static void put_text(struct writer *w, const char *text)
{
	put(w, text, strlen(text));
}

/* Whole or not at all, so that a cut never falls inside an escape or a UTF-8 sequence. */
static bool put_whole(struct writer *w, const char *text, size_t n)
{
	if (n > w->room - w->length)
		return false;
	put(w, text, n);
	return true;
}

static void put_quoted(struct writer *w, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	char escape[8];

	put_text(w, "\"");
	while (*s) {
		size_t n = utf8_length(s);
		int length;

		if (n > 1 || (n == 1 && *s >= 0x20 && *s != 0x7f && *s != '"' && *s != '\\')) {
			if (!put_whole(w, (const char *)s, n))
				break;
			s += n;
			continue;
		}
		if (*s == '"' || *s == '\\')
			length = snprintf(escape, sizeof escape, "\\%c", *s);
		else if (*s == '\n')
			length = snprintf(escape, sizeof escape, "\\n");
		else
			length = snprintf(escape, sizeof escape, "\\u%04x", *s);
		if (!put_whole(w, escape, (size_t)length))
			break;
		s++;
	}
	w->room++; /* the room kept back for this quote */
	put_text(w, "\"");
}

static bool is_bare(const char *text)
{
	for (const char *s = text; *s; s++)
		if (*s <= ' ' || *s > '~' || *s == '"' || *s == '=' || *s == '\\')
			return false;
	return *text != '\0';
}

static void put_field(struct writer *w, enum log_format format, const struct log_field *f)
{
	char number[24];
	size_t need = strlen(f->key) + 4;

	(void)snprintf(number, sizeof number, "%" PRIu64, f->number);
	if (need + (f->text ? 2 : strlen(number)) > w->room - w->length)
		return;
	if (format == LOG_FORMAT_JSON)
		put_text(w, ",\"");
	else
		put_text(w, " ");
	put_text(w, f->key);
	put_text(w, format == LOG_FORMAT_JSON ? "\":" : "=");
	if (!f->text) {
		put_text(w, number);
	} else if (format == LOG_FORMAT_TEXT && is_bare(f->text)) {
		put_text(w, f->text);
	} else {
		w->room--;
		put_quoted(w, f->text);
	}
}

size_t log_line(char *line, size_t size, enum log_format format, enum log_level level,
	const char *event, const struct log_field *fields)
{
	struct writer w = {line, 0, size - 2};

	if (format == LOG_FORMAT_JSON)
		put_text(&w, "{\"level\":\"");
	else
		put_text(&w, "level=");
	put_text(&w, level_names[level]);
	if (format == LOG_FORMAT_JSON)
		put_text(&w, "\"");
	put_field(&w, format, &(struct log_field){"event", event, 0, false});
	for (const struct log_field *f = fields; f->key; f++)
		if (!f->skip)
			put_field(&w, format, f);
	w.room += 2;
	put_text(&w, format == LOG_FORMAT_JSON ? "}\n" : "\n");
	return w.length;
}

static void write_line(enum log_level level, const char *event, const struct log_field *fields)
{
	char line[LOG_LINE_MAX];
	size_t length = log_line(line, sizeof line, state.format, level, event, fields);
	struct pollfd out = {.fd = STDERR_FILENO, .events = POLLOUT};

	/* A line is shorter than PIPE_BUF: a pipe that polls writable takes it whole. */
	if (poll(&out, 1, 0) != 1 || !(out.revents & POLLOUT) ||
		write(STDERR_FILENO, line, length) < 0)
		state.dropped++;
}

static bool take_token(void)
{
	if (!state.now_ms)
		return true;

	uint64_t now = state.now_ms();
	uint64_t filled = (now - state.filled_ms) * LOG_PER_SECOND;

	state.filled_ms = now;
	state.tokens = state.tokens + filled > LOG_BURST * 1000ULL ? LOG_BURST * 1000ULL
								   : state.tokens + filled;
	if (state.tokens < 1000)
		return false;
	state.tokens -= 1000;
	return true;
}

void log_write(enum log_level level, const char *event, const struct log_field *fields)
{
	int saved = errno;

	if (level > state.level)
		return;
	if (!take_token()) {
		state.dropped++;
		return;
	}
	if (state.dropped) {
		struct log_field lost[] = {log_number("lines", state.dropped), {0}};

		state.dropped = 0;
		write_line(LOG_LEVEL_WARNING, "log-lines-dropped", lost);
	}
	write_line(level, event, fields);
	errno = saved;
}

void log_set(enum log_format format, enum log_level level)
{
	state.format = format;
	state.level = level;
}

void log_set_clock(uint64_t (*now_ms)(void))
{
	state.now_ms = now_ms;
	state.filled_ms = now_ms ? now_ms() : 0;
}

static int parse_name(const char *text, const char *const *names, int n)
{
	for (int i = 0; i < n; i++)
		if (strcmp(text, names[i]) == 0)
			return i;
	return -EINVAL;
}

int log_format_parse(const char *text, enum log_format *ret)
{
	int i = parse_name(text, format_names, sizeof format_names / sizeof *format_names);

	if (i < 0)
		return i;
	*ret = (enum log_format)i;
	return 0;
}

int log_level_parse(const char *text, enum log_level *ret)
{
	int i = parse_name(text, level_names, sizeof level_names / sizeof *level_names);

	if (i < 0)
		return i;
	*ret = (enum log_level)i;
	return 0;
}
