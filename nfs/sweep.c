/* SPDX-License-Identifier: Apache-2.0 */
/* Removing what NFS clients kept of deleted files and can never remove any more. */
#include <ctype.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "mountd/base/cleanup.h"
#include "nfs/export.h"
#include "nfs/sweep.h"
#include "nfs/tree_walk.h"

#define DIGITS 24 /* fs/nfs/unlink.c: the file's number, then the client's count */

bool sweep_is_kept(const char *name)
{
	if (strncmp(name, ".nfs", 4) != 0 || strlen(name) != 4 + DIGITS)
		return false;
	for (name += 4; *name; name++)
		if (!isdigit((unsigned char)*name) && (*name < 'a' || *name > 'f'))
			return false;
	return true;
}

static bool remove_kept(int fd, const struct dirent *entry, void *data)
{
	unsigned *swept = data;

	if (entry->d_type == DT_REG && sweep_is_kept(entry->d_name))
		*swept += unlinkat(fd, entry->d_name, 0) == 0;
	return true;
}

static void full_path(const struct export *export, char path[2 * PATH_MAX])
{
	bool root = strcmp(export->folder, ".") == 0;
	size_t length = strlen(export->volume);

	while (length > 0 && export->volume[length - 1] == '/')
		length--;
	(void)snprintf(path, 2 * PATH_MAX, "%.*s/%s%s", (int)length, export->volume,
		root ? "" : export->folder, root ? "" : "/");
}

/* One in the other, or both the same: files of the other's clients are in use there. */
static bool overlap(const struct export *a, const struct export *b)
{
	char one[2 * PATH_MAX], other[2 * PATH_MAX];
	size_t length, other_length;

	full_path(a, one);
	full_path(b, other);
	length = strlen(one);
	other_length = strlen(other);
	return strncmp(one, other, length < other_length ? length : other_length) == 0;
}

unsigned export_sweep(
	const struct export *gone, int folder, const struct export *const *others, size_t n_others)
{
	unsigned swept = 0;

	for (size_t i = 0; i < n_others; i++)
		if (overlap(gone, others[i]))
			return 0;
	if (folder >= 0)
		(void)tree_walk(folder, remove_kept, &swept);
	return swept;
}
