/* SPDX-License-Identifier: Apache-2.0 */
/* What the spec files ask for, file by file, with the last good version of each. */
#include "mountd/desired.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "mountd/base/slab.h"

static struct slab memory = {.size = sizeof(struct desired_file)};

/* Where name is, or belongs. */
static size_t position(const struct desired *d, const char *name, bool *ret_found)
{
	size_t low = 0, high = d->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = strcmp(d->files[middle]->name, name);

		if (order == 0) {
			*ret_found = true;
			return middle;
		}
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	*ret_found = false;
	return low;
}

/* Where the file of that name is among those that speak of run and role, or belongs. */
static size_t run_position(
	const struct desired *d, const char *run, enum role role, const char *name)
{
	size_t low = 0, high = d->n_by_run;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct desired_file *file = d->by_run[middle];
		int order = strcmp(spec_id(&file->spec)->run, run);

		if (order == 0)
			order = (int)file->spec.role - (int)role;
		if (order == 0)
			order = strcmp(file->name, name);
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static size_t own_position(const struct desired *d, const struct desired_file *file)
{
	return run_position(d, spec_id(&file->spec)->run, file->spec.role, file->name);
}

static void list_spec(struct desired *d, struct desired_file *file)
{
	struct desired_file **at = d->by_run + own_position(d, file);

	memmove(at + 1, at, (size_t)(d->by_run + d->n_by_run - at) * sizeof *at);
	*at = file;
	d->n_by_run++;
}

static void drop_spec(struct desired *d, struct desired_file *file)
{
	struct desired_file **at;

	if (!file->has_spec)
		return;
	at = d->by_run + own_position(d, file);
	d->n_by_run--;
	memmove(at, at + 1, (size_t)(d->by_run + d->n_by_run - at) * sizeof *at);
	spec_clear(&file->spec);
	file->has_spec = false;
}

static void free_file(struct desired_file *file)
{
	free(file->name);
	free(file->fault);
	if (file->has_spec)
		spec_clear(&file->spec);
	slab_give(&memory, file);
}

static int grow(struct desired_file ***list, size_t room)
{
	struct desired_file **grown = reallocarray(*list, room, sizeof *grown);

	if (!grown)
		return -ENOMEM;
	*list = grown;
	return 0;
}

static int make_room(struct desired *d)
{
	size_t room = d->room ? 2 * d->room : 16;

	if (d->n < d->room)
		return 0;
	if (grow(&d->files, room) < 0 || grow(&d->by_run, room) < 0)
		return -ENOMEM;
	d->room = room;
	return 0;
}

static struct desired_file *find_or_add(struct desired *d, const char *name)
{
	bool found;
	size_t at = position(d, name, &found);
	struct desired_file *file;

	if (found)
		return d->files[at];
	if (make_room(d) < 0)
		return NULL;
	file = slab_take(&memory);
	if (!file)
		return NULL;
	file->name = strdup(name);
	if (!file->name) {
		slab_give(&memory, file);
		return NULL;
	}
	memmove(&d->files[at + 1], &d->files[at], (d->n - at) * sizeof(struct desired_file *));
	d->n++;
	d->files[at] = file;
	return file;
}

static void note_changed(struct desired *d, const struct desired_file *file)
{
	size_t i = 0, n = d->n_changed;

	if (!file->has_spec || n > DESIRED_CHANGED_MAX)
		return;
	while (i < n && strcmp(d->changed[i], spec_id(&file->spec)->run) != 0)
		i++;
	if (i < n)
		return;
	if (n < DESIRED_CHANGED_MAX)
		memcpy(d->changed[n], spec_id(&file->spec)->run, sizeof d->changed[n]);
	d->n_changed++;
}

int desired_put(struct desired *d, const char *name, struct spec *spec)
{
	struct desired_file *file = find_or_add(d, name);
	bool changed;

	if (!file)
		return -ENOMEM;
	file->found = true;
	changed = file->fault || !file->has_spec || !spec_equal(&file->spec, spec);
	free(file->fault);
	file->fault = NULL;
	if (changed)
		note_changed(d, file);
	drop_spec(d, file);
	file->spec = *spec;
	file->has_spec = true;
	list_spec(d, file);
	if (changed)
		note_changed(d, file);
	*spec = (struct spec){0};
	return changed;
}

int desired_put_fault(struct desired *d, const char *name, const char *fault)
{
	struct desired_file *file = find_or_add(d, name);
	char *copy;

	if (!file)
		return -ENOMEM;
	file->found = true;
	if (file->fault && strcmp(file->fault, fault) == 0)
		return 0;
	copy = strdup(fault);
	if (!copy)
		return -ENOMEM;
	free(file->fault);
	file->fault = copy;
	return 1;
}

int desired_remove(struct desired *d, const char *name)
{
	bool found;
	size_t at = position(d, name, &found);

	if (!found)
		return 0;
	note_changed(d, d->files[at]);
	drop_spec(d, d->files[at]);
	free_file(d->files[at]);
	d->n--;
	memmove(&d->files[at], &d->files[at + 1], (d->n - at) * sizeof(struct desired_file *));
	return 1;
}

void desired_clear(struct desired *d)
{
	for (size_t i = 0; i < d->n; i++)
		free_file(d->files[i]);
	free(d->files);
	free(d->by_run);
	*d = (struct desired){0};
}

const struct desired_file *desired_file(const struct desired *d, const char *name)
{
	bool found;
	size_t at = position(d, name, &found);

	return found ? d->files[at] : NULL;
}

struct desired_file *const *desired_of(
	const struct desired *d, const char *run, enum role role, size_t *ret_n)
{
	size_t first = run_position(d, run, role, ""), n = 0;

	while (first + n < d->n_by_run && d->by_run[first + n]->spec.role == role &&
		strcmp(spec_id(&d->by_run[first + n]->spec)->run, run) == 0)
		n++;
	*ret_n = n;
	return n ? d->by_run + first : NULL;
}

const struct desired_file *desired_find(const struct desired *d, const char *run, enum role role)
{
	size_t n;
	struct desired_file *const *files = desired_of(d, run, role, &n);

	return n ? files[0] : NULL;
}

const struct desired_file *desired_overruling(
	const struct desired *d, const struct desired_file *file)
{
	const struct desired_file *first =
		file->has_spec ? desired_find(d, spec_id(&file->spec)->run, file->spec.role) : NULL;

	return first == file ? NULL : first;
}
