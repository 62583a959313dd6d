/* SPDX-License-Identifier: Apache-2.0 */
/* Spec files in a directory as the source of what is desired; follows the directory by inotify. */
#include "mountd/source_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mountd/base/cleanup.h"
#include "mountd/base/log.h"
#include "mountd/file.h"
#include "mountd/spec_dir.h"

/* A link made in place tells itself by IN_CREATE alone; a file being written comes with more. */
#define EVENTS \
	(IN_ATTRIB | IN_CREATE | IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | \
		IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR)

/* How soon what could not be read is tried again; doubled each time. */
#define AGAIN_MS     500
#define AGAIN_MAX_MS 30000

struct source_dir {
	const char *path;
	int fd;
	int inotify;
	struct loop *loop;
	struct loop_poll *poll;
	struct loop_timer *again;
	uint64_t wait_ms;
	struct desired *desired;
	void (*changed)(void *data);
	void *data;
	bool unsafe; /* others could write it … */
	bool missed; /* … and something was not read for it */
	bool held;
	bool owed; /* a call of changed, once no longer held */
};

static void tell(struct source_dir *s)
{
	if (s->held)
		s->owed = true;
	else
		s->changed(s->data);
}

void source_dir_hold(struct source_dir *s, bool hold)
{
	s->held = hold;
	if (hold || !s->owed)
		return;
	s->owed = false;
	s->changed(s->data);
}

static bool is_link(int dir, const char *name)
{
	struct stat st;

	return fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	       (S_ISLNK(st.st_mode) || st.st_nlink > 1);
}

/*
 * Told once. What was asked for stays in force. What cannot be looked at counts as such, and is
 * looked at again.
 */
static bool is_unsafe(struct source_dir *s)
{
	struct kerr e = {0};
	char text[640];
	bool before = s->unsafe;
	int r = spec_dir_check(s->fd, s->path, &e);

	s->unsafe = r < 0;
	s->desired->unread |= r < 0 && r != -EPERM;
	if (s->unsafe && !before) {
		kerr_format(&e, text, sizeof text);
		log_event(LOG_LEVEL_ERROR, "spec-dir", log_text("path", s->path),
			log_text("error", text));
	}
	return s->unsafe;
}

static bool has_fault(const struct source_dir *s, const char *name)
{
	const struct desired_file *file = desired_file(s->desired, name);

	return file && file->fault;
}

/* Nobody tells of a file again that could not be read. */
static void try_again(struct source_dir *s)
{
	if (!s->desired->unread) {
		s->wait_ms = 0;
		return;
	}
	if (loop_timer_running(s->again))
		return;
	s->wait_ms = s->wait_ms ? 2 * s->wait_ms : AGAIN_MS;
	if (s->wait_ms > AGAIN_MAX_MS)
		s->wait_ms = AGAIN_MAX_MS;
	loop_timer_set(s->again, s->wait_ms);
}

static void on_again(void *data)
{
	struct source_dir *s = data;
	int r = is_unsafe(s) ? 0 : spec_dir_scan(s->fd, s->desired);

	if (r < 0)
		log_event(LOG_LEVEL_ERROR, "spec-dir", log_text("path", s->path),
			log_text("error", strerror(-r)));
	if (r > 0)
		tell(s);
	try_again(s);
}

/* What events have led to. */
struct taken {
	bool changed;
	const char *name; /* NULL, or whether that file was read is asked for */
	bool read;
	int error; /* 0, or negative errno, where it was */
};

/* 1: something changed, 0: nothing, or negative errno. */
static int read_taken(struct source_dir *s, const char *name, struct taken *taken)
{
	int r = spec_dir_read(s->fd, s->desired, name);

	if (taken->name && strcmp(taken->name, name) == 0) {
		taken->read = true;
		taken->error = r < 0 ? r : 0;
	}
	return r;
}

/* As read_taken(). */
static int take_event(struct source_dir *s, const struct inotify_event *event, struct taken *taken)
{
	if (event->mask & (IN_DELETE_SELF | IN_MOVE_SELF)) {
		log_event(LOG_LEVEL_ERROR, "spec-dir-lost", log_text("path", s->path),
			log_text("error",
				"removed or renamed; what it asked for stays in force until "
				"it is back and SIGHUP is sent"));
		return 0;
	}
	s->missed |= is_unsafe(s);
	if (s->unsafe)
		return 0;
	if (event->mask & IN_Q_OVERFLOW || s->missed) {
		s->missed = false;
		return spec_dir_scan(s->fd, s->desired);
	}
	if (!event->len || !spec_dir_has_name(event->name))
		return 0;
	if ((event->mask & IN_CREATE) && !is_link(s->fd, event->name))
		return 0;
	/* Perhaps it is only now that it may be read; of one that is being written more comes. */
	if ((event->mask & IN_ATTRIB) && !has_fault(s, event->name))
		return 0;
	return read_taken(s, event->name, taken);
}

/* All that the kernel has told of until now. */
static void take_events(struct source_dir *s, struct taken *taken)
{
	char buffer[4096] __attribute__((aligned(__alignof__(struct inotify_event))));
	ssize_t n;

	while ((n = read(s->inotify, buffer, sizeof buffer)) > 0) {
		const char *at = buffer;

		while (at < buffer + n) {
			const struct inotify_event *event = (const void *)at;
			int r = take_event(s, event, taken);

			if (r < 0)
				log_event(LOG_LEVEL_ERROR, "spec-dir", log_text("path", s->path),
					log_text("error", strerror(-r)));
			taken->changed |= r > 0;
			at += sizeof *event + event->len;
		}
	}
}

static void on_inotify(void *data, unsigned happened)
{
	struct source_dir *s = data;
	struct taken taken = {0};

	(void)happened;
	take_events(s, &taken);
	if (taken.changed)
		tell(s);
	try_again(s);
}

static void close_watch(struct source_dir *s)
{
	loop_poll_free(s->poll);
	s->poll = NULL;
	cleanup_close(&s->inotify);
	cleanup_close(&s->fd);
	s->inotify = s->fd = -1;
}

/* The watch comes before the reading, so that nothing falls between. */
static int open_watch(struct source_dir *s, struct kerr *e)
{
	_cleanup_close_ int fd = open(s->path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	_cleanup_close_ int inotify = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	int r;

	if (fd < 0)
		return kerr_set(e, -errno, "open spec directory", s->path, NULL);
	r = spec_dir_check(fd, s->path, e);
	if (r < 0)
		return r;
	if (inotify < 0)
		return kerr_set(e, -errno, "make inotify instance", NULL,
			"raise fs.inotify.max_user_instances");
	if (inotify_add_watch(inotify, s->path, EVENTS) < 0)
		return kerr_set(e, -errno, "watch spec directory", s->path,
			errno == ENOSPC ? "raise fs.inotify.max_user_watches" : NULL);
	close_watch(s);
	r = loop_poll_new(s->loop, inotify, LOOP_READ, on_inotify, s, &s->poll);
	if (r < 0)
		return kerr_set(e, r, "poll spec directory", s->path, NULL);
	s->fd = TAKE_FD(fd);
	s->inotify = TAKE_FD(inotify);
	s->unsafe = s->missed = false;
	return 0;
}

static int open_and_scan(struct source_dir *s, struct kerr *e)
{
	int r = open_watch(s, e);

	if (r < 0)
		return r;
	r = spec_dir_scan(s->fd, s->desired);
	try_again(s);
	return r < 0 ? kerr_set(e, r, "read spec directory", s->path, NULL) : r;
}

int source_dir_new(struct loop *loop, const char *path, struct desired *desired,
	void (*changed)(void *data), void *data, struct source_dir **ret, struct kerr *e)
{
	struct source_dir *s = calloc(1, sizeof *s);
	int r;

	if (!s)
		return kerr_set(e, -ENOMEM, "follow spec directory", path, NULL);
	*s = (struct source_dir){.path = path,
		.fd = -1,
		.inotify = -1,
		.loop = loop,
		.desired = desired,
		.changed = changed,
		.data = data};
	r = loop_timer_new(loop, on_again, s, &s->again);
	r = r < 0 ? kerr_set(e, r, "follow spec directory", path, NULL) : open_and_scan(s, e);
	if (r < 0) {
		source_dir_free(s);
		return r;
	}
	file_discard_all(s->fd);
	*ret = s;
	return 0;
}

void source_dir_free(struct source_dir *s)
{
	if (!s)
		return;
	close_watch(s);
	loop_timer_free(s->again);
	free(s);
}

int source_dir_rescan(struct source_dir *s, struct kerr *e)
{
	int r = open_and_scan(s, e);

	if (r > 0)
		tell(s);
	return r < 0 ? r : 0;
}

/*
 * What we have done ourselves the kernel has told of by now: taken here, it is read once, and
 * whatever somebody else does to it later comes with an event of its own.
 */
static int read_now(struct source_dir *s, const char *name)
{
	struct taken taken = {.name = name};

	take_events(s, &taken);
	if (!taken.read)
		taken.changed |= read_taken(s, name, &taken) > 0;
	if (taken.changed)
		tell(s);
	try_again(s);
	return taken.error;
}

bool source_dir_fault(const struct source_dir *s, char *text, size_t size)
{
	struct kerr e = {0};

	if (spec_dir_check(s->fd, s->path, &e) == 0)
		return false;
	kerr_format(&e, text, size);
	return true;
}

int source_dir_write(struct source_dir *s, const char *name, const char *text, size_t size)
{
	int r = is_unsafe(s) ? -EPERM : file_write(s->fd, name, text, size);

	return r < 0 ? r : read_now(s, name);
}

int source_dir_stage(struct source_dir *s, const char *name, const char *text, size_t size)
{
	return is_unsafe(s) ? -EPERM : file_stage(s->fd, name, text, size);
}

int source_dir_commit(struct source_dir *s, const char *name)
{
	int r = file_commit(s->fd, name);

	return r < 0 ? r : read_now(s, name);
}

void source_dir_discard(struct source_dir *s, const char *name)
{
	file_discard(s->fd, name);
}

int source_dir_remove(struct source_dir *s, const char *name)
{
	if (unlinkat(s->fd, name, 0) < 0 && errno != ENOENT)
		return -errno;
	return read_now(s, name);
}
