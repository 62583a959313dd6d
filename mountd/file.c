/* SPDX-License-Identifier: Apache-2.0 */
/* Small files below a directory: read whole, written whole. */
#include "mountd/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mountd/base/cleanup.h"

bool file_is_trusted(const struct stat *st)
{
	return (st->st_uid == 0 || st->st_uid == geteuid()) && !(st->st_mode & (S_IWGRP | S_IWOTH));
}

static int read_file(
	int dir, const char *name, size_t max, bool trusted, char **ret, size_t *ret_size)
{
	/* A FIFO must not hold the reader up. */
	_cleanup_close_ int fd = openat(dir, name, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	_cleanup_free_ char *text = NULL;
	size_t size = 0;
	struct stat st;
	ssize_t n;

	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	if (trusted && !file_is_trusted(&st))
		return -EPERM;
	if (st.st_size > (off_t)max)
		return -EFBIG;
	text = malloc((size_t)st.st_size + 2);
	if (!text)
		return -ENOMEM;
	/* One byte more than it had: growing meanwhile shows, and that there is no more. */
	do {
		n = read(fd, text + size, (size_t)st.st_size + 1 - size);
		size += n > 0 ? (size_t)n : 0;
	} while (n > 0 && size < (size_t)st.st_size);
	if (n < 0)
		return -errno;
	if (size > max)
		return -EFBIG;
	text[size] = '\0';
	*ret = TAKE_PTR(text);
	*ret_size = size;
	return 0;
}

int file_read(int dir, const char *name, size_t max, char **ret, size_t *ret_size)
{
	return read_file(dir, name, max, false, ret, ret_size);
}

int file_read_trusted(int dir, const char *name, size_t max, char **ret, size_t *ret_size)
{
	return read_file(dir, name, max, true, ret, ret_size);
}

bool file_is_unfit(int error)
{
	return error == -EINVAL || error == -EFBIG || error == -ELOOP || error == -ENXIO;
}

static int write_all(int fd, const char *text, size_t size)
{
	while (size) {
		ssize_t n = write(fd, text, size);
		if (n < 0)
			return -errno;
		text += n;
		size -= (size_t)n;
	}
	return 0;
}

static int temporary_name(const char *name, char temporary[NAME_MAX + 1])
{
	return snprintf(temporary, NAME_MAX + 1, ".%s.new", name) > NAME_MAX ? -ENAMETOOLONG : 0;
}

int file_stage(int dir, const char *name, const char *text, size_t size)
{
	char temporary[NAME_MAX + 1];
	_cleanup_close_ int fd = -1;
	int r = temporary_name(name, temporary);

	if (r < 0)
		return r;
	fd = openat(dir, temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	r = write_all(fd, text, size);
	if (r < 0)
		(void)unlinkat(dir, temporary, 0);
	return r;
}

int file_commit(int dir, const char *name)
{
	char temporary[NAME_MAX + 1];
	int r = temporary_name(name, temporary);

	if (r == 0 && renameat(dir, temporary, dir, name) < 0)
		r = -errno;
	return r;
}

void file_discard(int dir, const char *name)
{
	char temporary[NAME_MAX + 1];

	if (temporary_name(name, temporary) == 0)
		(void)unlinkat(dir, temporary, 0);
}

int file_write(int dir, const char *name, const char *text, size_t size)
{
	int r = file_stage(dir, name, text, size);

	if (r < 0)
		return r;
	r = file_commit(dir, name);
	if (r < 0)
		file_discard(dir, name);
	return r;
}

static bool is_temporary(const char *name)
{
	size_t n = strlen(name);

	return n > 10 && name[0] == '.' && strcmp(name + n - 9, ".json.new") == 0;
}

void file_discard_all(int dir)
{
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	_cleanup_closedir_ DIR *list = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	if (fd >= 0 && !list)
		(void)close(fd);
	while (list && (entry = readdir(list)))
		if (is_temporary(entry->d_name))
			(void)unlinkat(dir, entry->d_name, 0);
}
