/* SPDX-License-Identifier: Apache-2.0 */
/* Doing file operations as a folder's owner. */
#include "nfs/as_owner.h"

#include <errno.h>
#include <linux/capability.h>
#include <signal.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static void override_permissions(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

	if (syscall(SYS_capget, &header, data) < 0)
		return;
	data[0].effective |= data[0].permitted & (1U << CAP_DAC_OVERRIDE);
	(void)syscall(SYS_capset, &header, data);
}

/* With a change of identity the kernel forgets that this process ends with its parent: prctl(2). */
struct bond {
	int signal; /* 0: none */
	pid_t parent;
};

static struct bond bond(void)
{
	struct bond b = {.parent = getppid()};

	(void)prctl(PR_GET_PDEATHSIG, &b.signal);
	return b;
}

static void bind_again(struct bond b)
{
	if (b.signal && (prctl(PR_SET_PDEATHSIG, b.signal) < 0 || getppid() != b.parent))
		(void)raise(b.signal);
}

static void become(struct identity who)
{
	struct bond b = bond();

	(void)setfsgid(who.gid);
	(void)setfsuid(who.uid);
	bind_again(b);
}

/* The calls tell the former identity, never a failure: what counts is what another one tells. */
int become_owner(uid_t uid, gid_t gid, struct identity *ret_before)
{
	struct identity before = {(uid_t)setfsuid((uid_t)-1), (gid_t)setfsgid((gid_t)-1)};

	become((struct identity){uid, gid});
	if ((gid_t)setfsgid((gid_t)-1) != gid || (uid_t)setfsuid((uid_t)-1) != uid) {
		resume_identity(before);
		return -ENOMEM;
	}
	override_permissions();
	*ret_before = before;
	return 0;
}

void resume_identity(struct identity before)
{
	become(before);
}
