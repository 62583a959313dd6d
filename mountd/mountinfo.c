/* SPDX-License-Identifier: Apache-2.0 */
/* Follows this node's mounts: what vanished without our doing, and what a former daemon left. */
#include "mountd/mountinfo.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>

#include "mountd/base/cleanup.h"
#include "mountd/known_mounts.h"
#include "nfs/actual.h"

/*
 * A storm of mounts costs one reading in this time. Where the node has so many that a reading
 * takes long, it costs this part of the time.
 */
#define READ_EVERY_MS	  100
#define READ_EVERY_MAX_MS 2000
#define READ_PART	  20
/* Ids do not tell that a mount was moved: the table is read this long after, at the latest. */
#define READ_AFTER_MS 10000
/* A new mount's id is its worker's to tell, which is about to end. */
#define WAIT_FOR_WORKER_MS  100
#define WAIT_FOR_WORKER_MAX 10

struct mountinfo {
	struct daemon *daemon;
	int fd;
	struct loop_poll *poll;
	struct loop_timer *timer;
	uint64_t due_ms; /* no reading before */
	bool pending;	 /* the timer is set for it */
	bool changed;	 /* since known was brought up to date */
	bool whole;	 /* the next look is to be at the table, not at the ids alone */
	bool by_ids;	 /* known may be behind the table: ids do not tell what was moved */
	uint64_t ids_ms; /* monotonic: since when only ids were looked at; 0: not since the table
			    was */
	unsigned waited; /* looks put off for a worker's end */
	bool orphans_wanted;
	bool keeps; /* table: until the start is over */
	struct actual_mounts table;
	bool table_counts;
	struct known_mounts known;
};

static void forget_table(struct mountinfo *m)
{
	m->table_counts = false;
	actual_mounts_clear(&m->table);
}

/* Takes mounts over. */
static void keep_table(struct mountinfo *m, struct actual_mounts *mounts)
{
	forget_table(m);
	m->table = *mounts;
	*mounts = (struct actual_mounts){0};
	m->table_counts = true;
}

const struct actual_mounts *mountinfo_table(const struct mountinfo *m)
{
	return m->table_counts ? &m->table : NULL;
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

static bool follows_any(const struct runs *runs)
{
	for (const struct run *run = runs->first; run; run = run->next)
		if (mount_is_followed(run))
			return true;
	return runs->n_resting[ROLE_MOUNT] > 0;
}

static void lose(struct run *run)
{
	run->in_force = false;
	run_event(run, EVENT_LOST);
	run_log(run, LOG_LEVEL_WARNING, "mount-lost", 0, NULL);
	daemon_plan_soon(run->daemon);
}

static void check(const struct actual_mounts *mounts, struct run *run)
{
	if (!mount_is_followed(run))
		return;
	if (!shows(mounts, run))
		lose(run);
	else if (!run->looked_at) /* not written to in vain: workers share its memory */
		run->looked_at = true;
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
	m->whole = true;
	m->pending = true;
	loop_timer_set(m->timer, READ_EVERY_MAX_MS);
}

/* False: it could not be read. */
static bool check_all(struct mountinfo *m)
{
	struct runs *runs = &m->daemon->runs;
	struct actual_mounts mounts = {0};
	_cleanup_(mount_ids_clear) struct mount_ids ids = {0};
	int r;

	m->changed = false;
	(void)mount_ids_read(&ids); /* before: what comes meanwhile is looked at once more */
	r = actual_mounts_read(m->fd, &mounts);
	if (r < 0) {
		m->changed = true;
		check_later(m, r);
		return false;
	}
	for (size_t i = 0; i < mounts.n && m->orphans_wanted; i++)
		take_orphan(m->daemon, &mounts.list[i]);
	m->orphans_wanted = false;
	for (size_t i = 0; i < runs->n; i++)
		check(&mounts, runs->list[i]);
	known_mounts_read(&m->known, &ids, &mounts, runs);
	m->by_ids = false;
	if (m->keeps)
		keep_table(m, &mounts);
	actual_mounts_clear(&mounts);
	return true;
}

static void set_timer(struct mountinfo *m, uint64_t in_ms)
{
	m->pending = true;
	loop_timer_set(m->timer, in_ms);
}

static void read_table(struct mountinfo *m)
{
	uint64_t start = loop_clock_ms(), end, wait;

	if (!check_all(m))
		return;
	m->whole = false;
	m->ids_ms = 0;
	m->waited = 0;
	end = loop_clock_ms();
	wait = (end - start) * READ_PART;
	if (wait < READ_EVERY_MS)
		wait = READ_EVERY_MS;
	if (wait > READ_EVERY_MAX_MS)
		wait = READ_EVERY_MAX_MS;
	m->due_ms = end + wait;
}

static bool is_attaching(const struct runs *runs)
{
	for (const struct run *run = runs->first; run; run = run->next)
		if (run->role == ROLE_MOUNT && run->busy == BUSY_BUILDING)
			return true;
	return false;
}

/* True where nothing else is to be seen for now. */
static bool look_at_ids(struct mountinfo *m)
{
	struct runs *runs = &m->daemon->runs;
	_cleanup_(mount_ids_clear) struct mount_ids now = {0};
	enum known_look look;

	m->changed = false;
	(void)mount_ids_read(&now);
	look = known_mounts_look(&m->known, &now, runs, lose);
	m->changed |= look != KNOWN_ALL;
	if (look == KNOWN_STRANGER && is_attaching(runs) && m->waited++ < WAIT_FOR_WORKER_MAX) {
		set_timer(m, WAIT_FOR_WORKER_MS);
		return true;
	}
	if (look != KNOWN_ALL)
		return false;
	m->by_ids = true;
	m->waited = 0;
	m->due_ms = loop_clock_ms() + READ_EVERY_MS;
	if (!m->ids_ms)
		m->ids_ms = loop_clock_ms();
	return true;
}

static void on_timer(void *data)
{
	struct mountinfo *m = data;
	uint64_t now = loop_clock_ms();

	m->pending = false;
	if (!m->orphans_wanted && !follows_any(&m->daemon->runs))
		return;
	m->whole |= m->orphans_wanted || (m->ids_ms && now >= m->ids_ms + READ_AFTER_MS);
	if (m->whole || !look_at_ids(m))
		read_table(m);
	if (!m->pending && m->ids_ms)
		loop_timer_set(m->timer, m->ids_ms + READ_AFTER_MS - now);
}

void mountinfo_look_soon(struct mountinfo *m)
{
	uint64_t now = loop_clock_ms();

	if (!m->pending)
		set_timer(m, m->due_ms > now ? m->due_ms - now : 0);
}

void mountinfo_check_soon(struct mountinfo *m)
{
	m->whole = true;
	mountinfo_look_soon(m);
}

void mountinfo_check_later(struct mountinfo *m)
{
	if (m->ids_ms)
		return;
	m->ids_ms = loop_clock_ms();
	if (!m->pending)
		loop_timer_set(m->timer, READ_AFTER_MS);
}

static void on_change(void *data, unsigned events)
{
	struct mountinfo *m = data;

	(void)events;
	m->changed = true;
	m->table_counts = false; /* until it is read anew */
	mountinfo_look_soon(m);
}

/* The kernel tells of a change once: who asks out of turn takes the loop's place. */
static bool has_changed(struct mountinfo *m)
{
	struct pollfd p = {.fd = m->fd, .events = POLLPRI};

	if (poll(&p, 1, 0) != 0)
		on_change(m, 0);
	return m->changed;
}

static uint64_t only(struct mountinfo *m, const struct run *run)
{
	_cleanup_(mount_ids_clear) struct mount_ids now = {0};

	if (!has_changed(m))
		return known_mounts_only(&m->known, NULL, &m->daemon->runs, run);
	(void)mount_ids_read(&now);
	return known_mounts_only(&m->known, &now, &m->daemon->runs, run);
}

uint64_t mountinfo_only(struct mountinfo *m, const struct run *run, int *ret_unchanged_since)
{
	_cleanup_close_ int since = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
	uint64_t id = only(m, run);
	bool by_table = !m->changed && !m->by_ids;

	if (id && by_table && mount_is_followed(run) && run->looked_at && since >= 0)
		*ret_unchanged_since = TAKE_FD(since);
	return id;
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
	known_mounts_clear(&m->known);
	cleanup_close(&m->fd);
	free(m);
}

void mountinfo_find_orphans(struct mountinfo *m)
{
	m->orphans_wanted = m->keeps = true;
	(void)check_all(m);
	/* The loop's first question to the kernel takes what has changed until then. */
	m->by_ids = true;
	mountinfo_check_later(m);
}

void mountinfo_forget(struct mountinfo *m)
{
	if (!m->keeps)
		return;
	m->keeps = false;
	forget_table(m);
}
