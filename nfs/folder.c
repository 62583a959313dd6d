/* SPDX-License-Identifier: Apache-2.0 */
/* Opening a folder for export: safely, and only where the kernel will be able to export it. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "mountd/base/cleanup.h"
#include "nfs/actual.h"
#include "nfs/beneath.h"
#include "nfs/export.h"

/* The table entry of the mount that fd lies on, or NULL. */
static const struct actual_mount *mount_of(int fd, const struct actual_mounts *mounts)
{
	struct statx st;

	if (statx(fd, "", AT_EMPTY_PATH, STATX_MNT_ID, &st) < 0)
		return NULL;
	for (size_t i = 0; i < mounts->n; i++)
		if (mounts->list[i].id == st.stx_mnt_id)
			return &mounts->list[i];
	return NULL;
}

static bool has_option(const char *options, const char *option)
{
	size_t length = strlen(option);

	for (const char *at = options; (at = strstr(at, option)); at += length)
		if ((at == options || at[-1] == ',') && (at[length] == ',' || !at[length]))
			return true;
	return false;
}

static int has_handles(int fd)
{
	union {
		struct file_handle handle;
		char room[sizeof(struct file_handle) + MAX_HANDLE_SZ];
	} u = {.handle.handle_bytes = MAX_HANDLE_SZ};
	int mount_id;

	return name_to_handle_at(fd, "", &u.handle, &mount_id, AT_EMPTY_PATH) < 0 ? -errno : 0;
}

static int check_exportable(int fd, const struct export *export, struct kerr *e)
{
	_cleanup_close_ int table = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
	_cleanup_(actual_mounts_clear) struct actual_mounts mounts = {0};
	const struct actual_mount *m;
	int error;

	if (table < 0)
		return kerr_set(e, -errno, "read mounts", "/proc/self/mountinfo", NULL);
	error = actual_mounts_read(table, &mounts);
	if (error < 0)
		return kerr_set(e, error, "read mounts", "/proc/self/mountinfo", NULL);
	m = mount_of(fd, &mounts);
	if (m && has_option(m->options, "idmapped"))
		return kerr_set(e, -EOPNOTSUPP, "export folder", export->folder,
			"%s is an idmapped mount, which nfsd cannot export: use a volume without",
			m->target);
	error = has_handles(fd);
	if (error == -EOPNOTSUPP || error == -EOVERFLOW)
		return kerr_set(e, -EOPNOTSUPP, "export folder", export->folder,
			"filesystem type %s has no file handles, so nfsd cannot export it: use a "
			"volume on a local disk (ext4, xfs, btrfs) or tmpfs",
			m ? m->fstype : "unknown");
	return error < 0 ? kerr_set(e, error, "export folder", export->folder, NULL) : 0;
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

int export_open_folder(const struct export *export, int *ret_tree, struct kerr *e)
{
	_cleanup_close_ int fd = -1;
	int error = beneath_open(export->volume, export->folder, O_PATH | O_DIRECTORY, &fd, e);

	if (error == 0)
		error = check_exportable(fd, export, e);
	return error < 0 ? error : clone_tree(fd, export, ret_tree, e);
}
