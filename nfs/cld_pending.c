/* SPDX-License-Identifier: Apache-2.0 */
/* Questions of client tracking whose answer the kernel has perhaps not got. */
#include "nfs/cld_pending.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "mountd/base/cleanup.h"

static const char file_name[] = "client-questions";

void cld_pending_open(const char *state_dir, struct cld_pending *ret)
{
	_cleanup_close_ int folder = open(state_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	memset(ret, 0, sizeof *ret);
	ret->file = folder < 0 ? -1
			       : openat(folder, file_name,
					 O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	/* What is shorter was never kept whole, and its end is free. */
	if (ret->file >= 0 && pread(ret->file, ret->list, sizeof ret->list, 0) < 0)
		memset(ret->list, 0, sizeof ret->list);
}

void cld_pending_close(struct cld_pending *p)
{
	cleanup_close(&p->file);
}

bool cld_pending_any(const struct cld_pending *p)
{
	for (size_t i = 0; i < CLD_PENDING_MAX; i++)
		if (p->list[i].state)
			return true;
	return false;
}

/* Survives the process, as the page cache does; what ends the kernel ends the question, too. */
static void store(const struct cld_pending *p, size_t i)
{
	if (p->file >= 0)
		(void)!pwrite(
			p->file, &p->list[i], sizeof p->list[i], (off_t)(i * sizeof p->list[i]));
}

void cld_pending_drop(struct cld_pending *p, __u32 xid)
{
	for (size_t i = 0; i < CLD_PENDING_MAX; i++) {
		if (!p->list[i].state || p->list[i].message.cm_xid != xid)
			continue;
		memset(&p->list[i], 0, sizeof p->list[i]);
		store(p, i);
	}
}

void cld_pending_keep(
	struct cld_pending *p, const struct cld_msg_v2 *message, enum cld_pending_state state)
{
	size_t i = 0;

	while (i < CLD_PENDING_MAX &&
		!(p->list[i].state && p->list[i].message.cm_xid == message->cm_xid))
		i++;
	if (i == CLD_PENDING_MAX)
		for (i = 0; i < CLD_PENDING_MAX && p->list[i].state;)
			i++;
	if (i == CLD_PENDING_MAX)
		return;
	p->list[i] = (struct cld_pending_item){state, *message};
	store(p, i);
}

void cld_pending_clear(struct cld_pending *p)
{
	for (size_t i = 0; i < CLD_PENDING_MAX; i++)
		if (p->list[i].state)
			cld_pending_drop(p, p->list[i].message.cm_xid);
}
