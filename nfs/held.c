/* SPDX-License-Identifier: Apache-2.0 */
/* Which files NFS clients hold on one filesystem, and which of them lie in one folder. */
#include "nfs/held.h"

#include <errno.h>
#include <stdlib.h>

#include "nfs/nfsd_text.h"

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

struct held_file *held_find(const struct held *h, uint64_t inode)
{
	struct held_file key = {.inode = inode};

	return h->n ? bsearch(&key, h->files, h->n, sizeof key, compare) : NULL;
}

bool held_states_inside(const struct held *h, const char *states)
{
	struct nfsd_state s;

	while (nfsd_states_next(&states, &s) > 0) {
		const struct held_file *file =
			s.major == h->major && s.minor == h->minor ? held_find(h, s.inode) : NULL;
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

bool held_any_inside(const struct held *h)
{
	for (size_t i = 0; i < h->n; i++)
		if (h->files[i].inside)
			return true;
	return false;
}
