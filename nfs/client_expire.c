/* SPDX-License-Identifier: Apache-2.0 */
/* Expiring clients of the server. */
#include "nfs/client_expire.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "mountd/base/cleanup.h"
#include "nfs/nfsd_text.h"
#include "nfs/nfsdfs.h"

#define PAUSE_NS     100000000
#define COME_BACK_NS 500000000
#define LEAVE_TRIES  10
#define LET_GO_S     3
#define LET_GO_TRIES (10 * LET_GO_S)

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

static int read_client(int fs, const char *name, struct client *ret)
{
	_cleanup_free_ char *info = NULL;
	char file[64];
	int error;

	(void)snprintf(ret->name, sizeof ret->name, "%.20s", name);
	(void)snprintf(file, sizeof file, "clients/%.20s/info", name);
	error = nfsdfs_read(fs, file, &info, NULL);
	return error < 0 ? error : nfsd_client_parse(info, &ret->is);
}

static off_t hash(const struct addr *addr)
{
	uint64_t h = 0xcbf29ce484222325;

	for (size_t i = 0; i < sizeof addr->bytes; i++)
		h = (h ^ addr->bytes[i]) * 0x100000001b3;
	return (off_t)(h >> 2);
}

/* Each address has a byte of a file in which nobody else locks any. To be closed. */
static int take_turn(int fs, const struct addr *addr, struct kerr *e)
{
	_cleanup_close_ int fd = openat(fs, "threads", O_RDWR | O_CLOEXEC);
	struct flock lock = {
		.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = hash(addr), .l_len = 1};

	if (fd < 0 || fcntl(fd, F_OFD_SETLKW, &lock) < 0)
		return kerr_set(e, -errno, "lock NFS client", "threads", NULL);
	return TAKE_FD(fd);
}

static bool is_there(int fs, const char *name)
{
	char file[64];

	(void)snprintf(file, sizeof file, "clients/%.20s", name);
	return faccessat(fs, file, F_OK, 0) == 0;
}

int client_expire(
	int fs, const char *name, client_meant_fn *meant, const void *data, struct kerr *e)
{
	struct client client = {0};
	_cleanup_close_ int turn = -1;
	char file[64];
	int error;

	/* Those that do not tell their address have a turn in common. */
	(void)read_client(fs, name, &client);
	turn = take_turn(fs, &client.is.addr, e);
	if (turn < 0)
		return turn;
	if (!is_there(fs, name) || (meant && !meant(fs, name, data)))
		return 0;
	(void)snprintf(file, sizeof file, "clients/%.20s/ctl", name);
	error = nfsdfs_write(fs, file, "expire\n", e);
	if (error == -ENOENT || error == -EBUSY || error == -ENODEV || error == -ENXIO)
		error = 0;
	if (error == 0)
		(void)nanosleep(&(struct timespec){.tv_nsec = COME_BACK_NS}, NULL);
	return error;
}

bool client_is_of(int fs, const char *name, const struct export *export)
{
	struct client client;
	int error = read_client(fs, name, &client);

	return error == -ENOENT ? false : error < 0 || lists(export, &client.is.addr);
}

bool client_holds_nothing(int fs, const char *name)
{
	_cleanup_close_ int fd = -1;
	char file[64], first;

	(void)snprintf(file, sizeof file, "clients/%.20s/states", name);
	fd = openat(fs, file, O_RDONLY | O_CLOEXEC);
	return fd >= 0 && read(fd, &first, 1) == 0;
}

static int add_client(struct client **list, size_t *n, const struct client *client)
{
	struct client *more = *n % 16 ? *list : reallocarray(*list, *n + 16, sizeof *more);

	if (!more)
		return -ENOMEM;
	*list = more;
	more[(*n)++] = *client;
	return 0;
}

int clients_read(int fs, struct client **ret, size_t *ret_n, struct kerr *e)
{
	int error, fd = openat(fs, "clients", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	_cleanup_closedir_ DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	_cleanup_free_ struct client *list = NULL;
	const struct dirent *entry;
	size_t n = 0;

	if (!dir) {
		error = -errno;
		cleanup_close(&fd);
		return kerr_set(e, error, "list NFS clients", "clients", NULL);
	}
	while ((errno = 0, entry = readdir(dir))) {
		struct client client;
		if (entry->d_name[0] == '.')
			continue;
		error = read_client(fs, entry->d_name, &client);
		if (error == -ENOENT || error == -ENXIO || error == -EINVAL)
			continue; /* gone, going, or without an address */
		if (error == 0)
			error = add_client(&list, &n, &client);
		if (error < 0)
			return kerr_set(e, error, "list NFS clients", entry->d_name, NULL);
	}
	if (errno)
		return kerr_set(e, -errno, "list NFS clients", "clients", NULL);
	*ret = TAKE_PTR(list);
	*ret_n = n;
	return 0;
}

bool clients_hold_anything(int fs, const struct export *export)
{
	_cleanup_free_ struct client *list = NULL;
	size_t n = 0;

	if (clients_read(fs, &list, &n, NULL) < 0)
		return false;
	for (size_t i = 0; i < n; i++)
		if (lists(export, &list[i].is.addr) && !client_holds_nothing(fs, list[i].name))
			return true;
	return false;
}

/* Which clients are meant, as far as an export tells. */
struct choice {
	bool (*is)(const struct client *client, const struct choice *choice);
	const struct export *gone;
	const struct export *const *others;
	size_t n_others;
};

static bool is_chosen(int fs, const char *name, const void *data)
{
	const struct choice *choice = data;
	struct client client;

	return read_client(fs, name, &client) == 0 && choice->is(&client, choice);
}

static int each_chosen(
	int fs, const struct choice *choice, bool expire, bool *ret_any, struct kerr *e)
{
	_cleanup_free_ struct client *list = NULL;
	size_t n = 0;
	int error = clients_read(fs, &list, &n, e);

	*ret_any = false;
	for (size_t i = 0; i < n && error == 0; i++) {
		if (!choice->is(&list[i], choice))
			continue;
		*ret_any = true;
		if (expire)
			error = client_expire(fs, list[i].name, is_chosen, choice, e);
	}
	return error;
}

/* Gives them time to be no longer meant, and expires the rest. *ret_any: some had to be. */
static int expire_at_last(
	int fs, const struct choice *choice, unsigned tries, bool *ret_any, struct kerr *e)
{
	bool any = true;
	int error = 0;

	for (unsigned i = 0; i < tries && any && error == 0; i++) {
		if (i > 0)
			(void)nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
		error = each_chosen(fs, choice, false, &any, e);
	}
	if (error == 0 && any)
		error = each_chosen(fs, choice, true, &any, e);
	if (error == 0)
		*ret_any = any;
	return error;
}

static bool has_no_export(const struct client *client, const struct choice *c)
{
	return is_idle(&client->is.addr, c->gone, c->others, c->n_others);
}

int client_expire_idle(int fs, const struct export *gone, const struct export *const *others,
	size_t n_others, struct kerr *e)
{
	const struct choice choice = {has_no_export, gone, others, n_others};
	bool any;

	return expire_at_last(fs, &choice, LEAVE_TRIES, &any, e);
}

/* One that does not call has not been told: it will be when it renews its lease. */
static bool keeps_revoked(const struct client *client, const struct choice *c)
{
	return client->is.holds_revoked && client->is.quiet_seconds < LET_GO_S &&
	       lists(c->gone, &client->is.addr);
}

int client_expire_revoked(int fs, const struct export *export, bool *ret_any, struct kerr *e)
{
	const struct choice choice = {.is = keeps_revoked, .gone = export};

	return expire_at_last(fs, &choice, LET_GO_TRIES, ret_any, e);
}
