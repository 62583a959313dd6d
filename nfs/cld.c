/* SPDX-License-Identifier: Apache-2.0 */
/* Client tracking: answers what nfsd asks on rpc_pipefs nfsd/cld. */
#include "nfs/cld.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/mount.h>

#include "mountd/base/cleanup.h"
#include "nfs/cld_message.h"

static const char pipe_name[] = "nfsd/cld";

struct cld {
	struct cld_names names;
	int pipefs;  /* rpc_pipefs of our network namespace, mounted nowhere */
	int inotify; /* on its folder nfsd */
	int pipe;    /* -1 while nfsd does not run */
	int epoll;
};

/* An own mount of it is always the one of this network namespace, wherever others are. */
static int mount_pipefs(int *ret)
{
	_cleanup_close_ int fs = fsopen("rpc_pipefs", FSOPEN_CLOEXEC);
	int fd;

	if (fs < 0 || fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0)
		return -errno;
	fd = fsmount(fs, FSMOUNT_CLOEXEC, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC);
	if (fd < 0)
		return -errno;
	*ret = fd;
	return 0;
}

static int watch_folder(struct cld *c)
{
	_cleanup_close_ int folder = openat(c->pipefs, "nfsd", O_PATH | O_DIRECTORY | O_CLOEXEC);
	char path[sizeof "/proc/self/fd/" + 10];

	if (folder < 0)
		return -errno;
	(void)snprintf(path, sizeof path, "/proc/self/fd/%d", folder);
	c->inotify = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (c->inotify < 0 || inotify_add_watch(c->inotify, path, IN_CREATE | IN_DELETE) < 0)
		return -errno;
	return 0;
}

static int poll_for(struct cld *c, int fd)
{
	struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};

	return epoll_ctl(c->epoll, EPOLL_CTL_ADD, fd, &event) < 0 ? -errno : 0;
}

static void close_pipe(struct cld *c)
{
	cleanup_close(&c->pipe); /* leaves the epoll set with it */
	c->pipe = -1;
}

/* 0 also where there is no pipe, since nfsd does not run. */
static int open_pipe(struct cld *c)
{
	int error;

	c->pipe = openat(c->pipefs, pipe_name, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (c->pipe < 0)
		return errno == ENOENT ? 0 : -errno;
	error = poll_for(c, c->pipe);
	if (error < 0)
		close_pipe(c);
	return error;
}

static int send_message(const void *message, size_t size, void *data)
{
	const struct cld *c = data;

	return write(c->pipe, message, size) < 0 ? -errno : 0;
}

/* Answers what is queued; closes a pipe that nfsd has left behind. */
static int serve_pipe(struct cld *c)
{
	unsigned char message[CLD_MESSAGE_MAX];
	int error, first = 0;

	for (;;) {
		ssize_t size = read(c->pipe, message, sizeof message);
		if (size == 0 || (size < 0 && (errno == EAGAIN || errno == EINTR)))
			return first;
		if (size < 0) {
			close_pipe(c);
			return first;
		}
		error = cld_answer(&c->names, message, (size_t)size, send_message, c);
		if (error < 0 && first == 0)
			first = error;
	}
}

static void drain_inotify(const struct cld *c)
{
	char events[4096];

	while (read(c->inotify, events, sizeof events) > 0)
		;
}

int cld_dispatch(struct cld *c, struct kerr *e)
{
	int error = 0;

	drain_inotify(c);
	if (c->pipe >= 0)
		error = serve_pipe(c);
	if (c->pipe < 0) {
		int opened = open_pipe(c);
		if (opened < 0)
			return kerr_set(e, opened, "open rpc_pipefs pipe", pipe_name,
				"client tracking is off: new clients cannot reclaim after a "
				"restart");
		if (c->pipe >= 0 && error == 0)
			error = serve_pipe(c);
	}
	if (error < 0)
		return kerr_set(e, error, "keep NFS client's name", "clients",
			"a client of this moment cannot reclaim after a restart; check the disk of "
			"the state folder");
	return 0;
}

static int set_up(struct cld *c, const char *state_dir, struct kerr *e)
{
	int error = cld_names_open(state_dir, &c->names, e);

	if (error < 0)
		return error;
	error = mount_pipefs(&c->pipefs);
	if (error < 0)
		return kerr_set(e, error, "mount rpc_pipefs", NULL,
			error == -ENODEV ? "this kernel lacks it: load or build the module sunrpc"
					 : NULL);
	error = watch_folder(c);
	if (error < 0)
		return kerr_set(e, error, "watch rpc_pipefs folder", "nfsd", NULL);
	c->epoll = epoll_create1(EPOLL_CLOEXEC);
	error = c->epoll < 0 ? -errno : poll_for(c, c->inotify);
	if (error == 0)
		error = open_pipe(c);
	return error < 0 ? kerr_set(e, error, "open rpc_pipefs pipe", pipe_name, NULL) : 0;
}

static void cld_freep(struct cld **c)
{
	cld_free(*c);
}

int cld_new(const char *state_dir, struct cld **ret, struct kerr *e)
{
	_cleanup_(cld_freep) struct cld *c = malloc(sizeof *c);
	int error;

	if (!c)
		return kerr_set(e, -ENOMEM, "start client tracking", NULL, NULL);
	*c = (struct cld){.names = {-1, -1}, .pipefs = -1, .inotify = -1, .pipe = -1, .epoll = -1};
	error = set_up(c, state_dir, e);
	if (error < 0)
		return error;
	*ret = TAKE_PTR(c);
	return 0;
}

void cld_free(struct cld *c)
{
	if (!c)
		return;
	cleanup_close(&c->pipe);
	cleanup_close(&c->inotify);
	cleanup_close(&c->epoll);
	cleanup_close(&c->pipefs);
	cld_names_close(&c->names);
	free(c);
}

int cld_get_fd(const struct cld *c)
{
	return c->epoll;
}

bool cld_is_open(const struct cld *c)
{
	return c->pipe >= 0;
}
