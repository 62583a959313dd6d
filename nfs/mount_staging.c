/* SPDX-License-Identifier: Apache-2.0 */
/* Making a mount where nobody can see it: a mount namespace of our own, and out again. */
#include "nfs/mount_staging.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libmount/libmount.h>
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
	_cleanup_fclose_ FILE *info = NULL;
	char path[64], line[128];

	(void)snprintf(path, sizeof path, "/proc/thread-self/fdinfo/%d", fd);
	info = fopen(path, "re");
	if (!info)
		return -errno;
	while (fgets(line, sizeof line, info))
		if (sscanf(line, "mnt_id: %" SCNu64, ret) == 1)
			return 0;
	return -ENODATA;
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

static int run_libmount(const char *fstype, const char *source, const char *options,
	const char *target, struct kerr *e)
{
	struct libmnt_context *context = mnt_new_context();
	char lsm[192] = "";
	int rc;

	if (!context)
		return kerr_set(e, -ENOMEM, "mount", source, NULL);
	rc = mnt_context_disable_helpers(context, 1) ?:
	     mnt_context_disable_canonicalize(context, 1) ?:
	     mnt_context_disable_mtab(context, 1) ?:
	     mnt_context_set_optsmode(context, MNT_OMODE_NOTAB) ?:
	     /* Else what is refused, as before its export is known, is asked for again read-only. */
	     mnt_context_enable_rwonly_mount(context, 1) ?:
	     mnt_context_set_fstype(context, fstype) ?:
	     mnt_context_set_source(context, source) ?:
	     mnt_context_set_target(context, target) ?:
	     mnt_context_set_options(context, options) ?:
	     mnt_context_mount(context);
	if (rc && mnt_context_syscall_called(context))
		rc = -abs(mnt_context_get_syscall_errno(context));
	else if (rc > 0 || rc < -4095)
		rc = -EINVAL; /* one of libmount's own numbers */
	mnt_free_context(context);
	if (rc == 0)
		return 0;
	if (rc == -EACCES || rc == -EPERM)
		mount_error_lsm(lsm, sizeof lsm);
	const char *hint = mount_error_hint(rc);
	return kerr_set(e, rc, "mount", source, hint ? "%s%s" : NULL, hint, lsm);
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
	const char *options, struct staged *s, struct kerr *e)
{
	int error = enter_private_namespace(staging, e);

	if (error < 0)
		return error;
	error = run_libmount(fstype, source, options, STAGE, e);
	return error < 0 ? error : copy_out(s, e);
}

int mount_stage(int staging, const char *fstype, const char *source, const char *options,
	struct staged *ret, struct kerr *e)
{
	_cleanup_close_ int home = open("/proc/thread-self/ns/mnt", O_RDONLY | O_CLOEXEC);
	_cleanup_close_ int cwd = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	_cleanup_staged_ struct staged s = STAGED_NONE;
	int error, back;

	if (home < 0)
		return kerr_set(e, -errno, "open", "/proc/thread-self/ns/mnt", NULL);
	error = stage_in_namespace(staging, fstype, source, options, &s, e);
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
