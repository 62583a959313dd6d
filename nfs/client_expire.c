/* SPDX-License-Identifier: Apache-2.0 */
/* Expiring clients of the server. */
#include "nfs/client_expire.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "mountd/base/cleanup.h"
#include "nfs/nfsd_text.h"
#include "nfs/nfsdfs.h"

static bool lists(const struct export *export, const struct addr *client)
{
	for (size_t i = 0; i < export->n_clients; i++)
		if (addr_equal(&export->clients[i], client))
			return true;
	return false;
}

static bool is_idle(const struct addr *client, const struct export *gone,
	const struct export *const *others, size_t n_others)
{
	if (!lists(gone, client))
		return false;
	for (size_t i = 0; i < n_others; i++)
		if (lists(others[i], client))
			return false;
	return true;
}

static int address_of(int fs, const char *name, struct addr *ret)
{
	_cleanup_free_ char *info = NULL;
	char file[64];
	int error;

	(void)snprintf(file, sizeof file, "clients/%.20s/info", name);
	error = nfsdfs_read(fs, file, &info, NULL);
	return error < 0 ? error : nfsd_client_address(info, ret);
}

int client_expire(int fs, const char *name, struct kerr *e)
{
	char file[64];
	int error;

	(void)snprintf(file, sizeof file, "clients/%.20s/ctl", name);
	error = nfsdfs_write(fs, file, "expire\n", e);
	return error == -ENOENT || error == -EBUSY || error == -ENODEV ? 0 : error;
}

bool client_is_of(int fs, const char *name, const struct export *export)
{
	struct addr client;
	int error = address_of(fs, name, &client);

	return error == -ENOENT ? false : error < 0 || lists(export, &client);
}

int client_expire_idle(int fs, const struct export *gone, const struct export *const *others,
	size_t n_others, struct kerr *e)
{
	int fd = openat(fs, "clients", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	_cleanup_closedir_ DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;

	if (!dir) {
		int error = -errno;
		cleanup_close(&fd);
		return kerr_set(e, error, "list NFS clients", "clients", NULL);
	}
	while ((errno = 0, entry = readdir(dir))) {
		struct addr client;
		int error;
		if (entry->d_name[0] == '.' || address_of(fs, entry->d_name, &client) < 0 ||
			!is_idle(&client, gone, others, n_others))
			continue;
		error = client_expire(fs, entry->d_name, e);
		if (error < 0)
			return error;
	}
	return errno ? kerr_set(e, -errno, "list NFS clients", "clients", NULL) : 0;
}
