/* SPDX-License-Identifier: Apache-2.0 */
/* Putting a detached mount in its place, over or under what is there. */
#include "nfs/mount_place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "mountd/base/cleanup.h"
#include "nfs/mount_abi.h"
#include "nfs/umount.h"

/* What shows at the target now; 0 = the bare directory. Foreign mounts are the caller's matter. */
struct showing {
	uint64_t id;
	bool marker;
};

static int look_up(const struct place *p, struct showing *ret, struct kerr *e)
{
	_cleanup_mounts_ struct actual_mounts mounts = {0};
	const struct actual_mount *top;
	int error = actual_mounts_read_own(&mounts);

	if (error < 0)
		return kerr_set(e, error, "read mountinfo", NULL, NULL);
	top = actual_mounts_at(&mounts, p->target->path);
	*ret = (struct showing){0};
	if (top)
		*ret = (struct showing){top->id, actual_mount_is_marker(top, NULL)};
	return 0;
}

static bool shows_marker(const struct place *p)
{
	_cleanup_close_ int fd = -1;

	return p->marker && target_open_top(p->target, p->marker, &fd, NULL) == 0;
}

/* A new mount is the usual case, and does not cost a look at all the others of the node. */
static int look(const struct place *p, struct showing *ret, struct kerr *e)
{
	if (target_is_bare(p->target))
		*ret = (struct showing){0};
	else if (shows_marker(p))
		*ret = (struct showing){p->marker, true};
	else
		return look_up(p, ret, e);
	return 0;
}

static int move_to(int tree, int place, unsigned flags)
{
	flags |= MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH;
	return move_mount(tree, "", place, "", flags) < 0 ? -errno : 0;
}

static int attach(
	const struct place *p, const struct staged *s, const struct showing *over, struct kerr *e)
{
	_cleanup_close_ int fd = -1;
	int error;

	if (over->id)
		error = target_open_top(p->target, over->id, &fd, e);
	else
		error = target_open_bare(p->target, p->mount, &fd, p->fault, p->fault_size, e);
	if (error < 0)
		return error;
	error = move_to(s->tree, fd, 0);
	return error < 0 ? kerr_set(e, error, "attach mount to", p->target->path, NULL) : 0;
}

/* Kernels before 6.5 know no such flag; a stale mount cannot even be looked up. */
static int attach_beneath(const struct place *p, const struct staged *s, const struct showing *top)
{
	_cleanup_close_ int fd = -1;
	int error;

	if (!p->beneath)
		return -EOPNOTSUPP;
	error = target_open_top(p->target, top->id, &fd, NULL);
	return error < 0 ? error : move_to(s->tree, fd, MOVE_MOUNT_BENEATH);
}

static int detach_top(const struct place *p, const struct showing *top, struct kerr *e)
{
	int error = umount_lazy(p->target->parent, TARGET_NAME, 0, top->id);

	return error < 0 ? kerr_set(e, error, "detach the former mount at", p->target->path, NULL)
			 : 0;
}

/*
 * The directory can be renamed while we attach to it. Our own descriptor of the mount leads to it
 * wherever it is now.
 */
static int withdraw(const struct place *p, const struct staged *s, struct kerr *e)
{
	char path[64];

	(void)snprintf(path, sizeof path, "/proc/thread-self/fd/%d", s->tree);
	(void)umount2(path, MNT_DETACH);
	return kerr_set(e, -EAGAIN, "attach mount to", p->target->path,
		"the directory was moved at the same time");
}

static int confirm(const struct place *p, const struct staged *s, struct kerr *e)
{
	return target_holds(p->target, s->tree) ? 0 : withdraw(p, s, e);
}

int mount_place(
	const struct place *p, const struct staged *s, const char **ret_rung, struct kerr *e)
{
	const char *rung = "attach";
	struct showing top;
	int error;

	for (unsigned depth = 0; depth < 16; depth++) {
		error = look(p, &top, e);
		if (error < 0)
			return error;
		if (!top.id || top.marker) {
			error = attach(p, s, &top, e);
			break;
		}
		error = attach_beneath(p, s, &top);
		rung = error < 0 ? "detach-attach" : "beneath";
		bool placed = error == 0;
		error = detach_top(p, &top, e);
		if (error < 0 || placed)
			break;
	}
	if (error == 0)
		error = confirm(p, s, e);
	if (error < 0)
		return error;
	*ret_rung = rung;
	return 0;
}

int mount_place_marker(struct place *p, const struct staged *s, struct kerr *e)
{
	struct showing top;
	int error;

	for (unsigned depth = 0; depth < 16; depth++) {
		error = look(p, &top, e);
		if (error < 0)
			return error;
		if (!top.id) {
			error = attach(p, s, &top, e);
			if (error == 0)
				error = confirm(p, s, e);
			p->marker = error < 0 ? 0 : s->id;
			return error;
		}
		if (attach_beneath(p, s, &top) == 0)
			return 0;
		error = detach_top(p, &top, e);
		if (error < 0)
			return error;
	}
	return kerr_set(e, -EAGAIN, "attach marker to", p->target->path, NULL);
}
