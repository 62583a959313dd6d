/* SPDX-License-Identifier: Apache-2.0 */
/* Opening a folder for export: safely, and only where the kernel will be able to export it. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "mountd/base/cleanup.h"
#include "nfs/actual.h"
#include "nfs/beneath.h"
#include "nfs/export.h"

static int has_handles(int fd)
{
	union {
		struct file_handle handle;
		char room[sizeof(struct file_handle) + MAX_HANDLE_SZ];
	} u = {.handle.handle_bytes = MAX_HANDLE_SZ};
	int mount_id;

	return name_to_handle_at(fd, "", &u.handle, &mount_id, AT_EMPTY_PATH) < 0 ? -errno : 0;
}

/* The type of the filesystem that fd lies on, for a message. */
static void name_type(int fd, char text[32])
{
	_cleanup_(actual_mounts_clear) struct actual_mounts mounts = {0};
	const struct actual_mount *m = NULL;
	struct statx st;

	if (statx(fd, "", AT_EMPTY_PATH, STATX_MNT_ID, &st) == 0 &&
		actual_mounts_read_own(&mounts) == 0)
		m = actual_mounts_by_id(&mounts, st.stx_mnt_id);
	(void)snprintf(text, 32, "%s", m ? m->fstype : "unknown");
}

/* An idmapped mount is refused by the kernel when it hears of the export: to look for one costs
 * more. */
static int check_exportable(int fd, const struct export *export, struct kerr *e)
{
	int error = has_handles(fd);
	char type[32];

	if (error == 0)
		return 0;
	if (error != -EOPNOTSUPP && error != -EOVERFLOW)
		return kerr_set(e, error, "export folder", export->folder, NULL);
	name_type(fd, type);
	return kerr_set(e, -EOPNOTSUPP, "export folder", export->folder,
		"filesystem type %s has no file handles, so nfsd cannot export it: use a "
		"volume on a local disk (ext4, xfs, btrfs) or tmpfs",
		type);
}

/*
 * Without what is mounted inside the folder, which is not exported. A clone of a shared mount is
 * its peer: what is mounted there later would show here, were it not made private.
 */
static int clone_tree(int fd, const struct export *export, int *ret_tree, struct kerr *e)
{
	struct mount_attr private = {.propagation = MS_PRIVATE};
	_cleanup_close_ int tree =
		open_tree(fd, "", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH);

	if (tree < 0)
		return kerr_set(e, -errno, "clone mount of folder", export->folder,
			errno == EPERM ? "needs CAP_SYS_ADMIN" : NULL);
	if (mount_setattr(tree, "", AT_EMPTY_PATH, &private, sizeof private) < 0)
		return kerr_set(e, -errno, "make mount private", export->folder, NULL);
	*ret_tree = TAKE_FD(tree);
	return 0;
}

/* No path leads to a filesystem's root but that of a mount's root. */
static bool may_be_root(int fd)
{
	struct statx st;

	return statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE, &st) < 0 ||
	       st.stx_attributes & STATX_ATTR_MOUNT_ROOT;
}

int export_open_folder_cached(const struct export *export, int *ret_tree, bool *ret_root)
{
	_cleanup_close_ int fd = -1;
	int error = beneath_open_cached(export->volume, export->folder, O_PATH | O_DIRECTORY, &fd);

	if (error == 0)
		error = has_handles(fd);
	if (error < 0)
		return error;
	*ret_root = may_be_root(fd);
	return clone_tree(fd, export, ret_tree, NULL);
}

int export_open_folder(const struct export *export, int *ret_tree, bool *ret_root, struct kerr *e)
{
	_cleanup_close_ int fd = -1;
	int error = beneath_open(export->volume, export->folder, O_PATH | O_DIRECTORY, &fd, e);

	if (error == 0)
		error = check_exportable(fd, export, e);
	if (error < 0)
		return error;
	if (ret_root)
		*ret_root = may_be_root(fd);
	return clone_tree(fd, export, ret_tree, e);
}
