/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Taking mounts off. Nothing here may look at a mount of a server that can be gone: only the
 * directory that holds the mountpoint is opened, and everything else is known from mountinfo.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>

#include "mountd/base/cleanup.h"
#include "nfs/actual.h"
#include "nfs/beneath.h"
#include "nfs/client_ending.h"
#include "nfs/client_state.h"
#include "nfs/mount.h"
#include "nfs/mount_ids.h"
#include "nfs/probe.h"
#include "nfs/umount.h"

#define ANSWER_MS 800 /* for the connection, and again for the answer */

enum rung { ABSENT, UMOUNT, DETACH, SHUTDOWN, FORCE };

static const char *const rung_names[] = {
	[ABSENT] = "absent",
	[UMOUNT] = "umount",
	[DETACH] = "detach",
	[SHUTDOWN] = "shutdown",
	[FORCE] = "force",
};

struct found {
	char target[PATH_MAX];
	uint64_t id;
	unsigned major, minor;
	bool nfs;
	struct addr server; /* of nfs */
	uint16_t port;
};

static bool belongs_to(const struct actual_mount *m, const char *run)
{
	struct run_id id;
	const char *marked;

	if (actual_mount_is_ours(m, &id, NULL, NULL))
		return strcmp(id.run, run) == 0;
	return actual_mount_is_marker(m, &marked) && strcmp(marked, run) == 0;
}

static bool is_below(const char *path, const char *volume)
{
	size_t length = strcmp(volume, "/") == 0 ? 0 : strlen(volume);

	return strncmp(path, volume, length) == 0 && path[length] == '/';
}

static const struct actual_mount *topmost(
	const struct actual_mounts *mounts, const struct actual_mount *m)
{
	const struct actual_mount *above;

	for (size_t depth = 0; depth < mounts->n && (above = actual_mounts_above(mounts, m));
		depth++)
		m = above;
	return m;
}

static void describe(const struct actual_mount *m, struct found *ret)
{
	(void)snprintf(ret->target, sizeof ret->target, "%s", m->target);
	ret->id = m->id;
	ret->major = m->major;
	ret->minor = m->minor;
	ret->nfs = actual_mount_is_ours(m, NULL, &ret->server, &ret->port);
}

static int covered(const struct actual_mount *m, const struct actual_mount *by, struct kerr *e)
{
	return kerr_set(e, -EEXIST, "detach mount at", m->target,
		"a foreign mount covers it: %s %.100s", by ? by->fstype : "none",
		by ? by->source : "");
}

static bool is_ours(
	const struct actual_mounts *mounts, const struct actual_mount *m, const char *run)
{
	return belongs_to(m, run) || actual_mounts_marker_of(mounts, m);
}

/* 1: *ret is the top of a stack of ours; 0: nothing of ours is left. */
static int find(const struct actual_mounts *mounts, const char *volume, const char *run,
	const struct actual_mount **ret, struct kerr *e)
{
	for (size_t i = 0; i < mounts->n; i++) {
		const struct actual_mount *m = &mounts->list[i], *top;
		if (!is_below(m->target, volume) || !belongs_to(m, run))
			continue;
		top = topmost(mounts, m);
		if (!is_ours(mounts, top, run))
			return covered(m, top, e);
		if (actual_mounts_at(mounts, m->target) != top)
			return covered(m, actual_mounts_covering(mounts, m->target), e);
		*ret = top;
		return 1;
	}
	return 0;
}

/*
 * The kernel gives its client of a server up with the last of the mounts, but not what is being
 * made or ends on it. Where the server has forgotten the client, the answer to a call of theirs
 * holds up all calls until the client is known anew, which it never is: nfs41_sequence_process() in
 * fs/nfs/nfs4proc.c. Whoever is on a mount that was cut off would wait for good.
 */
static int shut_down(const struct found *f)
{
	int error = client_state_shut_down_volume(f->major, f->minor);

	if (error == 0 && client_state_holds(&f->server, f->port) == 0)
		(void)client_ending_shut_down(&f->server, f->port);
	return error;
}

/* Cuts the processes on it off from the server, by the best rung there is. */
static enum rung cut_off(const struct mount_config *config, const struct found *f)
{
	if (!f->nfs)
		return DETACH;
	if (!(config->masked_rungs & MOUNT_RUNG_SHUTDOWN) && shut_down(f) == 0)
		return SHUTDOWN;
	return FORCE;
}

static int detach_cut(const struct mount_config *config, const struct found *f, int parent,
	const char *name, enum rung *rung)
{
	*rung = cut_off(config, f);
	return umount_lazy(parent, name, *rung == FORCE ? MNT_FORCE : 0, f->id);
}

/*
 * A server that answers tells whoever holds it open that the run has ended. He is not cut off: what
 * he closes then the server knows of, and needs not be taken back from the whole node.
 */
static int detach_clean(const struct mount_config *config, const struct mount_known *known,
	const struct found *f, int parent, const char *name, enum rung *rung)
{
	int error = umount_plain(parent, name);

	*rung = UMOUNT;
	if (error != -EBUSY)
		return error;
	if (known->server && probe_server(known->server, known->port, ANSWER_MS, NULL) < 0)
		return detach_cut(config, f, parent, name, rung);
	*rung = DETACH;
	return umount_lazy(parent, name, 0, f->id);
}

static int detach_found(const struct mount_config *config, const char *volume,
	const struct mount_known *known, const struct found *f, enum detach_how how,
	enum rung *rung, struct kerr *e)
{
	_cleanup_close_ int parent = -1;
	char relative[PATH_MAX];
	size_t skip = strcmp(volume, "/") == 0 ? 1 : strlen(volume) + 1;
	char *slash;
	int error;

	(void)snprintf(relative, sizeof relative, "./%s", f->target + skip);
	slash = strrchr(relative, '/');
	*slash = '\0';
	error = beneath_open(volume, relative, O_PATH | O_DIRECTORY, &parent, e);
	if (error < 0)
		return error;
	if (how == DETACH_CUT)
		error = detach_cut(config, f, parent, slash + 1, rung);
	else
		error = detach_clean(config, known, f, parent, slash + 1, rung);
	return error < 0 ? kerr_set(e, error, "unmount", f->target, NULL) : 0;
}

/*
 * "/" where that is no folder, or none any more: then the table of all mounts tells whether one is
 * left, and where. The volume may have been renamed with it.
 */
static void resolve(const char *volume, char path[PATH_MAX])
{
	_cleanup_close_ int fd = open(volume, O_PATH | O_DIRECTORY | O_CLOEXEC);
	char link[64];
	ssize_t length = -1;

	(void)snprintf(link, sizeof link, "/proc/thread-self/fd/%d", fd);
	if (fd >= 0)
		length = readlink(link, path, PATH_MAX - 1);
	if (length < 0)
		path[0] = '/';
	path[length < 0 ? 1 : length] = '\0';
}

/* From top down to the bare mountpoint, or to what is not ours. */
static int detach_stack(const struct mount_config *config, const char *volume, const char *run,
	const struct mount_known *known, const struct actual_mounts *mounts,
	const struct actual_mount *top, enum detach_how how, enum rung *strongest, struct kerr *e)
{
	for (unsigned i = 0; i < 64 && top && is_ours(mounts, top, run); i++) {
		enum rung rung = ABSENT;
		struct found f;
		int error;

		describe(top, &f);
		error = detach_found(config, volume, known, &f, how, &rung, e);
		if (error < 0)
			return error;
		if (rung > *strongest)
			*strongest = rung;
		top = actual_mounts_beneath(mounts, top);
	}
	return 0;
}

static int detach_all(const struct mount_config *config, const char *volume, const char *run,
	const struct mount_known *known, enum detach_how how, enum rung *ret_strongest,
	struct kerr *e)
{
	*ret_strongest = ABSENT;
	for (unsigned i = 0; i < 64; i++) {
		_cleanup_mounts_ struct actual_mounts mounts = {0};
		const struct actual_mount *top;
		int error = actual_mounts_read_own(&mounts);

		if (error < 0)
			return kerr_set(e, error, "read mountinfo", NULL, NULL);
		error = find(&mounts, volume, run, &top, e);
		if (error > 0)
			error = detach_stack(
				config, volume, run, known, &mounts, top, how, ret_strongest, e);
		else
			return error;
		if (error < 0)
			return error;
	}
	return kerr_set(e, -EBUSY, "unmount", run,
		"somebody mounts below %s faster than it is unmounted", volume);
}

/* The volume as it was when the mount was made: at is "<volume>/<run>/sandbox". */
static int volume_of(const char *at, const char *run, char path[PATH_MAX])
{
	char end[NAME_MAX_LENGTH + sizeof "//sandbox"];
	int length = snprintf(end, sizeof end, "/%s/sandbox", run);
	size_t size = strlen(at);

	if (size < (size_t)length || size >= PATH_MAX ||
		strcmp(at + size - (size_t)length, end) != 0)
		return -EINVAL;
	size -= (size_t)length;
	(void)snprintf(path, PATH_MAX, "%.*s", size ? (int)size : 1, at);
	return 0;
}

/* Where it stands alone at its place, as nearly all do. False: who knows what is there. */
static bool detach_only(const char *path, const char *run, const struct mount_known *known)
{
	_cleanup_close_ int parent = -1;
	char target[PATH_MAX], relative[NAME_MAX_LENGTH + 3];

	if (!known->at || !known->unique_id || mount_target(path, run, target, sizeof target) < 0 ||
		strcmp(target, known->at) != 0 ||
		!mount_id_is_alone(known->unique_id, target, known->unchanged_since))
		return false;
	(void)snprintf(relative, sizeof relative, "./%s", run);
	return beneath_open(path, relative, O_PATH | O_DIRECTORY, &parent, NULL) == 0 &&
	       umount_plain(parent, "sandbox") == 0 && mount_id_is_gone(known->unique_id);
}

int mount_detach(const struct mount_config *config, const char *volume, const char *run,
	const struct mount_known *known, enum detach_how how, const char **ret_rung, struct kerr *e)
{
	enum rung strongest = ABSENT, former = ABSENT;
	char path[PATH_MAX], former_path[PATH_MAX];
	const char *at = known->at;
	int error;

	resolve(volume, path);
	if (how == DETACH_CLEAN && detach_only(path, run, known)) {
		*ret_rung = rung_names[UMOUNT];
		return 0;
	}
	error = detach_all(config, path, run, known, how, &strongest, e);
	if (error == 0 && at && volume_of(at, run, former_path) == 0 &&
		strcmp(former_path, path) != 0)
		error = detach_all(config, former_path, run, known, how, &former, e);
	if (error < 0)
		return error;
	*ret_rung = rung_names[former > strongest ? former : strongest];
	return 0;
}
