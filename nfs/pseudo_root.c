/* SPDX-License-Identifier: Apache-2.0 */
/* The pseudo-root's mount namespace, and what hangs in it. */
#include "nfs/pseudo_root.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <time.h>

#include "mountd/base/cleanup.h"
#include "nfs/private_root.h"

/* Two directories a run; the bound only keeps a mistake from eating the node's memory. */
#define PSEUDO_OPTIONS "mode=0711,size=4m,nr_inodes=262144"
#define PSEUDO_MODE    0711

#define LEAVE_TRIES    300
#define LEAVE_PAUSE_NS 10000000

static const char workspaces[] = "workspaces";

static int switch_to(int namespace)
{
	return setns(namespace, CLONE_NEWNS) < 0 ? -errno : 0;
}

int pseudo_root_enter(const struct pseudo_root *p, struct kerr *e)
{
	int error = switch_to(p->own);

	if (error < 0)
		return kerr_set(e, error, "enter pseudo-root", NULL,
			error == -EINVAL ? "this process has more than one thread" : NULL);
	return 0;
}

/* Nothing may be done in the wrong namespace; but want of memory passes. */
void pseudo_root_leave(const struct pseudo_root *p)
{
	for (unsigned i = 0; switch_to(p->host) < 0; i++) {
		if (i == LEAVE_TRIES)
			abort();
		(void)nanosleep(&(struct timespec){.tv_nsec = LEAVE_PAUSE_NS}, NULL);
	}
}

static int place_of(const char *path, struct statx *ret)
{
	/* STATX_MNT_ID is 5.8, older than all that is supported. No storage is waited for. */
	return statx(AT_FDCWD, path, AT_STATX_DONT_SYNC, STATX_INO | STATX_MNT_ID, ret) < 0 ? -errno
											    : 0;
}

/* Entering a namespace makes its root ours, which would lead a chrooted process out. */
static int check_root(int host, struct kerr *e)
{
	_cleanup_close_ int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct statx before, after;
	int error;

	if (root < 0 || place_of("/", &before) < 0)
		return kerr_set(e, -errno, "open root", "/", NULL);
	error = switch_to(host);
	if (error < 0)
		return kerr_set(e, error == -EINVAL ? -EBUSY : error, "join own mount namespace",
			NULL,
			error == -EINVAL  ? "this process has more than one thread"
			: error == -EPERM ? "CAP_SYS_ADMIN and CAP_SYS_CHROOT are needed"
					  : NULL);
	error = place_of("/", &after);
	if (error == 0 && before.stx_mnt_id == after.stx_mnt_id && before.stx_ino == after.stx_ino)
		return 0;
	if (fchdir(root) < 0 || chroot(".") < 0)
		abort();
	return kerr_set(e, -EPERM, "check root", "/", "this process runs in a chroot");
}

/* mkdir whatever the umask. 1: it was there. */
static int make_folder(int tree, const char *path)
{
	mode_t mask = umask(0);
	int error = mkdirat(tree, path, PSEUDO_MODE) < 0 ? -errno : 0;

	(void)umask(mask);
	return error == -EEXIST ? 1 : error;
}

static int populate(struct pseudo_root *p, struct kerr *e)
{
	int error = private_root_become("kora-pseudo-root", PSEUDO_OPTIONS, "/proc", e);

	if (error < 0)
		return error;
	p->tree = open_tree(AT_FDCWD, "/", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
	if (p->tree < 0)
		return kerr_set(e, -errno, "clone pseudo-root", "/", NULL);
	error = make_folder(p->tree, workspaces);
	if (error < 0)
		return kerr_set(e, error, "make folder", workspaces, NULL);
	if (mount(NULL, "/", NULL,
		    MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) < 0)
		return kerr_set(e, -errno, "make pseudo-root read-only", "/", NULL);
	return 0;
}

int pseudo_root_new(struct pseudo_root *ret, struct kerr *e)
{
	_cleanup_(pseudo_root_close) struct pseudo_root p = PSEUDO_ROOT_NONE;
	int error;

	p.host = open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC);
	if (p.host < 0)
		return kerr_set(e, -errno, "open mount namespace", "/proc/self/ns/mnt", NULL);
	error = check_root(p.host, e);
	if (error < 0)
		return error;
	if (unshare(CLONE_NEWNS) < 0)
		return kerr_set(e, -errno, "make mount namespace", NULL, NULL);
	p.own = open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC);
	error = p.own < 0 ? kerr_set(e, -errno, "open mount namespace", "/proc/self/ns/mnt", NULL)
			  : populate(&p, e);
	pseudo_root_leave(&p);
	if (error < 0)
		return error;
	*ret = p;
	p = PSEUDO_ROOT_NONE;
	return 0;
}

void pseudo_root_close(struct pseudo_root *p)
{
	cleanup_close(&p->host);
	cleanup_close(&p->own);
	cleanup_close(&p->tree);
	*p = PSEUDO_ROOT_NONE;
}

/* Paths below the tmpfs are relative to its tree. */
static void run_paths(
	const struct run_id *id, char run[PSEUDO_PATH_SIZE], char incarnation[PSEUDO_PATH_SIZE])
{
	(void)snprintf(run, PSEUDO_PATH_SIZE, "%s/%s", workspaces, id->run);
	(void)snprintf(
		incarnation, PSEUDO_PATH_SIZE, "%s/%s/%s", workspaces, id->run, id->incarnation);
}

static void remove_folders(const struct pseudo_root *p, const char *run, const char *incarnation)
{
	/* What is not empty is still in use. */
	(void)unlinkat(p->tree, incarnation, AT_REMOVEDIR);
	(void)unlinkat(p->tree, run, AT_REMOVEDIR);
}

/* In the pseudo-root. Nothing is mounted on a directory that was just made. */
static int attach(int tree, const char *path, bool made)
{
	struct statx target;
	int error = made ? 0 : place_of(path, &target);

	if (error < 0)
		return error;
	if (!made && target.stx_attributes & STATX_ATTR_MOUNT_ROOT)
		return -EEXIST;
	return move_mount(tree, "", AT_FDCWD, path, MOVE_MOUNT_F_EMPTY_PATH) < 0 ? -errno : 0;
}

int pseudo_root_bind(const struct pseudo_root *p, const struct run_id *id, int tree, struct kerr *e)
{
	char run[PSEUDO_PATH_SIZE], incarnation[PSEUDO_PATH_SIZE], path[PSEUDO_PATH_SIZE];
	bool made;
	int error;

	run_paths(id, run, incarnation);
	pseudo_path(id, path);
	if ((error = make_folder(p->tree, run)) >= 0)
		error = make_folder(p->tree, incarnation);
	if (error < 0) {
		remove_folders(p, run, incarnation);
		return kerr_set(e, error, "make folder", path, NULL);
	}
	made = error == 0;
	error = pseudo_root_enter(p, e);
	if (error == 0) {
		error = attach(tree, path, made);
		pseudo_root_leave(p);
		if (error < 0)
			(void)kerr_set(e, error, "bind into pseudo-root", path, NULL);
	}
	if (error < 0)
		remove_folders(p, run, incarnation);
	return error;
}

/* In the pseudo-root. */
static int detach(const char *path, int *ret_folder)
{
	struct statx target;
	_cleanup_close_ int folder = -1;
	int error = place_of(path, &target);

	if (error == -ENOENT || (error == 0 && !(target.stx_attributes & STATX_ATTR_MOUNT_ROOT))) {
		*ret_folder = -1;
		return 0;
	}
	if (error < 0)
		return error;
	folder = open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (folder < 0 || umount2(path, MNT_DETACH | UMOUNT_NOFOLLOW) < 0)
		return -errno;
	*ret_folder = TAKE_FD(folder);
	return 0;
}

int pseudo_root_unbind(
	const struct pseudo_root *p, const struct run_id *id, int *ret_folder, struct kerr *e)
{
	char run[PSEUDO_PATH_SIZE], incarnation[PSEUDO_PATH_SIZE], path[PSEUDO_PATH_SIZE];
	int error = pseudo_root_enter(p, e);

	if (error < 0)
		return error;
	pseudo_path(id, path);
	error = detach(path, ret_folder);
	pseudo_root_leave(p);
	if (error < 0)
		return kerr_set(e, error, "unbind from pseudo-root", path, NULL);
	run_paths(id, run, incarnation);
	remove_folders(p, run, incarnation);
	return 0;
}

int pseudo_root_inode(const struct pseudo_root *p, const char *path, uint64_t *ret, struct kerr *e)
{
	struct stat st;

	if (fstatat(p->tree, path + 1, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return kerr_set(e, -errno, "look at pseudo-root", path, NULL);
	*ret = st.st_ino;
	return 0;
}
