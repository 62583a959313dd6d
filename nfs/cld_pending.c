/* SPDX-License-Identifier: Apache-2.0 */
/* Questions of client tracking whose answer the kernel has perhaps not got. */
#include "nfs/cld_pending.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mountd/base/cleanup.h"

static const char file_name[] = "client-questions";

/* What another boot has left, or another layout, is as good as absent. */
static void load(struct cld_pending *p, const char boot[CLD_BOOT_SIZE])
{
	char kept[CLD_BOOT_SIZE];
	size_t size = CLD_PENDING_MAX * sizeof *p->list;

	if (pread(p->file, kept, sizeof kept, 0) == sizeof kept &&
		memcmp(kept, boot, sizeof kept) == 0) {
		/* What is shorter was never kept whole, and its end is free. */
		if (pread(p->file, p->list, size, CLD_BOOT_SIZE) < 0)
			memset(p->list, 0, size);
		return;
	}
	if (ftruncate(p->file, 0) < 0 || pwrite(p->file, boot, CLD_BOOT_SIZE, 0) != CLD_BOOT_SIZE)
		cleanup_close(&p->file);
}

int cld_pending_open(const char *state_dir, const char *boot, struct cld_pending *ret)
{
	_cleanup_close_ int folder = open(state_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct cld_pending p = {.file = -1, .list = calloc(CLD_PENDING_MAX, sizeof *p.list)};
	char title[CLD_BOOT_SIZE] = "";

	if (!p.list)
		return -ENOMEM;
	if (folder >= 0)
		p.file = openat(folder, file_name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	memcpy(title, boot, strnlen(boot, sizeof title));
	if (p.file >= 0)
		load(&p, title);
	*ret = p;
	return 0;
}

void cld_pending_close(struct cld_pending *p)
{
	cleanup_close(&p->file);
	free(TAKE_PTR(p->list));
}

bool cld_pending_any(const struct cld_pending *p)
{
	for (size_t i = 0; i < CLD_PENDING_MAX; i++)
		if (p->list[i].state)
			return true;
	return false;
}

/* Survives the process, as the page cache does; no more is asked of it. */
static void store(const struct cld_pending *p, size_t i)
{
	if (p->file >= 0)
		(void)!pwrite(p->file, &p->list[i], sizeof p->list[i],
			(off_t)(CLD_BOOT_SIZE + i * sizeof p->list[i]));
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

int cld_pending_keep(
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
		return -ENOBUFS;
	p->list[i] = (struct cld_pending_item){state, *message};
	store(p, i);
	return 0;
}

void cld_pending_clear(struct cld_pending *p)
{
	for (size_t i = 0; i < CLD_PENDING_MAX; i++)
		if (p->list[i].state)
			cld_pending_drop(p, p->list[i].message.cm_xid);
}

void cld_pending_clear_but(struct cld_pending *p, __u32 xid)
{
	for (size_t i = 0; i < CLD_PENDING_MAX; i++)
		if (p->list[i].state && p->list[i].message.cm_xid != xid)
			cld_pending_drop(p, p->list[i].message.cm_xid);
}
