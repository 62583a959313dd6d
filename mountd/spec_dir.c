/* SPDX-License-Identifier: Apache-2.0 */
/* A directory of spec files, read into what is desired. */
#include "mountd/spec_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mountd/base/cleanup.h"
#include "mountd/base/log.h"
#include "mountd/file.h"

int spec_dir_check(int dir, const char *path, struct kerr *e)
{
	struct stat st;

	if (fstat(dir, &st) < 0)
		return kerr_set(e, -errno, "look at spec directory", path, NULL);
	if (!file_is_trusted(&st))
		return kerr_set(e, -EPERM, "look at spec directory", path,
			"must belong to root and be writable by root alone (chown root, chmod "
			"go-w): nothing in it is read until it is");
	return 0;
}

bool spec_dir_has_name(const char *name)
{
	size_t n = strlen(name);

	return name[0] != '.' && n > 5 && strcmp(name + n - 5, ".json") == 0;
}

static int put_fault(struct desired *d, const char *name, const char *fault)
{
	int r = desired_put_fault(d, name, fault);

	if (r > 0)
		log_event(LOG_LEVEL_WARNING, "spec-refused", log_text("file", name),
			log_text("error", fault));
	return r;
}

int spec_dir_read(int dir, struct desired *d, const char *name)
{
	_cleanup_free_ char *text = NULL;
	struct spec spec;
	struct spec_fault fault = {0};
	char message[400];
	size_t size;
	int r = file_read_trusted(dir, name, SPEC_SIZE_MAX, &text, &size);

	if (r == -ENOENT)
		return desired_remove(d, name);
	d->unread |= r < 0 && r != -EPERM && !file_is_unfit(r);
	if (r == -ENOMEM)
		return r;
	if (r < 0) {
		(void)snprintf(message, sizeof message, "cannot be read: %s",
			r == -EINVAL  ? "not a regular file"
			: r == -EFBIG ? "longer than 65536 bytes"
			: r == -EPERM ? "others than root may write it (chown root, chmod go-w)"
				      : strerror(-r));
		return put_fault(d, name, message);
	}
	r = spec_parse(text, size, &spec, &fault);
	d->unread |= r == -ENOMEM;
	if (r == -ENOMEM)
		return r;
	if (r < 0) {
		spec_fault_format(&fault, message, sizeof message);
		return put_fault(d, name, message);
	}
	r = desired_put(d, name, &spec);
	if (r < 0)
		spec_clear(&spec);
	return r;
}

static DIR *list_dir(int dir)
{
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *list = fd < 0 ? NULL : fdopendir(fd);

	if (!list && fd >= 0)
		(void)close(fd);
	return list;
}

static int drop_vanished(int dir, struct desired *d)
{
	bool changed = false;

	for (size_t i = d->n; i-- > 0;) {
		if (d->files[i]->found ||
			faccessat(dir, d->files[i]->name, F_OK, AT_SYMLINK_NOFOLLOW) == 0 ||
			errno != ENOENT)
			continue;
		(void)desired_remove(d, d->files[i]->name);
		changed = true;
	}
	return changed;
}

int spec_dir_scan(int dir, struct desired *d)
{
	_cleanup_closedir_ DIR *list = list_dir(dir);
	struct dirent *entry;
	bool changed = false;
	int r;

	d->unread = !list;
	if (!list)
		return -errno;
	for (size_t i = 0; i < d->n; i++)
		d->files[i]->found = false;
	while ((errno = 0, entry = readdir(list))) {
		if (!spec_dir_has_name(entry->d_name))
			continue;
		r = spec_dir_read(dir, d, entry->d_name);
		if (r < 0)
			return r;
		changed |= r > 0;
	}
	d->unread |= errno != 0;
	return drop_vanished(dir, d) || changed;
}
