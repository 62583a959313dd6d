/* SPDX-License-Identifier: Apache-2.0 */
/* Client tracking: answers what nfsd asks on rpc_pipefs nfsd/cld. */
#include "nfs/cld.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/mount.h>
#include <sys/timerfd.h>

#include "mountd/base/cleanup.h"
#include "nfs/cld_message.h"
#include "nfs/cld_pending.h"

/* All but the end of a question in either layout. */
#define HEAD (sizeof(struct cld_msg) - 1)

static const char pipe_name[] = "nfsd/cld";

struct cld {
	struct cld_names names;
	int pipefs;  /* rpc_pipefs of our network namespace, mounted nowhere */
	int inotify; /* on its folder nfsd */
	int pipe;    /* -1 while nfsd does not run */
	int timer;   /* for pending answers */
	int epoll;
	struct cld_pending pending;
	bool unkept; /* the last name could not be kept */
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

/* The kernel takes one of the layouts. -EINVAL: it does not wait for that. */
static int send_message(const struct cld_msg_v2 *m, void *data)
{
	const struct cld *c = data;

	if (write(c->pipe, m, sizeof *m) >= 0)
		return 0;
	if (errno != EINVAL)
		return -errno;
	return write(c->pipe, m, sizeof(struct cld_msg)) < 0 ? -errno : 0;
}

/*
 * A former process may have ended before it had read the question's end: then the kernel asks
 * anew, and must not get the answer before that question has come.
 */
static void send_later(const struct cld *c)
{
	struct itimerspec soon = {.it_value.tv_sec = 1};

	(void)timerfd_settime(c->timer, 0, &soon, NULL);
}

/* 0 also where there is no pipe, since nfsd does not run. What fails is tried again. */
static int open_pipe(struct cld *c)
{
	int error = 0;

	c->pipe = openat(c->pipefs, pipe_name, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (c->pipe < 0 && errno == ENOENT) {
		cld_pending_clear(&c->pending);
		return 0;
	}
	if (c->pipe < 0)
		error = -errno;
	else if ((error = poll_for(c, c->pipe)) < 0)
		close_pipe(c);
	if (error < 0 || cld_pending_any(&c->pending))
		send_later(c);
	return error;
}

/* Does what there is to do, once. Returns the answer's status. */
static int answer(struct cld *c, struct cld_msg_v2 *m)
{
	bool name = m->cm_cmd == Cld_Create;
	int status = cld_answer(&c->names, m, send_message, c);

	c->unkept = name ? status < 0 : c->unkept;
	(void)cld_pending_keep(&c->pending, m, CLD_ANSWERED); /* in place of the question */
	return status;
}

static int give(struct cld *c, const struct cld_msg_v2 *answer)
{
	int error = send_message(answer, c);

	if (error == 0 || error == -EINVAL)
		cld_pending_drop(&c->pending, answer->cm_xid);
	else
		send_later(c);
	return error;
}

static void give_pending(struct cld *c)
{
	for (size_t i = 0; i < CLD_PENDING_MAX; i++) {
		const struct cld_pending_item *item = &c->pending.list[i];
		struct cld_msg_v2 m = item->message;

		if (item->state == CLD_ASKED)
			(void)answer(c, &m);
		if (item->state != CLD_FREE)
			(void)give(c, &m);
	}
}

/*
 * One question. Until it is read to its end, the kernel asks anew if we end, but takes no answer;
 * afterwards it waits for ever. So it is kept before that. Returns 1; 0: none waits.
 */
static int serve_one(struct cld *c)
{
	struct cld_msg_v2 m = {0};
	ssize_t head = read(c->pipe, &m, HEAD), tail;
	int status, error;

	if (head == 0 || (head < 0 && (errno == EAGAIN || errno == EINTR)))
		return 0;
	if (head != (ssize_t)HEAD) {
		close_pipe(c);
		return head < 0 ? 0 : -EPROTO;
	}
	/* The first that an nfsd asks: whatever else waits was asked by one before it. */
	if (m.cm_cmd == Cld_GetVersion)
		cld_pending_clear_but(&c->pending, m.cm_xid);
	error = cld_pending_keep(&c->pending, &m, CLD_ASKED);
	if (error < 0) {
		close_pipe(c);
		return error;
	}
	tail = read(c->pipe, (char *)&m + HEAD, sizeof m - HEAD);
	if (tail <= 0) { /* closing makes the kernel ask anew */
		error = tail < 0 ? -errno : -EPROTO;
		cld_pending_drop(&c->pending, m.cm_xid);
		close_pipe(c);
		return error;
	}
	status = answer(c, &m);
	error = give(c, &m);
	return status < 0 ? status : error < 0 ? error : 1;
}

/* Answers what is queued; closes a pipe that nfsd has left behind. */
static int serve_pipe(struct cld *c)
{
	int r, first = 0;

	while (c->pipe >= 0 && (r = serve_one(c)) != 0)
		if (r < 0 && first == 0)
			first = r;
	return first;
}

static void drain_inotify(const struct cld *c)
{
	char events[4096];

	while (read(c->inotify, events, sizeof events) > 0)
		;
}

/* Read whether there is a pipe or not: what stays readable makes the caller spin. */
static bool is_due(const struct cld *c)
{
	uint64_t expired;

	return read(c->timer, &expired, sizeof expired) == sizeof expired;
}

int cld_dispatch(struct cld *c, struct kerr *e)
{
	bool due = is_due(c);
	int error = 0;

	drain_inotify(c);
	if (c->pipe >= 0)
		error = serve_pipe(c);
	if (c->pipe >= 0 && due)
		give_pending(c);
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

static int open_pending(const char *runtime_dir, struct cld_pending *ret)
{
	_cleanup_close_ int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	char boot[CLD_BOOT_SIZE] = "";

	if (fd >= 0)
		(void)!read(fd, boot, sizeof boot - 1);
	return cld_pending_open(runtime_dir, boot, ret);
}

static int set_up(struct cld *c, const char *state_dir, const char *runtime_dir, struct kerr *e)
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
	error = open_pending(runtime_dir, &c->pending);
	if (error < 0)
		return kerr_set(e, error, "keep questions of client tracking", runtime_dir, NULL);
	c->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	c->epoll = epoll_create1(EPOLL_CLOEXEC);
	error = c->epoll < 0 || c->timer < 0 ? -errno : poll_for(c, c->inotify);
	if (error == 0)
		error = poll_for(c, c->timer);
	if (error == 0)
		error = open_pipe(c);
	return error < 0 ? kerr_set(e, error, "open rpc_pipefs pipe", pipe_name, NULL) : 0;
}

static void cld_freep(struct cld **c)
{
	cld_free(*c);
}

int cld_new(const char *state_dir, const char *runtime_dir, struct cld **ret, struct kerr *e)
{
	_cleanup_(cld_freep) struct cld *c = malloc(sizeof *c);
	int error;

	if (!c)
		return kerr_set(e, -ENOMEM, "start client tracking", NULL, NULL);
	*c = (struct cld){.names = {-1, -1},
		.pipefs = -1,
		.inotify = -1,
		.pipe = -1,
		.timer = -1,
		.epoll = -1};
	error = set_up(c, state_dir, runtime_dir, e);
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
	cleanup_close(&c->timer);
	cld_pending_close(&c->pending);
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

int cld_knows(const struct cld *c, const char *name)
{
	return c->unkept ? -EIO : cld_names_has(&c->names, name, strlen(name));
}
