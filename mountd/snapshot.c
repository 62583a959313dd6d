/* SPDX-License-Identifier: Apache-2.0 */
/* Everything that one source wants of this node, taken in at once. */
#include "mountd/snapshot.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mountd/base/cleanup.h"

#define FILE_NAME_SIZE (2 * NAME_MAX_LENGTH + sizeof "..export.json")

struct wanted {
	char name[FILE_NAME_SIZE];
	struct spec spec;
	bool staged;
};

struct snapshot {
	char source[NAME_MAX_LENGTH + 1];
	json_int_t parts;
	struct wanted *wanted;
	size_t n;
	size_t room;
};

static void clear(struct snapshot *s)
{
	while (s->n)
		spec_clear(&s->wanted[--s->n].spec);
	free(s->wanted);
	*s = (struct snapshot){0};
}

void snapshot_free(struct snapshot *s)
{
	if (s)
		clear(s);
	free(s);
}

static int refuse(struct spec_fault *fault, const char *field, const char *message)
{
	(void)snprintf(fault->field, sizeof fault->field, "%s", field);
	(void)snprintf(fault->message, sizeof fault->message, "%s", message);
	return -EINVAL;
}

static int grow(struct snapshot *s)
{
	size_t room = s->room ? 2 * s->room : 64;
	struct wanted *wanted;

	if (s->n < s->room)
		return 0;
	wanted = reallocarray(s->wanted, room, sizeof *wanted);
	if (!wanted)
		return -ENOMEM;
	s->wanted = wanted;
	s->room = room;
	return 0;
}

static int add_spec(struct snapshot *s, const json_t *object, size_t at, struct spec_fault *fault)
{
	char field[sizeof fault->field];
	struct spec spec;
	struct wanted *w;
	int r = grow(s);

	if (r == 0)
		r = spec_from_json(object, &spec, fault);
	if (r == -EINVAL) {
		(void)snprintf(field, sizeof field, "specs[%zu]%s%.32s", at,
			fault->field[0] ? "." : "", fault->field);
		(void)snprintf(fault->field, sizeof fault->field, "%s", field);
	}
	if (r < 0)
		return r;
	w = &s->wanted[s->n++];
	w->spec = spec;
	w->staged = false;
	(void)snprintf(w->name, sizeof w->name, "%s.%s.%s.json", s->source, spec_id(&spec)->run,
		spec.role == ROLE_EXPORT ? "export" : "mount");
	return 0;
}

static int begin(struct snapshot **snapshot, const char *source)
{
	if (!*snapshot)
		*snapshot = calloc(1, sizeof **snapshot);
	if (!*snapshot)
		return -ENOMEM;
	clear(*snapshot);
	(void)snprintf((*snapshot)->source, sizeof(*snapshot)->source, "%s", source);
	return 0;
}

int snapshot_add(struct snapshot **snapshot, const char *source, json_int_t part,
	const json_t *specs, struct spec_fault *fault)
{
	struct snapshot *s;
	int r = part == 1 ? begin(snapshot, source) : 0;

	if (r < 0)
		return r;
	s = *snapshot;
	if (!s || part != s->parts + 1)
		return refuse(
			fault, "part", "out of turn: parts are numbered from 1, on one connection");
	if (strcmp(s->source, source) != 0)
		return refuse(fault, "source", "another one than in the first part");
	if (s->n + json_array_size(specs) > SNAPSHOT_SPECS_MAX)
		return refuse(fault, "specs", "more than 20000 in one snapshot");
	for (size_t i = 0; i < json_array_size(specs); i++) {
		r = add_spec(s, json_array_get(specs, i), i, fault);
		if (r < 0)
			return r;
	}
	s->parts = part;
	return 0;
}

/* A run's name has no dot, so apply's <run>.<kind>.json has one less than a source's file. */
static bool is_of_source(const char *name, const char *source)
{
	size_t n = strlen(source), dots = 0;

	if (strncmp(name, source, n) != 0 || name[n] != '.')
		return false;
	for (; *name; name++)
		dots += *name == '.';
	return dots == 3;
}

static int compare(const void *a, const void *b)
{
	return strcmp(((const struct wanted *)a)->name, ((const struct wanted *)b)->name);
}

static int stage(struct wanted *w, struct source_dir *dir, const struct desired *desired)
{
	const struct desired_file *file = desired_file(desired, w->name);
	_cleanup_free_ char *text = NULL;
	json_t *object;
	int r;

	if (file && file->has_spec && !file->fault && spec_equal(&file->spec, &w->spec))
		return 0;
	object = spec_to_json(&w->spec);
	text = object ? json_dumps(object, JSON_INDENT(2)) : NULL;
	json_decref(object);
	r = text ? source_dir_stage(dir, w->name, text, strlen(text)) : -ENOMEM;
	w->staged = r == 0;
	return r;
}

/* The disk may fill up on the way: until all is written, nothing counts. */
static int write_all(
	const struct snapshot *s, struct source_dir *dir, const struct desired *desired)
{
	int r = 0;

	for (size_t i = 0; i < s->n && r == 0; i++)
		if (!i || compare(&s->wanted[i - 1], &s->wanted[i]) != 0)
			r = stage(&s->wanted[i], dir, desired);
	for (size_t i = 0; i < s->n && r == 0; i++) {
		if (!s->wanted[i].staged)
			continue;
		r = source_dir_commit(dir, s->wanted[i].name);
		s->wanted[i].staged = r < 0;
	}
	for (size_t i = 0; i < s->n; i++)
		if (s->wanted[i].staged)
			source_dir_discard(dir, s->wanted[i].name);
	return r;
}

static int remove_others(
	const struct snapshot *s, struct source_dir *dir, const struct desired *desired)
{
	for (size_t i = desired->n; i-- > 0;) {
		struct wanted key = {0};

		if (!is_of_source(desired->files[i]->name, s->source))
			continue;
		(void)snprintf(key.name, sizeof key.name, "%s", desired->files[i]->name);
		if (strcmp(key.name, desired->files[i]->name) == 0 && s->n &&
			bsearch(&key, s->wanted, s->n, sizeof key, compare))
			continue;
		_cleanup_free_ char *name = strdup(desired->files[i]->name);
		int r = name ? source_dir_remove(dir, name) : -ENOMEM;
		if (r < 0)
			return r;
	}
	return 0;
}

int snapshot_commit(const struct snapshot *s, struct source_dir *dir, const struct desired *desired)
{
	int r;

	if (s->n)
		qsort(s->wanted, s->n, sizeof *s->wanted, compare);
	source_dir_hold(dir, true);
	r = write_all(s, dir, desired);
	if (r == 0)
		r = remove_others(s, dir, desired);
	source_dir_hold(dir, false);
	return r;
}
