/* SPDX-License-Identifier: Apache-2.0 */
/* Reading mountinfo: strict about its form, indifferent to what the texts hold. */
#include "nfs/actual.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "mountd/base/cleanup.h"

void actual_mounts_clear(struct actual_mounts *mounts)
{
	for (size_t i = 0; i < mounts->n; i++)
		free(mounts->list[i].line);
	free(mounts->list);
	free(mounts->by_id);
	free(mounts->by_place);
	*mounts = (struct actual_mounts){0};
}

/* The kernel writes space, tab, newline, backslash and # as \ooo. */
static void unescape(char *text)
{
	char *out = text;

	for (const char *p = text; *p; p++) {
		if (p[0] == '\\' && p[1] >= '0' && p[1] <= '3' && p[2] >= '0' && p[2] <= '7' &&
			p[3] >= '0' && p[3] <= '7' && memcmp(p + 1, "000", 3) != 0) {
			*out++ = (char)((p[1] - '0') << 6 | (p[2] - '0') << 3 | (p[3] - '0'));
			p += 3;
		} else {
			*out++ = *p;
		}
	}
	*out = '\0';
}

/* Fields are separated by exactly one space and may be empty: a source can be. */
static char *next_field(char **rest)
{
	return *rest ? strsep(rest, " ") : NULL;
}

static int next_number(char **rest, uint64_t *ret)
{
	const char *field = next_field(rest);

	return field ? parse_unsigned(field, 0, UINT64_MAX, ret) : -EINVAL;
}

static int next_device(char **rest, struct actual_mount *m)
{
	char *minor_text = next_field(rest), *major_text = strsep(&minor_text, ":");
	uint64_t major, minor;

	if (!major_text || !minor_text || parse_unsigned(major_text, 0, UINT32_MAX, &major) < 0 ||
		parse_unsigned(minor_text, 0, UINT32_MAX, &minor) < 0)
		return -EINVAL;
	m->major = (unsigned)major;
	m->minor = (unsigned)minor;
	return 0;
}

static int next_optional_fields(char **rest, struct actual_mount *m)
{
	for (;;) {
		const char *field = next_field(rest);
		if (!field)
			return -EINVAL;
		if (strcmp(field, "-") == 0)
			return 0;
		if (strncmp(field, "shared:", 7) == 0)
			m->shared = true;
		else if (strncmp(field, "master:", 7) == 0)
			m->slave = true;
	}
}

static int next_text(char **rest, const char **ret)
{
	char *field = next_field(rest);

	if (!field)
		return -EINVAL;
	unescape(field);
	*ret = field;
	return 0;
}

/* line is cut up; joined has room for both option lists. */
static int parse_fields(char *line, char *joined, struct actual_mount *m)
{
	char *rest = line;
	const char *own, *super;

	if (next_number(&rest, &m->id) < 0 || next_number(&rest, &m->parent) < 0 ||
		next_device(&rest, m) < 0 || next_text(&rest, &m->root) < 0 ||
		next_text(&rest, &m->target) < 0)
		return -EINVAL;
	own = next_field(&rest);
	if (!own || !*own || m->target[0] != '/' || next_optional_fields(&rest, m) < 0)
		return -EINVAL;
	if (next_text(&rest, &m->fstype) < 0 || next_text(&rest, &m->source) < 0)
		return -EINVAL;
	super = next_field(&rest);
	if (!super || !*m->fstype)
		return -EINVAL;
	m->options = joined;
	(void)stpcpy(stpcpy(stpcpy(joined, own), *super ? "," : ""), super);
	return 0;
}

static int parse_line(const char *text, size_t length, struct actual_mount *ret)
{
	struct actual_mount m = {0};
	_cleanup_free_ char *line = NULL;

	if (memchr(text, '\0', length))
		return -EINVAL;
	line = malloc(2 * length + 3);
	if (!line)
		return -ENOMEM;
	memcpy(line, text, length);
	line[length] = '\0';
	if (parse_fields(line, line + length + 1, &m) < 0)
		return -EINVAL;
	m.line = TAKE_PTR(line);
	*ret = m;
	return 0;
}

static int append(struct actual_mounts *mounts, size_t *room, const char *text, size_t length)
{
	if (mounts->n == *room) {
		size_t wanted = *room ? 2 * *room : 64;
		struct actual_mount *list =
			reallocarray(mounts->list, wanted, sizeof *mounts->list);
		if (!list)
			return -ENOMEM;
		mounts->list = list;
		*room = wanted;
	}
	int error = parse_line(text, length, &mounts->list[mounts->n]);
	if (error < 0)
		return error;
	mounts->n++;
	return 0;
}

/* What is equal stays in the order of the table. */
static int compare_order(const struct actual_mount *x, const struct actual_mount *y)
{
	return x < y ? -1 : x > y;
}

static int compare_ids(const void *a, const void *b)
{
	const struct actual_mount *x = *(struct actual_mount *const *)a;
	const struct actual_mount *y = *(struct actual_mount *const *)b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return compare_order(x, y);
}

static int compare_places(const void *a, const void *b)
{
	const struct actual_mount *x = *(struct actual_mount *const *)a;
	const struct actual_mount *y = *(struct actual_mount *const *)b;
	int order;

	if (x->orphan != y->orphan)
		return x->orphan ? -1 : 1;
	if (!x->orphan && x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	order = strcmp(x->target, y->target);
	return order ? order : compare_order(x, y);
}

/* Thousands of mounts are asked for, one by one, by whoever follows them. */
static int sort(struct actual_mounts *mounts)
{
	size_t n = mounts->n;

	mounts->by_id = calloc(n + 1, sizeof(struct actual_mount *));
	mounts->by_place = calloc(n + 1, sizeof(struct actual_mount *));
	if (!mounts->by_id || !mounts->by_place)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		mounts->by_id[i] = mounts->by_place[i] = &mounts->list[i];
	qsort(mounts->by_id, n, sizeof(struct actual_mount *), compare_ids);
	for (size_t i = 0; i < n; i++) {
		struct actual_mount *m = &mounts->list[i];
		m->orphan = m->parent == m->id || !actual_mounts_by_id(mounts, m->parent);
	}
	qsort(mounts->by_place, n, sizeof(struct actual_mount *), compare_places);
	return 0;
}

int actual_mounts_parse(const char *text, size_t size, struct actual_mounts *ret)
{
	_cleanup_mounts_ struct actual_mounts mounts = {0};
	size_t room = 0;
	int error;

	while (size > 0) {
		const char *end = memchr(text, '\n', size);
		if (!end)
			return -EINVAL;
		size_t length = (size_t)(end - text);
		error = append(&mounts, &room, text, length);
		if (error < 0)
			return error;
		text += length + 1;
		size -= length + 1;
	}
	error = sort(&mounts);
	if (error < 0)
		return error;
	*ret = mounts;
	mounts = (struct actual_mounts){0};
	return 0;
}

static int read_all(int fd, char **ret, size_t *ret_size)
{
	_cleanup_free_ char *text = NULL;
	size_t room = 0, size = 0;

	if (lseek(fd, 0, SEEK_SET) < 0)
		return -errno;
	for (;;) {
		if (room - size < 4096) {
			room = room ? 2 * room : 32768;
			char *larger = realloc(text, room);
			if (!larger)
				return -ENOMEM;
			text = larger;
		}
		ssize_t got = read(fd, text + size, room - size);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (got == 0)
			break;
		size += (size_t)got;
	}
	*ret = TAKE_PTR(text);
	*ret_size = size;
	return 0;
}

int actual_mounts_read(int fd, struct actual_mounts *ret)
{
	_cleanup_free_ char *text = NULL;
	size_t size = 0;
	int error = read_all(fd, &text, &size);

	return error < 0 ? error : actual_mounts_parse(text, size, ret);
}

int actual_mounts_read_own(struct actual_mounts *ret)
{
	_cleanup_close_ int fd = open("/proc/thread-self/mountinfo", O_RDONLY | O_CLOEXEC);

	return fd < 0 ? -errno : actual_mounts_read(fd, ret);
}
