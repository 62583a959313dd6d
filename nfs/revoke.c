/* SPDX-License-Identifier: Apache-2.0 */
/* Taking away what clients hold in a folder that is no longer exported. */
#include <errno.h>
#include <fcntl.h>
#include <netlink/attr.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "mountd/base/cleanup.h"
#include "nfs/actual.h"
#include "nfs/beneath.h"
#include "nfs/client_expire.h"
#include "nfs/export.h"
#include "nfs/genl.h"
#include "nfs/held.h"
#include "nfs/nfsd_abi.h"
#include "nfs/nfsdfs.h"
#include "nfs/server_rungs.h"

struct revocation {
	unsigned masked;
	int fs;	     /* filesystem "nfsd" */
	int folder;  /* the export's own mount, or what is left: its volume */
	bool absent; /* it is the volume */
	bool former; /* clients may hold something by a mount of an earlier process */
	bool shared; /* another export's folder lies on the same superblock */
	const struct export *gone;
	struct held held;
	struct kerr *e;
};

static void revocation_clear(struct revocation *r)
{
	cleanup_close(&r->fs);
	cleanup_close(&r->folder);
	held_clear(&r->held);
}

/* fn for the states of each client; a client that has gone meanwhile is none. */
typedef int client_fn(const char *client, const char *states, struct revocation *r);

static int each_client(struct revocation *r, client_fn *fn)
{
	int error, fd = openat(r->fs, "clients", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	_cleanup_closedir_ DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;

	if (!dir) {
		error = -errno;
		cleanup_close(&fd);
		return kerr_set(r->e, error, "list NFS clients", "clients", NULL);
	}
	while ((errno = 0, entry = readdir(dir))) {
		_cleanup_free_ char *states = NULL;
		char file[64];
		if (entry->d_name[0] == '.' || strlen(entry->d_name) > 20)
			continue;
		(void)snprintf(file, sizeof file, "clients/%.20s/states", entry->d_name);
		if (nfsdfs_read(r->fs, file, &states, NULL) < 0)
			continue;
		error = fn(entry->d_name, states, r);
		if (error < 0)
			return error;
	}
	return errno ? kerr_set(r->e, -errno, "list NFS clients", "clients", NULL) : 0;
}

static int collect(const char *client, const char *states, struct revocation *r)
{
	int error = held_add_states(&r->held, states);

	return error < 0 ? kerr_set(r->e, error, "read NFS client's states", client, NULL) : 0;
}

static int collect_own(const char *client, const char *states, struct revocation *r)
{
	return client_is_of(r->fs, client, r->gone) ? collect(client, states, r) : 0;
}

/* How much is held on the superblock now, by those whose states fn collects. */
static int count_held(struct revocation *r, client_fn *fn)
{
	int error;

	free(TAKE_PTR(r->held.files));
	r->held.n = 0;
	error = each_client(r, fn);
	held_sort(&r->held);
	return error;
}

static int unlock_export(struct revocation *r, const char *path)
{
	_cleanup_(genl_closep) struct genl *g = NULL;
	struct nl_msg *message;

	if (r->masked & EXPORT_RUNG_UNLOCK_EXPORT || genl_open("nfsd", &g) < 0 ||
		!genl_has_op(g, NFSD_UNLOCK_EXPORT))
		return -EOPNOTSUPP;
	message = genl_message(g, NFSD_UNLOCK_EXPORT, 0);
	if (!message)
		return -ENOMEM;
	if (nla_put_string(message, NFSD_UNLOCK_PATH, path) < 0) {
		nlmsg_free(message);
		return -ENOMEM;
	}
	return genl_request(g, message, NULL, NULL);
}

/* Before 6.9 it only takes NLM locks, so what it did is looked at. */
static int unlock_filesystem(struct revocation *r, const char *path)
{
	char line[64];
	int error;

	if (r->masked & EXPORT_RUNG_UNLOCK_FS || r->shared)
		return -EOPNOTSUPP;
	(void)snprintf(line, sizeof line, "%s\n", path);
	error = nfsdfs_write(r->fs, "unlock_filesystem", line, r->e);
	if (error == 0)
		error = count_held(r, collect);
	return error < 0 ? error : r->held.n > 0 ? -EOPNOTSUPP : 0;
}

static int expire_holder(const char *client, const char *states, struct revocation *r)
{
	return held_states_inside(&r->held, states) ? client_expire(r->fs, client, r->e) : 0;
}

static int expire_own_holder(const char *client, const char *states, struct revocation *r)
{
	return client_is_of(r->fs, client, r->gone) ? expire_holder(client, states, r) : 0;
}

static bool any_inside(const struct held *h)
{
	for (size_t i = 0; i < h->n; i++)
		if (h->files[i].inside)
			return true;
	return false;
}

/* In a folder that was deleted nothing is to be found, however much is still held of it. */
static bool search(struct revocation *r)
{
	struct stat st;

	return !r->absent && fstat(r->folder, &st) == 0 && st.st_nlink > 0 &&
	       held_mark_tree(&r->held, r->folder) == 0;
}

/*
 * The bluntest: a client loses what it holds in other runs as well, so it must hold something
 * here. Where the folder cannot be searched to its end, and its owner can see to that, whatever
 * the export's own clients hold on the filesystem counts as held here.
 */
static int expire_holders(struct revocation *r, const char **ret_rung)
{
	bool searched = r->shared && search(r), any;
	int error = 0;

	if (!r->shared)
		held_mark_all(&r->held);
	any = any_inside(&r->held);
	if (any)
		error = each_client(r, expire_holder);
	if (error == 0 && r->shared && !searched) {
		any = true;
		held_mark_all(&r->held);
		error = each_client(r, expire_own_holder);
	}
	if (error < 0)
		return error;
	*ret_rung = any ? "expire-client" : "none";
	return 0;
}

static int revoked(struct revocation *r, const char *rung, const char **ret_rung)
{
	bool expired;
	int error = client_expire_revoked(r->fs, r->gone, &expired, r->e);

	if (error == 0)
		*ret_rung = expired ? "expire-client" : rung;
	return error;
}

/* What could not be looked at counts. */
static bool is_still_held(struct revocation *r)
{
	if (count_held(r, collect) < 0)
		return true;
	return r->held.n > 0 && (!r->shared || !search(r) || any_inside(&r->held));
}

static int climb_down(struct revocation *r, const char **ret_rung)
{
	char path[sizeof "/proc/self/fd//." + 10];

	/* The kernel does not follow a last link, but a "." after it. */
	(void)snprintf(path, sizeof path, "/proc/self/fd/%d/.", r->folder);
	if (unlock_export(r, path) == 0 && !(r->former && is_still_held(r)))
		return revoked(r, "unlock-export", ret_rung);
	if (unlock_filesystem(r, path) == 0)
		return revoked(r, "unlock-filesystem", ret_rung);
	return expire_holders(r, ret_rung);
}

/*
 * Of the superblock, as nfsd names it: the mount table's, as st_dev is a subvolume's on btrfs.
 */
static int superblock_at(
	int fd, const struct actual_mounts *mounts, unsigned *ret_major, unsigned *ret_minor)
{
	const struct actual_mount *m;
	struct statx st;

	if (statx(fd, "", AT_EMPTY_PATH, STATX_MNT_ID, &st) < 0)
		return -errno;
	m = actual_mounts_by_id(mounts, st.stx_mnt_id);
	if (!m)
		return -ENOENT;
	*ret_major = m->major;
	*ret_minor = m->minor;
	return 0;
}

static int superblock_of(const struct export *export, const struct actual_mounts *mounts,
	unsigned *ret_major, unsigned *ret_minor)
{
	_cleanup_close_ int fd = -1;
	int error = beneath_open(export->volume, export->folder, O_PATH | O_DIRECTORY, &fd, NULL);

	return error < 0 ? error : superblock_at(fd, mounts, ret_major, ret_minor);
}

static int read_mounts(struct actual_mounts *ret, struct kerr *e)
{
	_cleanup_close_ int fd = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
	int error = fd < 0 ? -errno : actual_mounts_read(fd, ret);

	return error < 0 ? kerr_set(e, error, "read mounts", "/proc/self/mountinfo", NULL) : 0;
}

/* An export whose folder cannot be looked at any more counts as sharing. */
static bool shares_superblock(
	const struct revocation *r, const struct export *other, const struct actual_mounts *mounts)
{
	unsigned major = 0, minor = 0;

	return superblock_of(other, mounts, &major, &minor) < 0 ||
	       (major == r->held.major && minor == r->held.minor);
}

static int locate(
	struct revocation *r, const struct export *gone, const struct other_exports *others)
{
	_cleanup_(actual_mounts_clear) struct actual_mounts mounts = {0};
	struct stat st;
	int error = read_mounts(&mounts, r->e);

	if (error < 0)
		return error;
	if (superblock_of(gone, &mounts, &r->held.major, &r->held.minor) < 0 &&
		superblock_at(r->folder, &mounts, &r->held.major, &r->held.minor) < 0) {
		if (fstat(r->folder, &st) < 0)
			return kerr_set(r->e, -errno, "look at folder", gone->folder, NULL);
		r->held.major = major(st.st_dev);
		r->held.minor = minor(st.st_dev);
	}
	for (size_t i = 0; i < others->n_staying && !r->shared; i++)
		r->shared = shares_superblock(r, others->list[i], &mounts);
	return 0;
}

/* Where nothing is left of the volume's path, nothing tells what to look for. */
static bool is_lost(int error)
{
	return error == ENOENT || error == ENOTDIR || error == ELOOP || error == ESTALE;
}

/* What is held on the export's filesystem, as fn collects. 1: nothing is left to look at. */
static int look(struct revocation *r, const struct exporter_config *config, int folder,
	const struct other_exports *others, client_fn *fn)
{
	int error;

	r->absent = folder < 0;
	r->folder = r->absent ? open(r->gone->volume, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
			      : openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (r->absent && r->folder < 0 && is_lost(errno))
		return 1;
	if (r->folder < 0)
		return kerr_set(r->e, -errno, "open folder", r->gone->folder, NULL);
	error = nfsdfs_open(config->runtime_dir, &r->fs, r->e);
	if (error == 0)
		error = locate(r, r->gone, others);
	return error < 0 ? error : count_held(r, fn);
}

#define REVOCATION(...) ((struct revocation){.fs = -1, .folder = -1, __VA_ARGS__})

int export_revoke(const struct exporter_config *config, const struct export *gone, int folder,
	bool former, const struct other_exports *others, const char **ret_rung, struct kerr *e)
{
	_cleanup_(revocation_clear) struct revocation r =
		REVOCATION(.masked = config->masked_rungs, .gone = gone, .former = former, .e = e);
	int error = look(&r, config, folder, others, collect);

	if (error < 0)
		return error;
	*ret_rung = "none";
	if (error > 0)
		return 0;
	if (r.held.n > 0)
		error = climb_down(&r, ret_rung);
	return error < 0 ? error : client_expire_idle(r.fs, gone, others->list, others->n, e);
}

static int expire_dropped(struct revocation *r, const char **ret_rung)
{
	if (r->held.n > 0 && !search(r))
		held_mark_all(&r->held);
	if (!any_inside(&r->held))
		return 0;
	*ret_rung = "expire-client";
	return each_client(r, expire_own_holder);
}

int export_drop_clients(const struct exporter_config *config, const struct export *dropped,
	int folder, const struct other_exports *others, const char **ret_rung, struct kerr *e)
{
	_cleanup_(revocation_clear) struct revocation r = REVOCATION(.gone = dropped, .e = e);
	int error = look(&r, config, folder, others, collect_own);

	if (error < 0)
		return error;
	*ret_rung = "none";
	if (error > 0)
		return 0;
	error = expire_dropped(&r, ret_rung);
	return error < 0 ? error : client_expire_idle(r.fs, dropped, others->list, others->n, e);
}

const char *revoke_best_rung(unsigned masked)
{
	_cleanup_(genl_closep) struct genl *g = NULL;

	if (genl_open("nfsd", &g) < 0)
		return "expire-client";
	if (!(masked & EXPORT_RUNG_UNLOCK_EXPORT) && genl_has_op(g, NFSD_UNLOCK_EXPORT))
		return "unlock-export";
	/* The family's thread command came with 6.10, the revocation with 6.9. */
	return !(masked & EXPORT_RUNG_UNLOCK_FS) && genl_has_op(g, NFSD_THREADS_SET)
		       ? "unlock-filesystem"
		       : "expire-client";
}
