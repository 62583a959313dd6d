/* SPDX-License-Identifier: Apache-2.0 */
/* Making a mount where nobody can see it: a mount namespace of our own, and out again. */
#include "nfs/mount_staging.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "mountd/base/cleanup.h"
#include "nfs/beneath.h"
#include "nfs/mount_abi.h"
#include "nfs/mount_error.h"
#include "nfs/mount_staging_root.h"

void staged_clear(struct staged *s)
{
	cleanup_close(&s->tree);
	free(s->options);
	*s = STAGED_NONE;
}

int mount_id_of_fd(int fd, uint64_t *ret)
{
	struct statx st;

	if (statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_MNT_ID, &st) < 0)
		return -errno;
	if (!(st.stx_mask & STATX_MNT_ID))
		return -EOPNOTSUPP;
	*ret = st.stx_mnt_id;
	return 0;
}

/*
 * Copying the staging namespace costs the same however many mounts the node has, and a hanging
 * attempt in there holds none of them.
 */
static int enter_private_namespace(int staging, struct kerr *e)
{
	if (setns(staging, CLONE_NEWNS) < 0)
		return kerr_set(e, -errno, "enter staging namespace", NULL,
			"the daemon needs CAP_SYS_ADMIN and CAP_SYS_CHROOT");
	if (unshare(CLONE_NEWNS) < 0)
		return kerr_set(e, -errno, "unshare mount namespace", NULL,
			"the daemon needs CAP_SYS_ADMIN");
	return 0;
}

static int leave_private_namespace(int home, int cwd, struct kerr *e)
{
	if (setns(home, CLONE_NEWNS) < 0)
		return kerr_set(e, -errno, "return to the mount namespace", NULL, NULL);
	if (cwd >= 0)
		(void)!fchdir(cwd);
	return 0;
}

static int mount_new(const char *fstype, const char *source, unsigned long flags, const char *data,
	struct kerr *e)
{
	char lsm[192] = "";
	const char *hint;
	int error;

	if (mount(source, STAGE, fstype, flags, data) == 0)
		return 0;
	error = -errno;
	hint = mount_error_hint(error);
	if (error == -EACCES || error == -EPERM)
		mount_error_lsm(lsm, sizeof lsm);
	return kerr_set(e, error, "mount", source, hint ? "%s%s" : NULL, hint, lsm);
}

static int describe(struct staged *s, struct kerr *e)
{
	_cleanup_mounts_ struct actual_mounts mounts = {0};
	const struct actual_mount *m;
	int error = actual_mounts_read_own(&mounts);

	if (error < 0)
		return kerr_set(e, error, "read mountinfo", NULL, NULL);
	m = actual_mounts_by_id(&mounts, s->id);
	if (!m)
		return kerr_set(e, -ENOENT, "find staged mount in mountinfo", NULL, NULL);
	s->major = m->major;
	s->minor = m->minor;
	s->options = strdup(m->options);
	return s->options ? 0 : kerr_set(e, -ENOMEM, "read mountinfo", NULL, NULL);
}

static int copy_out(struct staged *s, struct kerr *e)
{
	_cleanup_close_ int place = open(STAGE, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int error;

	if (place < 0)
		return kerr_set(e, -errno, "open staged mount", NULL, NULL);
	error = mount_id_of_fd(place, &s->id);
	if (error < 0)
		return kerr_set(e, error, "read mount id", "staged mount", NULL);
	error = describe(s, e);
	if (error < 0)
		return error;
	s->tree = open_tree(place, "", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH);
	if (s->tree < 0)
		return kerr_set(e, -errno, "copy staged mount", NULL, NULL);
	error = mount_id_of_fd(s->tree, &s->id);
	return error < 0 ? kerr_set(e, error, "read mount id", "staged mount", NULL) : 0;
}

static int stage_in_namespace(int staging, const char *fstype, const char *source,
	unsigned long flags, const char *data, struct staged *s, struct kerr *e)
{
	int error = enter_private_namespace(staging, e);

	if (error < 0)
		return error;
	error = mount_new(fstype, source, flags, data, e);
	return error < 0 ? error : copy_out(s, e);
}

int mount_stage(int staging, const char *fstype, const char *source, unsigned long flags,
	const char *data, struct staged *ret, struct kerr *e)
{
	_cleanup_close_ int home = open("/proc/thread-self/ns/mnt", O_RDONLY | O_CLOEXEC);
	_cleanup_close_ int cwd = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	_cleanup_staged_ struct staged s = STAGED_NONE;
	int error, back;

	if (home < 0)
		return kerr_set(e, -errno, "open", "/proc/thread-self/ns/mnt", NULL);
	error = stage_in_namespace(staging, fstype, source, flags, data, &s, e);
	back = leave_private_namespace(home, cwd, error < 0 ? NULL : e);
	if (error < 0 || back < 0)
		return error < 0 ? error : back;
	*ret = s;
	s = STAGED_NONE;
	return 0;
}

int mount_stage_bind(const char *volume, const char *folder, struct staged *ret, struct kerr *e)
{
	struct mount_attr attr = {
		.attr_set = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV,
		.propagation = MS_PRIVATE,
	};
	_cleanup_close_ int source = -1;
	_cleanup_staged_ struct staged s = STAGED_NONE;
	struct stat st;
	int error = beneath_open(volume, folder, O_PATH | O_DIRECTORY, &source, e);

	if (error < 0)
		return error;
	s.tree = open_tree(source, "", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH);
	if (s.tree < 0)
		return kerr_set(e, -errno, "copy mount of", folder, "below %s", volume);
	if (mount_setattr(s.tree, "", AT_EMPTY_PATH, &attr, sizeof attr) < 0)
		return kerr_set(e, -errno, "set nosuid,nodev on", folder, "below %s", volume);
	error = mount_id_of_fd(s.tree, &s.id);
	if (error < 0)
		return kerr_set(e, error, "read mount id", folder, NULL);
	if (fstat(source, &st) < 0)
		return kerr_set(e, -errno, "stat", folder, "below %s", volume);
	s.major = major(st.st_dev);
	s.minor = minor(st.st_dev);
	*ret = s;
	s = STAGED_NONE;
	return 0;
}
