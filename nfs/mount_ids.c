/* SPDX-License-Identifier: Apache-2.0 */
/* Asking for single mounts, and for the list of them. */
#include "nfs/mount_ids.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "mountd/base/cleanup.h"
#include "nfs/mount_abi.h"

#define IDS_AT_ONCE 1024

#define TEXT_SIZE PATH_MAX

union described {
	struct statmount_answer answer;
	char bytes[sizeof(struct statmount_answer) + TEXT_SIZE];
};

static int describe(uint64_t id, union described *ret)
{
	struct statmount_question question = {.size = STATMOUNT_QUESTION_SIZE,
		.mount_id = id,
		.mask = STATMOUNT_MOUNT | STATMOUNT_TARGET};

	return syscall(SYS_statmount, &question, ret, sizeof *ret, 0) < 0 ? -errno : 0;
}

static long list_below(uint64_t id, uint64_t after, uint64_t *list, size_t room)
{
	struct statmount_question question = {
		.size = STATMOUNT_QUESTION_SIZE, .mount_id = id, .mask = after};

	return syscall(SYS_listmount, &question, list, room, 0);
}

int mount_ids_read(struct mount_ids *ret)
{
	_cleanup_free_ uint64_t *list = NULL;
	size_t n = 0;
	long got;

	do {
		uint64_t *larger = reallocarray(list, n + IDS_AT_ONCE, sizeof *list);
		if (!larger)
			return -ENOMEM;
		list = larger;
		got = list_below(LISTMOUNT_ROOT, n ? list[n - 1] : 0, list + n, IDS_AT_ONCE);
		if (got < 0)
			return -errno;
		n += (size_t)got;
	} while (got == IDS_AT_ONCE);
	for (size_t i = 1; i < n; i++)
		if (list[i - 1] >= list[i])
			return -ENOSYS; /* no order that we know */
	*ret = (struct mount_ids){TAKE_PTR(list), n};
	return 0;
}

void mount_ids_clear(struct mount_ids *ids)
{
	free(ids->list);
	*ids = (struct mount_ids){0};
}

bool mount_ids_have(const struct mount_ids *ids, uint64_t id)
{
	size_t low = 0, high = ids->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (ids->list[middle] < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low < ids->n && ids->list[low] == id;
}

int mount_id_unique(int fd, uint64_t *ret)
{
	struct statx st;

	if (statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_MNT_ID_UNIQUE, &st) < 0)
		return -errno;
	if (!(st.stx_mask & STATX_MNT_ID_UNIQUE))
		return -EOPNOTSUPP;
	*ret = st.stx_mnt_id;
	return 0;
}

static bool is_at(uint64_t id, const char *target, uint64_t *ret_parent)
{
	union described d;

	if (describe(id, &d) < 0 || !(d.answer.mask & STATMOUNT_TARGET) ||
		d.answer.target >= TEXT_SIZE)
		return false;
	*ret_parent = d.answer.parent_id;
	return strcmp(d.answer.text + d.answer.target, target) == 0;
}

/* Its namespace tells of changes since it was opened: proc(5), "/proc/pid/mounts". */
static bool is_unchanged(int mountinfo)
{
	struct pollfd p = {.fd = mountinfo, .events = POLLPRI};

	return mountinfo > 0 && poll(&p, 1, 0) == 0;
}

bool mount_id_is_alone(uint64_t id, const char *target, int unchanged_since)
{
	uint64_t parent, above, other;

	return is_at(id, target, &parent) && !is_at(parent, target, &other) &&
	       (is_unchanged(unchanged_since) || list_below(id, 0, &above, 1) == 0);
}

bool mount_id_is_gone(uint64_t id)
{
	union described d;

	return describe(id, &d) == -ENOENT;
}
