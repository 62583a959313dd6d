/* SPDX-License-Identifier: Apache-2.0 */
/* Finding the held files that lie in one folder. */
#include <errno.h>
#include <sys/stat.h>

#include "nfs/held.h"
#include "nfs/tree_walk.h"

struct search {
	struct held *h;
	size_t missing; /* files not found yet */
	held_found_fn *found;
};

static bool mark(struct search *s, uint64_t inode)
{
	struct held_file *file = held_find(s->h, inode);

	if (!file || file->inside)
		return false;
	file->inside = true;
	s->missing--;
	return true;
}

static bool mark_entry(int fd, const struct dirent *entry, void *data)
{
	struct search *s = data;

	if (mark(s, entry->d_ino) && s->found)
		s->found(fd, entry->d_name);
	return s->missing > 0;
}

int held_mark_tree(struct held *h, int folder, held_found_fn *found)
{
	struct search s = {h, h->n, found};
	struct stat st;

	if (fstat(folder, &st) < 0)
		return -errno;
	(void)mark(&s, st.st_ino);
	return s.missing > 0 ? tree_walk(folder, mark_entry, &s) : 0;
}
