/* SPDX-License-Identifier: Apache-2.0 */
/* Removing what NFS clients kept of deleted files and can never remove any more. */
#include <ctype.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "mountd/base/cleanup.h"
#include "nfs/export.h"
#include "nfs/overlap.h"
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

static bool is_kept(const struct dirent *entry)
{
	return entry->d_type == DT_REG && sweep_is_kept(entry->d_name);
}

static bool find_kept(int fd, const struct dirent *entry, void *data)
{
	bool *found = data;

	(void)fd;
	*found = is_kept(entry);
	return !*found;
}

static bool remove_kept(int fd, const struct dirent *entry, void *data)
{
	unsigned *swept = data;

	if (is_kept(entry))
		*swept += unlinkat(fd, entry->d_name, 0) == 0;
	return true;
}

static bool overlaps_any(
	const struct export *gone, const struct export *const *others, size_t n_others)
{
	_cleanup_mounts_ struct actual_mounts mounts = {0};

	if (n_others > 0 && actual_mounts_read_own(&mounts) < 0)
		return true;
	for (size_t i = 0; i < n_others; i++)
		if (exports_overlap(gone, others[i], &mounts))
			return true;
	return false;
}

unsigned export_sweep(
	const struct export *gone, int folder, const struct export *const *others, size_t n_others)
{
	bool found = false;
	unsigned swept = 0;

	/* The others are looked up only where there is something to remove: there may be many. */
	if (folder >= 0)
		(void)tree_walk(folder, find_kept, &found);
	if (found && !overlaps_any(gone, others, n_others))
		(void)tree_walk(folder, remove_kept, &swept);
	return swept;
}
