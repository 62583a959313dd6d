/* SPDX-License-Identifier: Apache-2.0 */
/* One daemon per network namespace: an abstract socket's name, which goes with its owner. */
#include "mountd/netns_lock.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "mountd/base/cleanup.h"
#include "mountd/base/log.h"
#include "mountd/netns_lock_owner.h"

/* How often a name is asked for that nobody has, but that could not be had: it was just let go. */
#define TRIES 10

static socklen_t make_name(struct sockaddr_un *name)
{
	*name = (struct sockaddr_un){.sun_family = AF_UNIX};
	memcpy(name->sun_path + 1, NETNS_LOCK_NAME, sizeof NETNS_LOCK_NAME - 1);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + sizeof NETNS_LOCK_NAME);
}

/* -EADDRINUSE: *ret_owner's process has the name. */
static int take_name(int fd, uid_t *ret_owner)
{
	struct sockaddr_un name;
	socklen_t size = make_name(&name);
	uint64_t inode;

	for (int i = 0; bind(fd, (const struct sockaddr *)&name, size) < 0; i++) {
		if (errno != EADDRINUSE)
			return -errno;
		if (netns_lock_owner(&inode, ret_owner) != -ENOENT || i == TRIES)
			return -EADDRINUSE;
	}
	return 0;
}

int netns_lock(int *ret, struct kerr *e)
{
	_cleanup_close_ int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	uid_t owner = 0; /* who cannot be told is taken for root */
	int r;

	if (fd < 0)
		return kerr_set(e, -errno, "lock network namespace", "@" NETNS_LOCK_NAME, NULL);
	r = take_name(fd, &owner);
	if (r < 0 && r != -EADDRINUSE)
		return kerr_set(e, r, "lock network namespace", "@" NETNS_LOCK_NAME, NULL);
	if (r < 0) {
		/* The name is anybody's to take; only root's process can be a daemon. */
		if (owner == 0)
			return kerr_set(e, -EBUSY, "lock network namespace", "@" NETNS_LOCK_NAME,
				"another kora-sandbox-mount runs in it and owns its nfsd: stop "
				"that one first (ss -xlp names it)");
		log_event(LOG_LEVEL_WARNING, "netns-lock-taken",
			log_text("error", "a process that is not root's holds @" NETNS_LOCK_NAME
					  "; ss -xlp names it"));
		*ret = -1;
		return 0;
	}
	if (listen(fd, 1) < 0)
		return kerr_set(e, -errno, "lock network namespace", "@" NETNS_LOCK_NAME, NULL);
	*ret = TAKE_FD(fd);
	return 0;
}
