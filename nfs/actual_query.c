/* SPDX-License-Identifier: Apache-2.0 */
/* Asking a mountinfo table: what is where, what covers what, and what of it is ours. */
#include "nfs/actual.h"

#include <libmount/libmount.h>
#include <string.h>

#include "mountd/base/cleanup.h"

const struct actual_mount *actual_mounts_by_id(const struct actual_mounts *mounts, uint64_t id)
{
	size_t low = 0, high = mounts->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (mounts->by_id[middle]->id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low < mounts->n && mounts->by_id[low]->id == id ? mounts->by_id[low] : NULL;
}

/* How m's place lies to the first length bytes of path as a child's of from, or an orphan's. */
static int compare_place(const struct actual_mount *m, const struct actual_mount *from,
	const char *path, size_t length)
{
	int order;

	if (m->orphan != !from)
		return m->orphan ? -1 : 1;
	if (from && m->parent != from->id)
		return m->parent < from->id ? -1 : 1;
	order = strncmp(m->target, path, length);
	return order ? order : m->target[length] != '\0';
}

/* The last one of the table where there are several. */
static const struct actual_mount *find_place(const struct actual_mounts *mounts,
	const struct actual_mount *from, const char *path, size_t length)
{
	size_t low = 0, high = mounts->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_place(mounts->by_place[middle], from, path, length) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0 || compare_place(mounts->by_place[low - 1], from, path, length) != 0)
		return NULL;
	return mounts->by_place[low - 1];
}

/*
 * The first mount that a look-up of path enters from the mount it is on; from NULL the first of
 * all. What sits on from's own root has the shortest target that is possible, so it comes first.
 */
static const struct actual_mount *enter(
	const struct actual_mounts *mounts, const struct actual_mount *from, const char *path)
{
	const struct actual_mount *m = find_place(mounts, from, "/", 1);

	for (size_t length = 1; !m && path[length - 1]; length++)
		if (length > 1 && (!path[length] || path[length] == '/'))
			m = find_place(mounts, from, path, length);
	return m;
}

const struct actual_mount *actual_mounts_covering(
	const struct actual_mounts *mounts, const char *path)
{
	const struct actual_mount *on = NULL;

	/* A table that the kernel did not write may have a ring of parents. */
	for (size_t depth = 0; depth <= mounts->n; depth++) {
		const struct actual_mount *next = enter(mounts, on, path);
		if (!next)
			break;
		on = next;
	}
	return on;
}

const struct actual_mount *actual_mounts_at(const struct actual_mounts *mounts, const char *target)
{
	const struct actual_mount *m = actual_mounts_covering(mounts, target);

	return m && strcmp(m->target, target) == 0 ? m : NULL;
}

const struct actual_mount *actual_mounts_above(
	const struct actual_mounts *mounts, const struct actual_mount *mount)
{
	const struct actual_mount *m = enter(mounts, mount, mount->target);

	return m && strcmp(m->target, mount->target) == 0 ? m : NULL;
}

const struct actual_mount *actual_mounts_beneath(
	const struct actual_mounts *mounts, const struct actual_mount *mount)
{
	const struct actual_mount *m =
		mount->orphan ? NULL : actual_mounts_by_id(mounts, mount->parent);

	return m && strcmp(m->target, mount->target) == 0 ? m : NULL;
}

static bool source_parse(const char *source, struct run_id *ret_id, struct addr *ret_server)
{
	char host[ADDR_TEXT_SIZE];
	bool bracketed = source[0] == '[';
	const char *start = source + bracketed;
	const char *end = strstr(start, bracketed ? "]:/" : ":/");

	if (!end || (size_t)(end - start) >= sizeof host)
		return false;
	memcpy(host, start, (size_t)(end - start));
	host[end - start] = '\0';
	return addr_parse(host, ret_server) == 0 &&
	       pseudo_path_parse(end + (bracketed ? 2 : 1), ret_id) == 0;
}

static bool port_parse(const char *options, uint16_t *ret)
{
	char *value, digits[6];
	size_t size;
	uint64_t port;

	if (mnt_optstr_get_option(options, "port", &value, &size) != 0 || !value ||
		size >= sizeof digits)
		return false;
	memcpy(digits, value, size);
	digits[size] = '\0';
	if (parse_unsigned(digits, 1, UINT16_MAX, &port) < 0)
		return false;
	*ret = (uint16_t)port;
	return true;
}

bool actual_mount_is_ours(const struct actual_mount *mount, struct run_id *ret_id,
	struct addr *ret_server, uint16_t *ret_port)
{
	struct run_id id;
	struct addr server;
	uint16_t port;

	if (strcmp(mount->fstype, "nfs4") != 0 || !source_parse(mount->source, &id, &server) ||
		!port_parse(mount->options, &port))
		return false;
	if (ret_id)
		*ret_id = id;
	if (ret_server)
		*ret_server = server;
	if (ret_port)
		*ret_port = port;
	return true;
}

bool actual_mount_is_marker(const struct actual_mount *mount, const char **ret_run)
{
	const char *run = mount->source + sizeof ACTUAL_MARKER_PREFIX - 1;

	if (strcmp(mount->fstype, "tmpfs") != 0 ||
		strncmp(mount->source, ACTUAL_MARKER_PREFIX, sizeof ACTUAL_MARKER_PREFIX - 1) !=
			0 ||
		!name_is_valid(run))
		return false;
	if (ret_run)
		*ret_run = run;
	return true;
}

const struct actual_mount *actual_mounts_marker_of(
	const struct actual_mounts *mounts, const struct actual_mount *mount)
{
	for (size_t depth = 0; depth <= mounts->n; depth++) {
		mount = actual_mounts_beneath(mounts, mount);
		if (!mount || actual_mount_is_marker(mount, NULL))
			return mount;
	}
	return NULL;
}

bool actual_mount_is_deleted(const struct actual_mount *mount)
{
	static const char mark[] = "//deleted"; /* no path has two slashes */
	size_t length = strlen(mount->root);

	return length >= sizeof mark - 1 &&
	       strcmp(mount->root + length - (sizeof mark - 1), mark) == 0;
}
