/* SPDX-License-Identifier: Apache-2.0 */
/* Looking at every name in a tree made by somebody hostile. */
#include "nfs/tree_walk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "mountd/base/cleanup.h"

#define ENTRIES_MAX 500000 /* a worker reads them well before its deadline */

struct place {
	dev_t device;
	ino_t inode;
};

/*
 * However deep the tree is, two descriptors do: the way back is "..", which has to lead to the
 * directory that the walk came from.
 */
struct walk {
	tree_fn *fn;
	void *data;
	bool done;
	size_t entries;
	int at; /* the directory that is looked at */

	char *names; /* what is to be done, the last first: enter that directory; "": go back */
	size_t size, names_room;

	struct place *way; /* the directories above */
	size_t depth, way_room;
};

static void walk_clear(struct walk *w)
{
	cleanup_close(&w->at);
	free(w->names);
	free(w->way);
}

static bool is_dots(const char *name)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

static int push(struct walk *w, const char *name)
{
	size_t size = strlen(name) + 1;

	if (w->size + size > w->names_room) {
		size_t room = 2 * w->names_room + 4096;
		char *names = realloc(w->names, room);
		if (!names)
			return -ENOMEM;
		w->names = names;
		w->names_room = room;
	}
	memcpy(w->names + w->size, name, size);
	w->size += size;
	return 0;
}

/* Good until the next push(). */
static const char *pop(struct walk *w)
{
	const char *before = w->size > 1 ? memrchr(w->names, '\0', w->size - 1) : NULL;

	w->size = before ? (size_t)(before - w->names) + 1 : 0;
	return w->names + w->size;
}

static int read_directory(struct walk *w)
{
	int fd = openat(w->at, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	_cleanup_closedir_ DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;

	if (!dir) {
		int error = -errno;
		cleanup_close(&fd);
		return error == -ENOENT ? 0 : error; /* removed meanwhile */
	}
	while (!w->done && (errno = 0, entry = readdir(dir))) {
		if (is_dots(entry->d_name))
			continue;
		if (++w->entries > ENTRIES_MAX)
			return -EOVERFLOW;
		if ((entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN) &&
			push(w, entry->d_name) < 0)
			return -ENOMEM;
		w->done = !w->fn(dirfd(dir), entry, w->data);
	}
	return w->done ? 0 : -errno;
}

static int remember_place(struct walk *w)
{
	struct stat st;

	if (fstat(w->at, &st) < 0)
		return -errno;
	if (w->depth == w->way_room) {
		size_t room = 2 * w->way_room + 64;
		struct place *way = reallocarray(w->way, room, sizeof *way);
		if (!way)
			return -ENOMEM;
		w->way = way;
		w->way_room = room;
	}
	w->way[w->depth++] = (struct place){st.st_dev, st.st_ino};
	return 0;
}

static int go_down(struct walk *w, const char *name)
{
	int error, fd = openat(w->at, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0) /* gone, or exchanged for something else, meanwhile */
		return errno == ENOENT || errno == ENOTDIR || errno == ELOOP ? 0 : -errno;
	error = remember_place(w);
	cleanup_close(&w->at);
	w->at = fd;
	if (error == 0)
		error = push(w, "");
	return error < 0 ? error : read_directory(w);
}

static int go_up(struct walk *w)
{
	struct place back;
	struct stat st;
	int fd;

	if (!w->way || w->depth == 0)
		return -EAGAIN; /* lost its way */
	back = w->way[--w->depth];
	fd = openat(w->at, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? -EAGAIN : -errno;
	cleanup_close(&w->at);
	w->at = fd;
	if (fstat(fd, &st) < 0)
		return -errno;
	return st.st_dev == back.device && st.st_ino == back.inode ? 0 : -EAGAIN;
}

static int search(struct walk *w, int folder)
{
	int error;

	w->size = w->depth = 0;
	cleanup_close(&w->at);
	w->at = openat(folder, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (w->at < 0)
		return -errno;
	error = read_directory(w);
	while (error == 0 && !w->done && w->size > 0) {
		const char *name = pop(w);
		error = *name ? go_down(w, name) : go_up(w);
	}
	return error;
}

int tree_walk(int folder, tree_fn *fn, void *data)
{
	_cleanup_(walk_clear) struct walk w = {.fn = fn, .data = data, .at = -1};
	int error;

	/* Anew where directories were moved or removed meanwhile: the entries are counted on. */
	do
		error = search(&w, folder);
	while (error == -EAGAIN);
	return error;
}
