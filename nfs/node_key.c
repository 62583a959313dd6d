/* SPDX-License-Identifier: Apache-2.0 */
/* The node key on disk: loaded, or made once. */
#include "nfs/node_key.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "mountd/base/cleanup.h"

static const char key_name[] = "node.key";
static const char id_name[] = "node.id";
static const char clients_name[] = "clients";

static int key_lost(struct kerr *e, const char *state_dir, const char *fault)
{
	char path[PATH_MAX];

	(void)snprintf(path, sizeof path, "%s/%s", state_dir, key_name);
	return kerr_set(e, -ENOKEY, "load node key", path,
		"%s, but this node has served before: restore the file; or remove it, %s and %s/ "
		"to "
		"take a new identity, with which every existing mount of this node goes stale",
		fault, id_name, clients_name);
}

/* 1 or 0; negative errno where it cannot be told. */
static int folder_has_entries(int dir, const char *name)
{
	_cleanup_closedir_ DIR *d = NULL;
	struct dirent *entry;
	int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	d = fdopendir(fd);
	if (!d) {
		(void)close(fd);
		return -ENOMEM;
	}
	while ((errno = 0, entry = readdir(d)))
		if (entry->d_name[0] != '.')
			return 1;
	return -errno;
}

/* A small file whole, at most size bytes. Returns how many; -EFBIG: it has more. */
static int read_small(int fd, void *buffer, size_t size)
{
	size_t n = 0;
	char beyond;

	while (n < size) {
		ssize_t got = read(fd, (char *)buffer + n, size - n);
		if (got < 0)
			return -errno;
		if (got == 0)
			return (int)n;
		n += (size_t)got;
	}
	return read(fd, &beyond, 1) == 0 ? (int)n : -EFBIG;
}

static int write_all(int fd, const void *buffer, size_t size)
{
	for (size_t n = 0; n < size;) {
		ssize_t put = write(fd, (const char *)buffer + n, size - n);
		if (put < 0)
			return -errno;
		n += (size_t)put;
	}
	return fsync(fd) < 0 ? -errno : 0;
}

/* Whole or not at all, and durable on return. */
static int write_durably(int dir, const char *name, mode_t mode, const void *data, size_t size)
{
	_cleanup_close_ int fd = -1;
	char temporary[NAME_MAX + 1];
	int error;

	(void)snprintf(temporary, sizeof temporary, ".%s.tmp", name);
	if (unlinkat(dir, temporary, 0) < 0 && errno != ENOENT)
		return -errno;
	fd = openat(dir, temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
	if (fd < 0)
		return -errno;
	error = write_all(fd, data, size);
	if (error == 0 && renameat(dir, temporary, dir, name) < 0)
		error = -errno;
	if (error < 0) {
		(void)unlinkat(dir, temporary, 0);
		return error;
	}
	return fsync(dir) < 0 ? -errno : 0;
}

/* 1: read and compared equal; 0: there is none yet; -ENOKEY: it is another key's. */
static int check_id(int dir, const char fingerprint[FSID_FINGERPRINT_SIZE])
{
	_cleanup_close_ int fd = openat(dir, id_name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	char text[FSID_FINGERPRINT_SIZE] = "";
	int n;

	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	n = read_small(fd, text, sizeof text);
	if (n < 0 && n != -EFBIG)
		return n;
	/* The fingerprint and a newline. */
	if (n != FSID_FINGERPRINT_SIZE || memcmp(text, fingerprint, FSID_FINGERPRINT_SIZE - 1) != 0)
		return -ENOKEY;
	return 1;
}

static int write_id(int dir, const char fingerprint[FSID_FINGERPRINT_SIZE])
{
	char text[FSID_FINGERPRINT_SIZE + 1];
	int n = snprintf(text, sizeof text, "%s\n", fingerprint);

	return write_durably(dir, id_name, 0644, text, (size_t)n);
}

static int make_key(int dir, unsigned char key[FSID_KEY_SIZE])
{
	if (getrandom(key, FSID_KEY_SIZE, 0) != FSID_KEY_SIZE)
		return -errno;
	return write_durably(dir, key_name, 0600, key, FSID_KEY_SIZE);
}

static const char *key_fault(int fd, unsigned char key[FSID_KEY_SIZE], int *ret_error)
{
	struct stat st;
	int n;

	if (fstat(fd, &st) < 0) {
		*ret_error = -errno;
		return NULL;
	}
	if (!S_ISREG(st.st_mode))
		return "it is not a regular file";
	if (st.st_uid != geteuid())
		return "it belongs to another user";
	if (st.st_mode & 077)
		return "its mode gives access to others than its owner (must be 0600)";
	n = read_small(fd, key, FSID_KEY_SIZE);
	if (n == -EFBIG || (n >= 0 && n != FSID_KEY_SIZE))
		return "it has not exactly 32 bytes";
	*ret_error = n < 0 ? n : 0;
	return NULL;
}

/* 1 or 0: did this state directory have a key before? Negative errno where it cannot be told. */
static int had_key(int dir)
{
	if (faccessat(dir, id_name, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
		return 1;
	return errno == ENOENT ? folder_has_entries(dir, clients_name) : -errno;
}

/* Into key from an existing file, or made. */
static int obtain_key(int dir, const char *state_dir, unsigned char *key, struct kerr *e)
{
	_cleanup_close_ int fd = openat(dir, key_name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	const char *fault;
	int error = 0;

	if (fd < 0 && errno == ELOOP)
		return key_lost(e, state_dir, "it is a symbolic link");
	if (fd < 0 && errno != ENOENT)
		return kerr_set(e, -errno, "open node key", state_dir, NULL);
	if (fd >= 0) {
		fault = key_fault(fd, key, &error);
		if (fault)
			return key_lost(e, state_dir, fault);
		return error < 0 ? kerr_set(e, error, "read node key", state_dir, NULL) : 0;
	}
	error = had_key(dir);
	if (error < 0)
		return kerr_set(e, error, "look for a former node key's traces", state_dir, NULL);
	if (error > 0)
		return key_lost(e, state_dir, "it is missing");
	error = make_key(dir, key);
	return error < 0 ? kerr_set(e, error, "write node key", state_dir, NULL) : 0;
}

int node_key_load(const char *state_dir, unsigned char ret[FSID_KEY_SIZE], struct kerr *e)
{
	_cleanup_close_ int dir = open(state_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char fingerprint[FSID_FINGERPRINT_SIZE];
	unsigned char key[FSID_KEY_SIZE];
	int error;

	if (dir < 0)
		return kerr_set(e, -errno, "open state folder", state_dir, NULL);
	error = obtain_key(dir, state_dir, key, e);
	if (error < 0)
		goto out;
	error = fsid_key_fingerprint(key, fingerprint);
	if (error < 0) {
		error = kerr_set(e, error, "derive fingerprint", NULL,
			"libcrypto does not offer HMAC-SHA256");
		goto out;
	}
	error = check_id(dir, fingerprint);
	if (error == 0)
		error = write_id(dir, fingerprint);
	if (error == -ENOKEY)
		error = key_lost(e, state_dir, "it is not the key this node served with");
	else if (error < 0)
		error = kerr_set(e, error, "keep node id", state_dir, NULL);
	else
		memcpy(ret, key, sizeof key);
out:
	explicit_bzero(key, sizeof key);
	return error < 0 ? error : 0;
}
