/* SPDX-License-Identifier: Apache-2.0 */
/* The control socket's file. */
#include "mountd/control_listen.h"

#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "mountd/base/cleanup.h"

int control_listen(const char *path, gid_t gid, int *ret_fd, struct kerr *e)
{
	_cleanup_close_ int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	mode_t mask;
	int r;

	if (fd < 0)
		return kerr_set(e, -errno, "make control socket", path, NULL);
	(void)snprintf(name.sun_path, sizeof name.sun_path, "%s", path);
	if (unlink(path) < 0 && errno != ENOENT)
		return kerr_set(e, -errno, "remove old control socket", path, NULL);
	mask = umask(0177);
	r = bind(fd, (struct sockaddr *)&name, sizeof name) < 0 ? -errno : 0;
	(void)umask(mask);
	if (r < 0)
		return kerr_set(e, r, "bind control socket", path, NULL);
	if (gid != (gid_t)-1 && (chown(path, 0, gid) < 0 || chmod(path, 0660) < 0)) /* NOLINT */
		return kerr_set(e, -errno, "hand control socket to group", path, NULL);
	if (listen(fd, 128) < 0)
		return kerr_set(e, -errno, "listen on control socket", path, NULL);
	*ret_fd = TAKE_FD(fd);
	return 0;
}
