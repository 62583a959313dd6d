/* SPDX-License-Identifier: Apache-2.0 */
/* What the server's clients hold on an export's filesystem. */
#include "nfs/holding.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "mountd/base/cleanup.h"
#include "nfs/actual.h"
#include "nfs/beneath.h"
#include "nfs/client_expire.h"
#include "nfs/nfsdfs.h"

#define PIECE_SIZE 16384

void holding_clear(struct holding *h)
{
	cleanup_close(&h->fs);
	cleanup_close(&h->folder);
	held_clear(&h->held);
}

/*
 * Gives fn what is whole of the text's lines, and moves the rest to its beginning. A line that
 * fills it all, which no state does, is cut.
 */
static int give_lines(const char *client, char text[PIECE_SIZE + 1], size_t *size, bool at_end,
	holding_fn *fn, struct holding *h)
{
	const char *last = memrchr(text, '\n', *size);
	size_t whole = last ? (size_t)(last + 1 - text) : 0;
	char next;
	int r;

	if (at_end || (!last && *size == PIECE_SIZE))
		whole = *size;
	if (whole == 0)
		return 0;
	next = text[whole];
	text[whole] = '\0';
	r = fn(client, text, h);
	text[whole] = next;
	*size -= whole;
	memmove(text, text + whole, *size);
	return r;
}

/* A client may hold more than there is memory for the text of. */
static int read_states(
	int fd, const char *client, const char *file, holding_fn *fn, struct holding *h)
{
	char text[PIECE_SIZE + 1];
	size_t size = 0;
	ssize_t n;
	int r;

	do {
		n = read(fd, text + size, PIECE_SIZE - size);
		if (n < 0)
			return kerr_set(h->e, -errno, "read nfsd control file", file, NULL);
		size += (size_t)n;
		r = give_lines(client, text, &size, n == 0, fn, h);
	} while (n > 0 && r == 0);
	return r;
}

/* nfsd takes a client's files away one after another, and first what they tell of it: -ENXIO. */
int holding_of_client(struct holding *h, const char *client, holding_fn *fn)
{
	_cleanup_close_ int fd = -1;
	char file[64];

	(void)snprintf(file, sizeof file, "clients/%.20s/states", client);
	fd = openat(h->fs, file, O_RDONLY | O_CLOEXEC);
	if (fd < 0 && (errno == ENOENT || errno == ENXIO))
		return 0;
	if (fd < 0)
		return kerr_set(h->e, -errno, "open nfsd control file", file, NULL);
	return read_states(fd, client, file, fn, h);
}

int holding_each_client(struct holding *h, holding_fn *fn)
{
	int error, fd = openat(h->fs, "clients", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	_cleanup_closedir_ DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;

	if (!dir) {
		error = -errno;
		cleanup_close(&fd);
		return kerr_set(h->e, error, "list NFS clients", "clients", NULL);
	}
	while ((errno = 0, entry = readdir(dir))) {
		if (entry->d_name[0] == '.' || strlen(entry->d_name) > 20)
			continue;
		error = holding_of_client(h, entry->d_name, fn);
		if (error != 0)
			return error;
	}
	return errno ? kerr_set(h->e, -errno, "list NFS clients", "clients", NULL) : 0;
}

int holding_collect(const char *client, const char *states, struct holding *h)
{
	int error = held_add_states(&h->held, states);

	return error < 0 ? kerr_set(h->e, error, "read NFS client's states", client, NULL) : 0;
}

int holding_collect_own(const char *client, const char *states, struct holding *h)
{
	return client_is_of(h->fs, client, h->export) ? holding_collect(client, states, h) : 0;
}

int holding_inside(const char *client, const char *states, struct holding *h)
{
	(void)client;
	return held_states_inside(&h->held, states);
}

int holding_count(struct holding *h, holding_fn *fn)
{
	int error;

	free(TAKE_PTR(h->held.files));
	h->held.n = 0;
	error = holding_each_client(h, fn);
	held_sort(&h->held);
	return error;
}

bool holding_search(struct holding *h, held_found_fn *found)
{
	struct stat st;

	return !h->absent && fstat(h->folder, &st) == 0 && st.st_nlink > 0 &&
	       held_mark_tree(&h->held, h->folder, found) == 0;
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
	const struct holding *h, const struct export *other, const struct actual_mounts *mounts)
{
	unsigned major = 0, minor = 0;

	return superblock_of(other, mounts, &major, &minor) < 0 ||
	       (major == h->held.major && minor == h->held.minor);
}

static int locate(struct holding *h, const struct other_exports *others)
{
	_cleanup_(actual_mounts_clear) struct actual_mounts mounts = {0};
	struct stat st;
	int error = read_mounts(&mounts, h->e);

	if (error < 0)
		return error;
	if (superblock_of(h->export, &mounts, &h->held.major, &h->held.minor) < 0 &&
		superblock_at(h->folder, &mounts, &h->held.major, &h->held.minor) < 0) {
		if (fstat(h->folder, &st) < 0)
			return kerr_set(h->e, -errno, "look at folder", h->export->folder, NULL);
		h->held.major = major(st.st_dev);
		h->held.minor = minor(st.st_dev);
	}
	for (size_t i = 0; i < others->n_staying && !h->shared; i++)
		h->shared = shares_superblock(h, others->list[i], &mounts);
	return 0;
}

/* Where nothing is left of the volume's path, nothing tells what to look for. */
static bool is_lost(int error)
{
	return error == ENOENT || error == ENOTDIR || error == ELOOP || error == ESTALE;
}

int holding_look(struct holding *h, const struct exporter_config *config, int folder,
	const struct other_exports *others, holding_fn *fn)
{
	int error;

	h->absent = folder < 0;
	h->folder = h->absent ? open(h->export->volume, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
			      : openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (h->absent && h->folder < 0 && is_lost(errno))
		return 1;
	if (h->folder < 0)
		return kerr_set(h->e, -errno, "open folder", h->export->folder, NULL);
	error = nfsdfs_open(config->runtime_dir, &h->fs, h->e);
	if (error == 0)
		error = locate(h, others);
	return error < 0 ? error : holding_count(h, fn);
}
