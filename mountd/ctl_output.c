/* SPDX-License-Identifier: Apache-2.0 */
/* What is printed: aligned tables for people, JSON for programs, faults for both. */
#include "mountd/ctl.h"

#include <stdarg.h>
#include <string.h>

static const char *const exit_names[] = {
	[CTL_OK] = "ok",
	[CTL_FAILED] = "failed",
	[CTL_USAGE] = "usage",
	[CTL_NOT_FOUND] = "not-found",
	[CTL_REFUSED] = "refused",
	[CTL_UNREACHABLE] = "unreachable",
	[CTL_TIMEOUT] = "timeout",
	[CTL_MODULE_MISSING] = "module-missing",
	[CTL_UNHEALTHY] = "unhealthy",
};
_Static_assert(sizeof exit_names / sizeof exit_names[0] == CTL_EXIT_COUNT, "a name for each");

const char *ctl_exit_name(enum ctl_exit code)
{
	return code < CTL_EXIT_COUNT ? exit_names[code] : exit_names[CTL_FAILED];
}

enum ctl_exit ctl_exit_from_kind(const char *kind)
{
	if (strcmp(kind, "drained") == 0)
		return CTL_REFUSED;
	for (unsigned i = CTL_FAILED; i < CTL_EXIT_COUNT; i++)
		if (strcmp(kind, exit_names[i]) == 0)
			return (enum ctl_exit)i;
	return CTL_FAILED;
}

int ctl_fault_set(struct ctl_fault *f, enum ctl_exit code, const char *now, const char *format, ...)
{
	va_list args;

	*f = (struct ctl_fault){.code = code};
	va_start(args, format);
	(void)vsnprintf(f->what, sizeof f->what, format, args);
	va_end(args);
	(void)snprintf(f->now, sizeof f->now, "%s", now ? now : "");
	return code;
}

/* A path or a peer's text may hold what steers a terminal. */
static void put_text(FILE *out, const char *text)
{
	for (const char *p = text; *p; p++) {
		unsigned char c = (unsigned char)*p;
		if (c < 0x20 || c == 0x7f)
			fprintf(out, "\\x%02x", c);
		else
			fputc(c, out);
	}
}

/* Columns that put_text() takes: one for each UTF-8 code point, four for an escape. */
static size_t byte_width(unsigned char c)
{
	if (c < 0x20 || c == 0x7f)
		return 4;
	return (c & 0xc0) != 0x80;
}

static size_t text_width(const char *text)
{
	size_t width = 0;

	for (const char *p = text; *p; p++)
		width += byte_width((unsigned char)*p);
	return width;
}

static const char *cell(const json_t *row, size_t column)
{
	const char *text = json_string_value(json_array_get(row, column));

	return text && *text ? text : "-";
}

static size_t column_width(const json_t *rows, size_t column)
{
	size_t width = 0, i;
	json_t *row;

	json_array_foreach(rows, i, row) {
		size_t w = text_width(cell(row, column));
		width = w > width ? w : width;
	}
	return width;
}

static void print_row(const json_t *rows, const json_t *row)
{
	size_t n = json_array_size(row);

	for (size_t c = 0; c < n; c++) {
		put_text(stdout, cell(row, c));
		if (c + 1 == n)
			break;
		size_t pad = column_width(rows, c) - text_width(cell(row, c)) + 2;
		printf("%*s", (int)pad, "");
	}
	putchar('\n');
}

void ctl_print_table(const json_t *rows)
{
	size_t i;
	json_t *row;

	json_array_foreach(rows, i, row)
		print_row(rows, row);
}

void ctl_print_text(const char *text)
{
	put_text(stdout, text);
}

void ctl_print_field(const char *name, const char *value)
{
	printf("%-13s ", name);
	put_text(stdout, value);
	putchar('\n');
}

void ctl_print_json(const json_t *json)
{
	(void)json_dumpf(json, stdout, JSON_INDENT(2));
	putchar('\n');
}

void ctl_format_age(int64_t seconds, char text[CTL_AGE_SIZE])
{
	long long s = seconds > 0 ? seconds : 0; /* a clock that was set back is no news */

	if (s < 60)
		(void)snprintf(text, CTL_AGE_SIZE, "%llds", s);
	else if (s < 3600)
		(void)snprintf(text, CTL_AGE_SIZE, "%lldm%02llds", s / 60, s % 60);
	else if (s < 86400)
		(void)snprintf(text, CTL_AGE_SIZE, "%lldh%02lldm", s / 3600, s / 60 % 60);
	else
		(void)snprintf(text, CTL_AGE_SIZE, "%lldd%02lldh", s / 86400, s / 3600 % 24);
}

static void print_fault_json(const struct ctl_fault *fault)
{
	_cleanup_json_ json_t *json = json_pack("{s:{s:s, s:s}}", "error", "kind",
		ctl_exit_name(fault->code), "message", fault->what);
	json_t *error = json_object_get(json, "error");

	if (fault->field[0])
		(void)json_object_set_new(error, "field", json_string(fault->field));
	if (fault->now[0])
		(void)json_object_set_new(error, "advice", json_string(fault->now));
	if (fault->seen)
		(void)json_object_set_new(error, "seen", json_string(fault->seen));
	/* Not UTF-8 (an argument's own bytes): the kind is still told. */
	if (!json)
		json = json_pack("{s:{s:s}}", "error", "kind", ctl_exit_name(fault->code));
	ctl_print_json(json);
}

void ctl_print_fault(const struct ctl_args *args, const struct ctl_fault *fault)
{
	fputs("kora-mountctl: ", stderr);
	put_text(stderr, fault->what);
	fputc('\n', stderr);
	if (fault->now[0]) {
		fputs("  what now: ", stderr);
		put_text(stderr, fault->now);
		fputc('\n', stderr);
	}
	if (args->json)
		print_fault_json(fault);
}
