/* SPDX-License-Identifier: Apache-2.0 */
/* Which files NFS clients hold on one filesystem, and which of them lie in one folder. */
#include "nfs/held.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "mountd/base/cleanup.h"
#include "nfs/nfsd_text.h"

#define DEPTH_MAX   512	    /* a descriptor each */
#define ENTRIES_MAX 8000000 /* far above what a sandbox has; some minutes at most */

void held_clear(struct held *h)
{
	free(h->files);
	*h = (struct held){0};
}

static int add(struct held *h, uint64_t inode)
{
	/* Powers of two: grows when one is reached. */
	if ((h->n & (h->n - 1)) == 0) {
		struct held_file *more = reallocarray(h->files, h->n ? 2 * h->n : 16, sizeof *more);
		if (!more)
			return -ENOMEM;
		h->files = more;
	}
	h->files[h->n++] = (struct held_file){.inode = inode};
	return 0;
}

int held_add_states(struct held *h, const char *states)
{
	struct nfsd_state s;

	while (nfsd_states_next(&states, &s) > 0) {
		int error = s.major == h->major && s.minor == h->minor ? add(h, s.inode) : 0;
		if (error < 0)
			return error;
	}
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct held_file *x = a, *y = b;

	return (x->inode > y->inode) - (x->inode < y->inode);
}

void held_sort(struct held *h)
{
	size_t kept = 0;

	if (h->n == 0)
		return;
	qsort(h->files, h->n, sizeof *h->files, compare);
	for (size_t i = 1; i < h->n; i++)
		if (h->files[i].inode != h->files[kept].inode)
			h->files[++kept] = h->files[i];
	h->n = kept + 1;
}

static struct held_file *find(const struct held *h, uint64_t inode)
{
	struct held_file key = {.inode = inode};

	return h->n ? bsearch(&key, h->files, h->n, sizeof key, compare) : NULL;
}

bool held_states_inside(const struct held *h, const char *states)
{
	struct nfsd_state s;

	while (nfsd_states_next(&states, &s) > 0) {
		const struct held_file *file =
			s.major == h->major && s.minor == h->minor ? find(h, s.inode) : NULL;
		if (file && file->inside)
			return true;
	}
	return false;
}

void held_mark_all(struct held *h)
{
	for (size_t i = 0; i < h->n; i++)
		h->files[i].inside = true;
}

struct walk {
	struct held *h;
	size_t missing; /* files not found yet */
	size_t entries;
};

static void mark(struct walk *w, uint64_t inode)
{
	struct held_file *file = find(w->h, inode);

	if (file && !file->inside) {
		file->inside = true;
		w->missing--;
	}
}

static bool is_dots(const char *name)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

static int walk(struct walk *w, int parent, const char *name, unsigned depth)
{
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	_cleanup_closedir_ DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;

	if (!dir) {
		int error = -errno;
		cleanup_close(&fd);
		/* Gone, or exchanged for something else, meanwhile. */
		return error == -ENOENT || error == -ENOTDIR || error == -ELOOP ? 0 : error;
	}
	while (w->missing > 0 && (errno = 0, entry = readdir(dir))) {
		int error = 0;
		if (is_dots(entry->d_name))
			continue;
		mark(w, entry->d_ino);
		if (++w->entries > ENTRIES_MAX)
			return -EOVERFLOW;
		if (entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN)
			error = depth < DEPTH_MAX ? walk(w, dirfd(dir), entry->d_name, depth + 1)
						  : -EOVERFLOW;
		if (error < 0)
			return error;
	}
	return w->missing > 0 ? -errno : 0;
}

int held_mark_tree(struct held *h, int folder)
{
	struct walk w = {.h = h, .missing = h->n};
	struct stat st;

	if (fstat(folder, &st) < 0)
		return -errno;
	mark(&w, st.st_ino);
	return w.missing > 0 ? walk(&w, folder, ".", 0) : 0;
}
