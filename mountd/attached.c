/* SPDX-License-Identifier: Apache-2.0 */
/* The record of what this node has put, or is about to put, into the kernel. */
#include "mountd/attached.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "mountd/base/cleanup.h"
#include "mountd/file.h"

#define FILE_NAME_SIZE (2 * NAME_MAX_LENGTH + sizeof "..export.json")

/* A run has one mountpoint, but while it is replaced two exports. */
static void file_name(const struct spec *spec, char name[FILE_NAME_SIZE])
{
	const struct run_id *id = spec_id(spec);

	if (spec->role == ROLE_EXPORT)
		(void)snprintf(name, FILE_NAME_SIZE, "%s.%s.export.json", id->run, id->incarnation);
	else
		(void)snprintf(name, FILE_NAME_SIZE, "%s.mount.json", id->run);
}

int attached_remove(int dir, const struct spec *spec)
{
	char name[FILE_NAME_SIZE];

	file_name(spec, name);
	return unlinkat(dir, name, 0) < 0 && errno != ENOENT ? -errno : 0;
}

static int load(int dir, const char *name, struct spec *ret)
{
	_cleanup_free_ char *text = NULL;
	struct spec_fault fault = {0};
	size_t size;
	int r = file_read(dir, name, SPEC_SIZE_MAX, &text, &size);

	return r < 0 ? r : spec_parse(text, size, ret, &fault);
}

static bool is_recorded(int dir, const char *name, const struct spec *spec)
{
	_cleanup_(spec_clear) struct spec old = {0};

	return load(dir, name, &old) == 0 && spec_equal(&old, spec);
}

int attached_add(int dir, const struct spec *spec)
{
	char name[FILE_NAME_SIZE];
	_cleanup_free_ char *text = NULL;
	json_t *object;

	file_name(spec, name);
	/* A full or read-only disk must not come between us and what is remembered already. */
	if (is_recorded(dir, name, spec))
		return 0;
	object = spec_to_json(spec);
	if (object)
		text = json_dumps(object, JSON_COMPACT);
	json_decref(object);
	if (!text)
		return -ENOMEM;
	return file_write(dir, name, text, strlen(text));
}

static int load_one(int dir, const char *name, int (*found)(void *data, struct spec *spec),
	void *data, struct kerr *e)
{
	struct spec spec;
	int r = load(dir, name, &spec);

	if (file_is_unfit(r)) {
		(void)unlinkat(dir, name, 0);
		return 0;
	}
	if (r == -ENOENT) /* gone since it was listed */
		return 0;
	r = r < 0 ? r : found(data, &spec);
	return r < 0 ? kerr_set(e, r, "read record", name,
			       "what it tells of would never be ended: it is in \"attached\" below "
			       "the state directory")
		     : 0;
}

int attached_load(int dir, int (*found)(void *data, struct spec *spec), void *data, struct kerr *e)
{
	_cleanup_closedir_ DIR *list = NULL;
	struct dirent *entry;
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int r = 0;

	if (fd < 0)
		return kerr_set(e, -errno, "read records", "attached", NULL);
	file_discard_all(dir);
	list = fdopendir(fd);
	if (!list) {
		(void)close(fd);
		return kerr_set(e, -ENOMEM, "read records", "attached", NULL);
	}
	while (r == 0 && (errno = 0, entry = readdir(list)))
		if (entry->d_name[0] != '.')
			r = load_one(dir, entry->d_name, found, data, e);
	return r < 0 || !errno ? r : kerr_set(e, -errno, "read records", "attached", NULL);
}
