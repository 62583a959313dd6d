/* SPDX-License-Identifier: Apache-2.0 */
/* The place of a mount: found, made and guarded through descriptors alone. */
#include "nfs/mount_target.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "mountd/base/cleanup.h"
#include "nfs/as_owner.h"
#include "nfs/mount_staging.h"

void target_clear(struct target *t)
{
	cleanup_close(&t->parent);
	*t = TARGET_NONE;
}

int mount_target(const char *volume, const char *run, char *text, size_t size)
{
	const char *slash = strcmp(volume, "/") == 0 ? "" : "/";
	int length = snprintf(text, size, "%s%s%s/" TARGET_NAME, volume, slash, run);

	return length < 0 || (size_t)length >= size ? -ENAMETOOLONG : 0;
}

static int open_once(int dir, const char *name, unsigned flags, unsigned resolve)
{
	struct open_how how = {
		.flags = flags | O_CLOEXEC,
		.resolve = resolve | RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
	};
	int fd;

	do
		fd = (int)syscall(SYS_openat2, dir, name, &how, sizeof how);
	while (fd < 0 && (errno == EAGAIN || errno == EINTR));
	return fd < 0 ? -errno : fd;
}

static int open_plain(int dir, const char *name, unsigned flags, unsigned resolve)
{
	struct stat st;
	int fd = open_once(dir, name, flags, resolve);

	if (fd != -EACCES || fstat(dir, &st) < 0)
		return fd;
	struct identity before;
	int error = become_owner(st.st_uid, st.st_gid, &before);
	if (error < 0)
		return error;
	fd = open_once(dir, name, flags, resolve);
	resume_identity(before);
	return fd;
}

static int open_failed(int error, const char *path, struct kerr *e)
{
	const char *why = NULL;

	if (error == -ELOOP)
		why = "a symbolic link: below the volume only plain directories are followed";
	else if (error == -ENOTDIR)
		why = "not a directory: move it away, the mountpoint belongs there";
	else if (error == -EXDEV)
		why = "a mount of its own: below the volume only plain directories are followed";
	else if (error == -ENOSYS)
		why = "the kernel lacks openat2(2), Linux 5.6 or newer is needed";
	return kerr_set(e, error, "open target", path, why ? "%s" : NULL, why);
}

/* The directory is the owner's from its first moment on. */
static int make_directory(int dir, const char *name, mode_t mode, const struct mount *m)
{
	struct identity before;
	int error = become_owner(m->uid, m->gid, &before);

	if (error < 0)
		return error;
	mode_t mask = umask(0);
	error = mkdirat(dir, name, mode) < 0 ? -errno : 0;
	(void)umask(mask);
	resume_identity(before);
	return error == -EEXIST ? 0 : error;
}

static int open_or_make(int dir, const char *name, unsigned flags, mode_t mode,
	const struct mount *m, const char *path, struct kerr *e)
{
	int fd = open_plain(dir, name, flags | O_DIRECTORY, RESOLVE_NO_XDEV);

	if (fd == -ENOENT) {
		int error = make_directory(dir, name, mode, m);
		if (error < 0)
			return kerr_set(e, error, "make directory", path, "as uid %u, gid %u",
				(unsigned)m->uid, (unsigned)m->gid);
		fd = open_plain(dir, name, flags | O_DIRECTORY, RESOLVE_NO_XDEV);
	}
	return fd < 0 ? open_failed(fd, path, e) : fd;
}

static int path_of_fd(int fd, char *path, size_t size)
{
	char link[64];

	(void)snprintf(link, sizeof link, "/proc/thread-self/fd/%d", fd);
	ssize_t length = readlink(link, path, size);
	if (length < 0)
		return -errno;
	if ((size_t)length >= size)
		return -ENAMETOOLONG;
	path[length] = '\0';
	return 0;
}

int target_open(const struct mount *m, struct target *ret, struct kerr *e)
{
	_cleanup_close_ int volume = open(m->volume, O_PATH | O_DIRECTORY | O_CLOEXEC);
	_cleanup_target_ struct target t = TARGET_NONE;
	char path[PATH_MAX];
	int error = mount_target(m->volume, m->id.run, path, sizeof path);

	if (error < 0)
		return kerr_set(e, error, "open target", m->volume, "the path is too long");
	path[strlen(path) - sizeof TARGET_NAME] = '\0';
	if (volume < 0)
		return kerr_set(e, -errno, "open volume", m->volume, NULL);
	t.parent = open_or_make(volume, m->id.run, O_PATH, 0700, m, path, e);
	if (t.parent < 0)
		return t.parent;
	error = path_of_fd(t.parent, t.path, sizeof t.path - sizeof "/" TARGET_NAME);
	if (error < 0)
		return kerr_set(e, error, "name target", path, NULL);
	(void)strcat(t.path, "/" TARGET_NAME);
	*ret = t;
	t = TARGET_NONE;
	return 0;
}

int target_find(const char *path, struct target *ret)
{
	struct target t = TARGET_NONE;
	char volume[PATH_MAX];
	char *run, *leaf;

	if (snprintf(volume, sizeof volume, "%s", path) >= (int)sizeof volume)
		return -ENAMETOOLONG;
	leaf = strrchr(volume, '/');
	if (!leaf || leaf == volume || strcmp(leaf + 1, TARGET_NAME) != 0)
		return -EINVAL;
	*leaf = '\0';
	run = strrchr(volume, '/');
	*run++ = '\0';
	_cleanup_close_ int dir = open(*volume ? volume : "/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return -errno;
	t.parent = open_plain(dir, run, O_PATH | O_DIRECTORY, RESOLVE_NO_XDEV);
	if (t.parent < 0)
		return t.parent;
	(void)strcpy(t.path, path);
	*ret = t;
	return 0;
}

bool target_is_bare(const struct target *t)
{
	/* Whatever else keeps it from being opened keeps it from being told: not bare. */
	_cleanup_close_ int fd = open_plain(t->parent, TARGET_NAME, O_PATH, RESOLVE_NO_XDEV);

	return fd >= 0 || fd == -ENOENT || fd == -ELOOP;
}

bool target_holds(const struct target *t, int tree)
{
	char path[PATH_MAX];

	return path_of_fd(tree, path, sizeof path) == 0 && strcmp(path, t->path) == 0;
}

static bool is_empty(int fd)
{
	_cleanup_closedir_ DIR *dir = NULL;
	int copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	const struct dirent *entry;

	dir = copy < 0 ? NULL : fdopendir(copy);
	if (!dir) {
		cleanup_close(&copy);
		return true;
	}
	while ((entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			return false;
	return true;
}

/* Root's own and read-only where root counts; read-only at least where it is squashed. */
static int guard(int fd, const struct mount *m)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -errno;
	if ((st.st_uid == 0 || fchownat(fd, "", 0, 0, AT_EMPTY_PATH) == 0) &&
		((st.st_mode & 07777) == 0555 || fchmodat(fd, ".", 0555, 0) == 0))
		return 0;
	struct identity before;
	int error = become_owner(m->uid, m->gid, &before);
	if (error < 0)
		return error;
	error = fchmodat(fd, ".", 0555, 0) < 0 ? -errno : 0;
	resume_identity(before);
	return error;
}

int target_open_bare(const struct target *t, const struct mount *m, int *ret_fd, char *fault,
	size_t size, struct kerr *e)
{
	_cleanup_close_ int fd = open_or_make(t->parent, TARGET_NAME, O_PATH, 0555, m, t->path, e);

	if (fd < 0)
		return fd;
	if (!is_empty(fd))
		(void)snprintf(fault, size,
			"the bare mountpoint holds files, which the mount hides: move them away");
	int error = guard(fd, m);
	if (error < 0)
		return kerr_set(e, error, "make the bare mountpoint read-only", t->path, NULL);
	*ret_fd = TAKE_FD(fd);
	return 0;
}

int target_open_top(const struct target *t, uint64_t mount_id, int *ret_fd, struct kerr *e)
{
	_cleanup_close_ int fd = open_plain(t->parent, TARGET_NAME, O_PATH | O_DIRECTORY, 0);
	uint64_t id;
	int error;

	if (fd < 0)
		return open_failed(fd, t->path, e);
	error = mount_id_of_fd(fd, &id);
	if (error == 0 && id != mount_id)
		error = -EAGAIN;
	if (error < 0)
		return kerr_set(e, error, "open the mount at", t->path, NULL);
	*ret_fd = TAKE_FD(fd);
	return 0;
}
