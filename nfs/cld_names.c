/* SPDX-License-Identifier: Apache-2.0 */
/* The names of the NFS clients that may reclaim after a restart, one file each. */
#include "nfs/cld_names.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/sha.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

#include "mountd/base/cleanup.h"

#define TITLE_LENGTH (2 * SHA256_DIGEST_LENGTH)

static const char temporary[] = "new"; /* no title: swept aside by the next one */

static void title_of(const void *name, size_t size, char title[TITLE_LENGTH + 1])
{
	unsigned char digest[SHA256_DIGEST_LENGTH];

	(void)SHA256(name, size, digest);
	for (size_t i = 0; i < sizeof digest; i++)
		(void)snprintf(title + 2 * i, 3, "%02x", digest[i]);
}

static int open_folder(int parent, const char *name)
{
	int fd;

	if (mkdirat(parent, name, 0700) < 0 && errno != EEXIST)
		return -errno;
	fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int cld_names_open(const char *state_dir, struct cld_names *ret, struct kerr *e)
{
	_cleanup_close_ int state = open(state_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	_cleanup_close_ int clients = -1, current = -1, recover = -1;

	if (state < 0)
		return kerr_set(e, -errno, "open state folder", state_dir, NULL);
	clients = open_folder(state, "clients");
	if (clients < 0)
		return kerr_set(e, clients, "open folder clients", state_dir, NULL);
	current = open_folder(clients, "current");
	if (current < 0)
		return kerr_set(e, current, "open folder clients/current", state_dir, NULL);
	recover = open_folder(clients, "recover");
	if (recover < 0)
		return kerr_set(e, recover, "open folder clients/recover", state_dir, NULL);
	if (fsync(clients) < 0 || fsync(state) < 0)
		return kerr_set(e, -errno, "sync state folder", state_dir, NULL);
	*ret = (struct cld_names){.current = TAKE_FD(current), .recover = TAKE_FD(recover)};
	return 0;
}

void cld_names_close(struct cld_names *names)
{
	cleanup_close(&names->current);
	cleanup_close(&names->recover);
	*names = (struct cld_names){-1, -1};
}

typedef int title_fn(int folder, const char *title, void *data);

static bool is_title(const char *text)
{
	return strlen(text) == TITLE_LENGTH && strspn(text, "0123456789abcdef") == TITLE_LENGTH;
}

/* A descriptor of its own: a directory's position is shared between duplicates. */
static int each_title(int folder, title_fn *fn, void *data)
{
	int error, fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	_cleanup_closedir_ DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;

	if (!dir) {
		error = -errno;
		cleanup_close(&fd);
		return error;
	}
	while ((errno = 0, entry = readdir(dir))) {
		if (!is_title(entry->d_name))
			continue;
		error = fn(folder, entry->d_name, data);
		if (error < 0)
			return error;
	}
	return -errno;
}

static int write_name(int folder, const void *name, size_t size)
{
	_cleanup_close_ int fd = openat(
		folder, temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	ssize_t written;

	if (fd < 0)
		return -errno;
	written = write(fd, name, size);
	if (written < 0)
		return -errno;
	if ((size_t)written != size)
		return -ENOSPC;
	return fsync(fd) < 0 ? -errno : 0;
}

static int count_title(int folder, const char *title, void *data)
{
	unsigned *n = data;

	(void)folder;
	(void)title;
	return ++*n < CLD_NAMES_MAX ? 0 : -ENOSPC;
}

int cld_names_add(const struct cld_names *names, const void *name, size_t size)
{
	char title[TITLE_LENGTH + 1];
	unsigned n = 0;
	int error;

	if (size == 0 || size > CLD_NAME_SIZE)
		return -EINVAL;
	error = each_title(names->current, count_title, &n);
	if (error < 0)
		return error;
	title_of(name, size, title);
	error = write_name(names->current, name, size);
	if (error < 0) {
		(void)unlinkat(names->current, temporary, 0);
		return error;
	}
	if (renameat(names->current, temporary, names->current, title) < 0)
		return -errno;
	return fsync(names->current) < 0 ? -errno : 0;
}

static int remove_title(int folder, const char *title, void *data)
{
	(void)data;
	return unlinkat(folder, title, 0) < 0 && errno != ENOENT ? -errno : 0;
}

int cld_names_has(const struct cld_names *names, const void *name, size_t size)
{
	const int folders[] = {names->current, names->recover};
	char title[TITLE_LENGTH + 1];

	title_of(name, size, title);
	for (size_t i = 0; i < 2; i++) {
		if (faccessat(folders[i], title, F_OK, 0) == 0)
			return 1;
		if (errno != ENOENT)
			return -errno;
	}
	return 0;
}

int cld_names_remove(const struct cld_names *names, const void *name, size_t size)
{
	char title[TITLE_LENGTH + 1];
	int error, other;

	title_of(name, size, title);
	error = remove_title(names->current, title, NULL);
	other = remove_title(names->recover, title, NULL);
	if (error < 0 || other < 0)
		return error < 0 ? error : other;
	return fsync(names->current) < 0 || fsync(names->recover) < 0 ? -errno : 0;
}

static int move_title(int folder, const char *title, void *data)
{
	return renameat(folder, title, *(const int *)data, title) < 0 ? -errno : 0;
}

/*
 * What an unfinished grace left in recover stays there: nobody was granted what those clients
 * held. The target is synced first: a name on neither disk copy could never reclaim.
 */
int cld_names_begin_grace(const struct cld_names *names)
{
	int recover = names->recover;
	int error = each_title(names->current, move_title, &recover);

	if (error < 0)
		return error;
	return fsync(names->recover) < 0 || fsync(names->current) < 0 ? -errno : 0;
}

int cld_names_end_grace(const struct cld_names *names)
{
	int error = each_title(names->recover, remove_title, NULL);

	if (error < 0)
		return error;
	return fsync(names->recover) < 0 ? -errno : 0;
}

struct recoverable {
	cld_name_fn *fn;
	void *data;
};

static int read_title(int folder, const char *title, void *data)
{
	const struct recoverable *r = data;
	unsigned char name[CLD_NAME_SIZE + 1];
	char proof[TITLE_LENGTH + 1];
	_cleanup_close_ int fd = openat(folder, title, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	ssize_t size;

	if (fd < 0)
		return errno == ENOENT || errno == ELOOP ? 0 : -errno;
	size = read(fd, name, sizeof name);
	if (size < 0)
		return -errno;
	title_of(name, (size_t)size, proof);
	if (size == 0 || size > CLD_NAME_SIZE || strcmp(proof, title) != 0)
		return remove_title(folder, title, NULL);
	return r->fn(name, (size_t)size, r->data);
}

int cld_names_recoverable(const struct cld_names *names, cld_name_fn *fn, void *data)
{
	struct recoverable r = {.fn = fn, .data = data};

	return each_title(names->recover, read_title, &r);
}
