/* SPDX-License-Identifier: Apache-2.0 */
/* Whether two exports show the same files. */
#include "nfs/overlap.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mountd/base/cleanup.h"
#include "nfs/beneath.h"

/* On its filesystem; the path ends in a slash. */
struct place {
	unsigned major, minor;
	char path[2 * PATH_MAX];
};

static void full_path(const struct export *export, char path[2 * PATH_MAX])
{
	bool root = strcmp(export->folder, ".") == 0;
	size_t length = strlen(export->volume);

	while (length > 0 && export->volume[length - 1] == '/')
		length--;
	(void)snprintf(path, 2 * PATH_MAX, "%.*s/%s%s", (int)length, export->volume,
		root ? "" : export->folder, root ? "" : "/");
}

static bool is_in_either(const char *one, const char *other)
{
	size_t length = strlen(one), other_length = strlen(other);

	return strncmp(one, other, length < other_length ? length : other_length) == 0;
}

static bool path_of(int fd, char path[PATH_MAX])
{
	char link[sizeof "/proc/self/fd/" + 10];
	ssize_t size;

	(void)snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	size = readlink(link, path, PATH_MAX - 1);
	if (size < 0)
		return false;
	path[size] = '\0';
	return true;
}

static bool find_place(
	const struct export *export, const struct actual_mounts *mounts, struct place *ret)
{
	_cleanup_close_ int fd = -1;
	const struct actual_mount *m;
	char path[PATH_MAX];
	struct statx st;
	size_t target;

	if (beneath_open(export->volume, export->folder, O_PATH | O_DIRECTORY, &fd, NULL) < 0 ||
		!path_of(fd, path) ||
		statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_MNT_ID, &st) < 0)
		return false;
	m = actual_mounts_by_id(mounts, st.stx_mnt_id);
	target = !m || strcmp(m->target, "/") == 0 ? 0 : strlen(m->target);
	if (!m || strncmp(path, m->target, target) != 0)
		return false;
	ret->major = m->major;
	ret->minor = m->minor;
	(void)snprintf(ret->path, sizeof ret->path, "%s%s/",
		strcmp(m->root, "/") == 0 ? "" : m->root,
		strcmp(path, "/") == 0 ? "" : path + target);
	return true;
}

bool exports_overlap(
	const struct export *a, const struct export *b, const struct actual_mounts *mounts)
{
	char one[2 * PATH_MAX], other[2 * PATH_MAX];
	struct place here, there;

	full_path(a, one);
	full_path(b, other);
	if (is_in_either(one, other))
		return true;
	return find_place(a, mounts, &here) && find_place(b, mounts, &there) &&
	       here.major == there.major && here.minor == there.minor &&
	       is_in_either(here.path, there.path);
}
