/* SPDX-License-Identifier: Apache-2.0 */
/* One daemon per network namespace: an abstract socket's name, which goes with its owner. */
#include "mountd/netns_lock.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "mountd/base/cleanup.h"
#include "mountd/base/log.h"

/* Between its bind() and its listen() the owner does not tell who it is. */
#define LISTEN_PATIENCE_MS 100

static socklen_t make_name(struct sockaddr_un *name)
{
	*name = (struct sockaddr_un){.sun_family = AF_UNIX};
	memcpy(name->sun_path + 1, NETNS_LOCK_NAME, sizeof NETNS_LOCK_NAME - 1);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + sizeof NETNS_LOCK_NAME);
}

/* The name is anybody's to take; only root's process can be a daemon. */
static bool is_roots(const struct sockaddr_un *name, socklen_t size)
{
	_cleanup_close_ int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	struct ucred owner;
	socklen_t owner_size = sizeof owner;

	if (fd < 0)
		return true;
	if (connect(fd, (const struct sockaddr *)name, size) < 0 && errno == ECONNREFUSED) {
		(void)poll(NULL, 0, LISTEN_PATIENCE_MS);
		if (connect(fd, (const struct sockaddr *)name, size) < 0)
			return errno != ECONNREFUSED;
	}
	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &owner, &owner_size) < 0 || owner.uid == 0;
}

int netns_lock(int *ret, struct kerr *e)
{
	_cleanup_close_ int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct sockaddr_un name;
	socklen_t size = make_name(&name);

	if (fd < 0)
		return kerr_set(e, -errno, "lock network namespace", "@" NETNS_LOCK_NAME, NULL);
	if (bind(fd, (struct sockaddr *)&name, size) < 0) {
		if (errno != EADDRINUSE)
			return kerr_set(
				e, -errno, "lock network namespace", "@" NETNS_LOCK_NAME, NULL);
		if (is_roots(&name, size))
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
