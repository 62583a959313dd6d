/* SPDX-License-Identifier: Apache-2.0 */
/* Follows this node's mounts: what vanished without our doing, and what a former daemon left. */
#include "mountd/mountinfo.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "mountd/base/cleanup.h"
#include "nfs/actual.h"

/* A storm of other people's mounts costs one reading in this time. */
#define READ_EVERY_MS 100

struct mountinfo {
	struct daemon *daemon;
	int fd;
	struct loop_poll *poll;
	struct loop_timer *timer;
	uint64_t read_ms;
};

static const struct actual_mount *find(const struct actual_mounts *mounts, uint64_t id)
{
	for (size_t i = 0; i < mounts->n; i++)
		if (mounts->list[i].id == id)
			return &mounts->list[i];
	return NULL;
}

/* Does run's mount still show, with nothing on top of it? */
static bool shows(const struct actual_mounts *mounts, const struct run *run)
{
	const struct actual_mount *mine;
	char target[PATH_MAX];

	if (!run->mount_id) {
		if (mount_target(run->held_mount.volume, run->name, target, sizeof target) < 0)
			return true;
		return actual_mounts_at(mounts, target);
	}
	/* By its number, as the volume's path may lead through symbolic links. */
	mine = find(mounts, run->mount_id);
	return mine && actual_mounts_at(mounts, mine->target) == mine;
}

static void check(const struct actual_mounts *mounts, struct run *run)
{
	if (run->role != ROLE_MOUNT || !run->in_force || shows(mounts, run))
		return;
	run->in_force = false;
	run_event(run, EVENT_LOST);
	run_log(run, LOG_LEVEL_WARNING, "mount-lost", 0, NULL);
	daemon_plan_soon(run->daemon);
}

static void read_now(struct mountinfo *m)
{
	struct runs *runs = &m->daemon->runs;
	struct actual_mounts mounts = {0};
	int r;

	m->read_ms = loop_clock_ms();
	r = actual_mounts_read(m->fd, &mounts);
	if (r < 0) {
		log_event(LOG_LEVEL_ERROR, "mountinfo", log_text("error", strerror(-r)));
		return;
	}
	for (size_t i = 0; i < runs->n; i++)
		check(&mounts, runs->list[i]);
	actual_mounts_clear(&mounts);
}

static void on_timer(void *data)
{
	read_now(data);
}

static void on_change(void *data, unsigned events)
{
	struct mountinfo *m = data;
	uint64_t due = m->read_ms + READ_EVERY_MS;
	uint64_t now = loop_clock_ms();

	(void)events;
	if (loop_timer_running(m->timer))
		return;
	if (now >= due)
		read_now(m);
	else
		loop_timer_set(m->timer, due - now);
}

int mountinfo_new(struct daemon *d, struct mountinfo **ret)
{
	struct mountinfo *m = calloc(1, sizeof *m);
	int r;

	if (!m)
		return -ENOMEM;
	m->daemon = d;
	m->fd = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
	r = m->fd < 0 ? -errno : 0;
	if (r == 0)
		r = loop_timer_new(d->loop, on_timer, m, &m->timer);
	if (r == 0)
		r = loop_poll_new(d->loop, m->fd, LOOP_PRIORITY, on_change, m, &m->poll);
	if (r < 0) {
		mountinfo_free(m);
		return r;
	}
	*ret = m;
	return 0;
}

void mountinfo_free(struct mountinfo *m)
{
	if (!m)
		return;
	loop_poll_free(m->poll);
	loop_timer_free(m->timer);
	cleanup_close(&m->fd);
	free(m);
}

/* The volume of a target "<volume>/<run>/sandbox", or NULL. */
static char *volume_of(const char *target, const char *run)
{
	static const char leaf[] = "/sandbox";
	size_t n = strlen(target), run_length = strlen(run), rest;

	if (n < sizeof leaf + run_length || strcmp(target + n - (sizeof leaf - 1), leaf) != 0)
		return NULL;
	rest = n - (sizeof leaf - 1) - run_length;
	if (target[rest - 1] != '/' || strncmp(target + rest, run, run_length) != 0)
		return NULL;
	return rest == 1 ? strdup("/") : strndup(target, rest - 1);
}

/* Only where nobody speaks of that run: a wished mount may show at other places by propagation. */
static void take_orphan(struct daemon *d, const struct actual_mount *actual)
{
	struct mount mount = {.kind = MOUNT_NFS};
	struct run *run;

	if (!actual_mount_is_ours(actual, &mount.id, &mount.server, &mount.port))
		return;
	run = runs_find(&d->runs, mount.id.run, ROLE_MOUNT);
	if (run && (run->wished || run->holds_mount))
		return;
	mount.volume = volume_of(actual->target, mount.id.run);
	if (!mount.volume)
		return;
	run = runs_find_or_add(&d->runs, mount.id.run, ROLE_MOUNT);
	if (run && run_hold_mount(run, &mount) == 0) {
		run->daemon = d;
		run_event(run, EVENT_START);
		run_log(run, LOG_LEVEL_INFO, "mount-orphaned", 0, NULL);
	}
	mount_clear(&mount);
}

void mountinfo_find_orphans(struct mountinfo *m)
{
	struct actual_mounts mounts = {0};

	if (actual_mounts_read(m->fd, &mounts) < 0)
		return;
	for (size_t i = 0; i < mounts.n; i++)
		take_orphan(m->daemon, &mounts.list[i]);
	actual_mounts_clear(&mounts);
}
