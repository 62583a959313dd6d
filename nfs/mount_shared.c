/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a mount propagates. */
#include "nfs/mount_shared.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "mountd/base/cleanup.h"
#include "nfs/actual.h"
#include "nfs/mount_abi.h"
#include "nfs/mount_ids.h"
#include "nfs/mount_staging.h"

/* Linux 6.8 and newer: one mount's line without all the others'. */
static int ask_kernel(int fd, bool *ret)
{
	struct statmount_question question = {
		.size = STATMOUNT_QUESTION_SIZE, .mask = STATMOUNT_MOUNT};
	struct statmount_answer answer = {0};
	int error = mount_id_unique(fd, &question.mount_id);

	if (error < 0)
		return error;
	if (syscall(SYS_statmount, &question, &answer, sizeof answer, 0) < 0)
		return -errno;
	*ret = answer.propagation & MS_SHARED;
	return 0;
}

static int ask_table(int fd, bool *ret)
{
	_cleanup_mounts_ struct actual_mounts mounts = {0};
	const struct actual_mount *m;
	uint64_t id;
	int error = mount_id_of_fd(fd, &id);

	if (error == 0)
		error = actual_mounts_read_own(&mounts);
	if (error < 0)
		return error;
	m = actual_mounts_by_id(&mounts, id);
	*ret = m && m->shared;
	return 0;
}

int mount_is_shared(int fd, bool *ret)
{
	return ask_kernel(fd, ret) == 0 ? 0 : ask_table(fd, ret);
}
