/* SPDX-License-Identifier: Apache-2.0 */
/* Questions of client tracking whose answer the kernel has perhaps not got. */
#include "nfs/cld_pending.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#include "mountd/base/cleanup.h"

static const char file_name[] = "client-questions";

struct kept {
	char boot[CLD_BOOT_SIZE];
	struct cld_pending_item list[CLD_PENDING_MAX];
};

/* Its room is taken now: what is kept later cannot fail for want of it. NULL: errno. */
static struct kept *map(int folder)
{
	_cleanup_close_ int fd =
		openat(folder, file_name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	void *kept;

	if (fd < 0)
		return NULL;
	errno = posix_fallocate(fd, 0, sizeof(struct kept));
	if (errno)
		return NULL;
	kept = mmap(NULL, sizeof(struct kept), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	return kept == MAP_FAILED ? NULL : kept;
}

int cld_pending_open(const char *runtime_dir, const char *boot, struct cld_pending *ret)
{
	_cleanup_close_ int folder = open(runtime_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct kept *kept = folder < 0 ? NULL : map(folder);
	char title[CLD_BOOT_SIZE] = "";

	if (!kept)
		return -errno;
	memcpy(title, boot, strnlen(boot, sizeof title));
	if (memcmp(kept->boot, title, sizeof title) != 0) {
		memset(kept->list, 0, sizeof kept->list);
		memcpy(kept->boot, title, sizeof title);
	}
	ret->list = kept->list;
	return 0;
}

void cld_pending_close(struct cld_pending *p)
{
	if (p->list)
		(void)munmap((char *)p->list - offsetof(struct kept, list), sizeof(struct kept));
	p->list = NULL;
}

bool cld_pending_any(const struct cld_pending *p)
{
	for (size_t i = 0; i < CLD_PENDING_MAX; i++)
		if (p->list[i].state)
			return true;
	return false;
}

/* We may be killed between any two writes: an item counts by its state alone. */
static void set_state(struct cld_pending_item *item, __u32 state)
{
	__atomic_store_n(&item->state, state, __ATOMIC_RELEASE);
}

static struct cld_pending_item *find(const struct cld_pending *p, __u32 xid)
{
	for (size_t i = 0; i < CLD_PENDING_MAX; i++)
		if (p->list[i].state && p->list[i].message.cm_xid == xid)
			return &p->list[i];
	return NULL;
}

void cld_pending_drop(struct cld_pending *p, __u32 xid)
{
	struct cld_pending_item *item;

	while ((item = find(p, xid)))
		set_state(item, CLD_FREE);
}

int cld_pending_keep(
	struct cld_pending *p, const struct cld_msg_v2 *message, enum cld_pending_state state)
{
	struct cld_pending_item *former = find(p, message->cm_xid), *item = p->list;

	while (item < p->list + CLD_PENDING_MAX && item->state)
		item++;
	if (item == p->list + CLD_PENDING_MAX)
		item = former;
	if (!item)
		return -ENOBUFS;
	item->message = *message;
	set_state(item, state);
	if (former && former != item)
		set_state(former, CLD_FREE);
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
