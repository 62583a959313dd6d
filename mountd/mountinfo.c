/* SPDX-License-Identifier: Apache-2.0 */
/* Follows this node's mounts: what vanished without our doing, and what a former daemon left. */
#include "mountd/mountinfo.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "mountd/base/cleanup.h"
#include "nfs/actual.h"

/*
 * A storm of mounts costs one reading in this time. Where the node has so many that a reading
 * takes long, it costs this part of the time.
 */
#define READ_EVERY_MS	  100
#define READ_EVERY_MAX_MS 2000
#define READ_PART	  20

struct mountinfo {
	struct daemon *daemon;
	int fd;
	struct loop_poll *poll;
	struct loop_timer *timer;
	uint64_t due_ms; /* no reading before */
	bool orphans_wanted;
	bool keeps; /* table, for workers: until the start is over */
	struct actual_mounts table;
};

static void forget_table(struct mountinfo *m)
{
	m->daemon->mount_config.table = NULL;
	actual_mounts_clear(&m->table);
}

/* Takes mounts over. */
static void keep_table(struct mountinfo *m, struct actual_mounts *mounts)
{
	forget_table(m);
	m->table = *mounts;
	*mounts = (struct actual_mounts){0};
	m->daemon->mount_config.table = &m->table;
}

/* Does run's mount still show, with nothing on top of it? */
static bool shows(const struct actual_mounts *mounts, const struct run *run)
{
	const char *at = run->mounted_at;
	const struct actual_mount *top;
	char target[PATH_MAX];

	if (!at) {
		if (mount_target(run->held_mount.volume, run->name, target, sizeof target) < 0)
			return true;
		at = target;
	}
	/* At its own place: the sandbox's owner can rename the directory above. */
	top = actual_mounts_at(mounts, at);
	return top && (!run->mount_id || top->id == run->mount_id);
}

static bool is_followed(const struct run *run)
{
	return run->role == ROLE_MOUNT && run->in_force;
}

static bool follows_any(const struct runs *runs)
{
	for (size_t i = 0; i < runs->n; i++)
		if (is_followed(runs->list[i]))
			return true;
	return false;
}

static void check(const struct actual_mounts *mounts, struct run *run)
{
	if (!is_followed(run) || shows(mounts, run))
		return;
	run->in_force = false;
	run_event(run, EVENT_LOST);
	run_log(run, LOG_LEVEL_WARNING, "mount-lost", 0, NULL);
	daemon_plan_soon(run->daemon);
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
		daemon_plan_soon(d);
	}
	mount_clear(&mount);
}

/* What is missed now would not be told of again. */
static void check_later(struct mountinfo *m, int error)
{
	log_event(LOG_LEVEL_ERROR, "mountinfo", log_text("error", strerror(-error)));
	loop_timer_set(m->timer, READ_EVERY_MAX_MS);
}

static void check_all(struct mountinfo *m)
{
	struct runs *runs = &m->daemon->runs;
	struct actual_mounts mounts = {0};
	int r = actual_mounts_read(m->fd, &mounts);

	if (r < 0) {
		check_later(m, r);
		return;
	}
	for (size_t i = 0; i < mounts.n && m->orphans_wanted; i++)
		take_orphan(m->daemon, &mounts.list[i]);
	m->orphans_wanted = false;
	for (size_t i = 0; i < runs->n; i++)
		check(&mounts, runs->list[i]);
	if (m->keeps)
		keep_table(m, &mounts);
	actual_mounts_clear(&mounts);
}

static void on_timer(void *data)
{
	struct mountinfo *m = data;
	uint64_t start = loop_clock_ms(), end, wait;

	if (!m->orphans_wanted && !follows_any(&m->daemon->runs))
		return;
	check_all(m);
	end = loop_clock_ms();
	wait = (end - start) * READ_PART;
	if (wait < READ_EVERY_MS)
		wait = READ_EVERY_MS;
	if (wait > READ_EVERY_MAX_MS)
		wait = READ_EVERY_MAX_MS;
	m->due_ms = end + wait;
}

void mountinfo_check_soon(struct mountinfo *m)
{
	uint64_t now = loop_clock_ms();

	if (!loop_timer_running(m->timer))
		loop_timer_set(m->timer, m->due_ms > now ? m->due_ms - now : 0);
}

static void on_change(void *data, unsigned events)
{
	struct mountinfo *m = data;

	(void)events;
	m->daemon->mount_config.table = NULL; /* until it is read anew */
	mountinfo_check_soon(m);
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
	forget_table(m);
	cleanup_close(&m->fd);
	free(m);
}

void mountinfo_find_orphans(struct mountinfo *m)
{
	m->orphans_wanted = m->keeps = true;
	check_all(m);
}

void mountinfo_forget(struct mountinfo *m)
{
	if (!m->keeps)
		return;
	m->keeps = false;
	forget_table(m);
}
