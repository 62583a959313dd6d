/* SPDX-License-Identifier: Apache-2.0 */
/* Finding the held files that lie in one folder. */
#include <errno.h>
#include <sys/stat.h>

#include "nfs/held.h"
#include "nfs/tree_walk.h"

struct search {
	struct held *h;
	size_t missing; /* files not found yet */
};

static void mark(struct search *s, uint64_t inode)
{
	struct held_file *file = held_find(s->h, inode);

	if (file && !file->inside) {
		file->inside = true;
		s->missing--;
	}
}

static bool mark_entry(int fd, const struct dirent *entry, void *data)
{
	struct search *s = data;

	(void)fd;
	mark(s, entry->d_ino);
	return s->missing > 0;
}

int held_mark_tree(struct held *h, int folder)
{
	struct search s = {h, h->n};
	struct stat st;

	if (fstat(folder, &st) < 0)
		return -errno;
	mark(&s, st.st_ino);
	return s.missing > 0 ? tree_walk(folder, mark_entry, &s) : 0;
}
