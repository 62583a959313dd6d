/* SPDX-License-Identifier: Apache-2.0 */
/* Folders that were deleted while this node shows them: the mount that does keeps their inode. */
#include "nfs/deleted.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>

#include "mountd/base/cleanup.h"
#include "nfs/actual.h"
#include "nfs/mount_target.h"

/*
 * Where others change a filesystem as well, the kernel may only have lost sight of the folder's
 * name. One that is no more cannot be read, whatever the filesystem.
 */
static bool is_no_more(int at, const char *path)
{
	_cleanup_close_ int fd = openat(at, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	char entries[512];

	return fd >= 0 && getdents64(fd, entries, sizeof entries) < 0 && errno == ENOENT;
}

static bool is_export(const struct actual_mount *m, struct deleted_folder *ret)
{
	return pseudo_path_parse(m->target, &ret->id) == 0 && is_no_more(AT_FDCWD, m->target);
}

static bool is_bind(const struct actual_mounts *mounts, const struct actual_mount *m,
	struct deleted_folder *ret)
{
	const struct actual_mount *marker = actual_mounts_marker_of(mounts, m);
	_cleanup_target_ struct target t = TARGET_NONE;
	_cleanup_close_ int fd = -1;
	const char *run;

	if (!marker || !actual_mount_is_marker(marker, &run) || target_find(m->target, &t) < 0 ||
		target_open_top(&t, m->id, &fd, NULL) < 0)
		return false;
	(void)strncpy(ret->id.run, run, sizeof ret->id.run - 1);
	ret->mount_id = m->id;
	return is_no_more(fd, ".");
}

static void add_all(const struct actual_mounts *mounts, bool binds, struct deleted_folders *ret)
{
	for (size_t i = 0; i < mounts->n && ret->n < DELETED_MAX; i++) {
		const struct actual_mount *m = &mounts->list[i];
		struct deleted_folder folder = {0};

		if (!actual_mount_is_deleted(m))
			continue;
		if (binds ? is_bind(mounts, m, &folder) : is_export(m, &folder))
			ret->list[ret->n++] = folder;
	}
}

int deleted_binds(struct deleted_folders *ret, struct kerr *e)
{
	_cleanup_mounts_ struct actual_mounts mounts = {0};
	int error = actual_mounts_read_own(&mounts);

	if (error < 0)
		return kerr_set(e, error, "read mountinfo", NULL, NULL);
	add_all(&mounts, true, ret);
	return 0;
}

/* The table of the namespace that is entered, where nothing is at /proc. */
static int read_table(int namespace, struct actual_mounts *ret)
{
	_cleanup_close_ int proc = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
	_cleanup_close_ int table = -1;

	if (proc < 0 || setns(namespace, CLONE_NEWNS) < 0)
		return -errno;
	table = openat(proc, "thread-self/mountinfo", O_RDONLY | O_CLOEXEC);
	return table < 0 ? -errno : actual_mounts_read(table, ret);
}

int deleted_exports(int namespace, struct deleted_folders *ret, struct kerr *e)
{
	_cleanup_mounts_ struct actual_mounts mounts = {0};
	int error = read_table(namespace, &mounts);

	if (error < 0)
		return kerr_set(e, error, "read mounts of", "pseudo-root", NULL);
	add_all(&mounts, false, ret);
	return 0;
}
