/* SPDX-License-Identifier: Apache-2.0 */
/* What is at the target already: taken over when it is right and answers. */
#include "nfs/mount_adopt.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>

#include "mountd/base/cleanup.h"
#include "nfs/actual.h"
#include "nfs/beneath.h"
#include "nfs/client_state.h"
#include "nfs/mount_error.h"
#include "nfs/mount_ids.h"
#include "nfs/mount_options.h"
#include "nfs/mount_shared.h"
#include "nfs/umount.h"

int mount_answers_fd(int fd, const char *path, struct kerr *e)
{
	struct statfs fs;

	if (fstatfs(fd, &fs) == 0)
		return 0;
	const char *hint = mount_error_hint(-errno);
	return kerr_set(e, -errno, "statfs", path, hint ? "%s" : NULL, hint);
}

int mount_look(const char *path, uint64_t mount_id)
{
	_cleanup_target_ struct target t = TARGET_NONE;
	_cleanup_close_ int fd = -1;
	int error;

	/* Its own errors are the volume's, not the mount's. */
	if (target_find(path, &t) < 0)
		return -EAGAIN;
	error = target_open_top(&t, mount_id, &fd, NULL);
	return error < 0 ? error : mount_answers_fd(fd, path, NULL);
}

/* Same server, same run and incarnation, and nothing that forbids its use. */
static bool is_wanted_nfs(
	const struct actual_mount *a, const struct mount *m, char *fault, size_t size)
{
	struct run_id id;
	struct addr server;
	uint16_t port;

	return actual_mount_is_ours(a, &id, &server, &port) && run_id_equal(&id, &m->id) &&
	       addr_equal(&server, &m->server) && port == m->port &&
	       mount_options_compare(a->options, &server, port, fault, size) != OPTIONS_WRONG;
}

/* The same folder, not only the same path: a sandbox's folder may have been made anew. */
static bool shows_folder(
	const struct mount_seen *seen, const struct target *t, const struct mount *m)
{
	_cleanup_close_ int source = -1, top = -1;
	struct stat x, y;

	return beneath_open(m->source_volume, m->source_folder, O_PATH | O_DIRECTORY, &source,
		       NULL) == 0 &&
	       target_open_top(t, seen->id, &top, NULL) == 0 && fstat(source, &x) == 0 &&
	       fstat(top, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* As far as the table tells. */
static bool is_wanted(const struct actual_mounts *mounts, const struct actual_mount *a,
	const struct mount *m, char *fault, size_t size)
{
	bool nfs = actual_mount_is_ours(a, NULL, NULL, NULL);

	if (m->kind == MOUNT_NFS)
		return nfs && is_wanted_nfs(a, m, fault, size);
	return !nfs && !actual_mount_is_marker(a, NULL) && actual_mounts_marker_of(mounts, a);
}

static bool see_top(const struct actual_mounts *mounts, const struct actual_mount *top,
	const struct mount *m, struct mount_seen *ret)
{
	*ret = (struct mount_seen){top->target, top->id, top->major, top->minor, ""};
	return is_wanted(mounts, top, m, ret->options_fault, sizeof ret->options_fault);
}

static bool ends_with(const char *text, const char *end)
{
	size_t size = strlen(text), end_size = strlen(end);

	return size >= end_size && strcmp(text + size - end_size, end) == 0;
}

/* Where symbolic links lead from the volume, the end of the place is the same. */
static const struct actual_mount *find_by_end(const struct actual_mounts *table, const char *run)
{
	char end[NAME_MAX_LENGTH + sizeof "//" TARGET_NAME];

	(void)snprintf(end, sizeof end, "/%s/" TARGET_NAME, run);
	for (size_t i = 0; i < table->n; i++)
		if (ends_with(table->list[i].target, end))
			return actual_mounts_at(table, table->list[i].target);
	return NULL;
}

bool mount_see(const struct actual_mounts *table, const struct mount *m, struct mount_seen *ret)
{
	const struct actual_mount *top;
	char target[PATH_MAX];

	if (mount_target(m->volume, m->id.run, target, sizeof target) < 0)
		return false;
	top = actual_mounts_at(table, target);
	if (!top)
		top = find_by_end(table, m->id.run);
	return top && see_top(table, top, m, ret);
}

static bool is_foreign(const struct actual_mounts *mounts, const struct actual_mount *a)
{
	return !actual_mount_is_ours(a, NULL, NULL, NULL) && !actual_mount_is_marker(a, NULL) &&
	       !actual_mounts_marker_of(mounts, a);
}

/* A mount's id is given again once it is free: what has it now may be another one. */
static int statfs_kind(int fd, enum mount_kind kind)
{
	struct statfs fs;

	if (fstatfs(fd, &fs) < 0)
		return -errno;
	return kind == MOUNT_NFS && fs.f_type != NFS_SUPER_MAGIC ? -ESTALE : 0;
}

static int statfs_top(const struct target *t, const struct mount_seen *seen, const struct mount *m,
	uint64_t *ret_unique_id)
{
	_cleanup_close_ int fd = -1;
	int error = target_open_top(t, seen->id, &fd, NULL);

	if (error == 0)
		error = statfs_kind(fd, m->kind);
	if (error == 0)
		(void)mount_id_unique(fd, ret_unique_id);
	return error == 0 && client_state_mount_is_shut(
				     &m->server, m->port, seen->major, seen->minor)
		       ? -EIO
		       : error;
}

/*
 * A killed replacement leaves the new mount beneath the old one, so the one that is wanted may
 * only have to be uncovered.
 */
static bool lies_deeper(
	const struct actual_mounts *mounts, const struct actual_mount *top, const struct mount *m)
{
	char fault[128];

	if (m->kind != MOUNT_NFS)
		return false;
	while ((top = actual_mounts_beneath(mounts, top)))
		if (is_wanted_nfs(top, m, fault, sizeof fault))
			return true;
	return false;
}

/* True where it is still there, is what is wanted, and answers. */
static bool adopt_seen(const struct mount_seen *seen, const struct target *t, const struct mount *m,
	struct mount_outcome *out)
{
	if (strcmp(seen->at, t->path) != 0 || target_is_bare(t) ||
		(m->kind == MOUNT_BIND && !shows_folder(seen, t, m)) ||
		statfs_top(t, seen, m, &out->unique_id) != 0)
		return false;
	out->rung = "adopted";
	out->major = seen->major;
	out->minor = seen->minor;
	out->mount_id = seen->id;
	(void)strcpy(out->options_fault, seen->options_fault);
	return true;
}

static int adopt_once(
	const struct target *t, const struct mount *m, struct mount_outcome *out, struct kerr *e)
{
	_cleanup_mounts_ struct actual_mounts mounts = {0};
	const struct actual_mount *top;
	struct mount_seen seen;
	int error;

	if (target_is_bare(t))
		return 0;
	error = actual_mounts_read_own(&mounts);
	if (error < 0)
		return kerr_set(e, error, "read mountinfo", NULL, NULL);
	top = actual_mounts_at(&mounts, t->path);
	if (!top)
		return 0;
	if (is_foreign(&mounts, top))
		return kerr_set(e, -EEXIST, "attach mount to", t->path,
			"a foreign mount is there: %s %.100s", top->fstype, top->source);
	if (see_top(&mounts, top, m, &seen) && adopt_seen(&seen, t, m, out))
		return 1;
	if (!lies_deeper(&mounts, top, m))
		return 0;
	error = umount_lazy(t->parent, TARGET_NAME, 0, top->id);
	return error < 0 ? kerr_set(e, error, "detach the former mount at", t->path, NULL)
			 : -EAGAIN;
}

/* After a restart a thousand mounts are not each looked for among all others: seen tells. */
int mount_adopt(const struct mount_seen *seen, const struct target *t, const struct mount *m,
	struct mount_outcome *out, struct kerr *e)
{
	int error = mount_is_shared(t->parent, &out->propagates);

	if (error < 0)
		return kerr_set(e, error, "look at the mount of", t->path, NULL);
	if (seen && adopt_seen(seen, t, m, out))
		return 1;
	error = -EAGAIN;
	for (unsigned depth = 0; depth < 16 && error == -EAGAIN; depth++)
		error = adopt_once(t, m, out, e);
	return error;
}
