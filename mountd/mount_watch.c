/* SPDX-License-Identifier: Apache-2.0 */
/* Sees that a server that answers serves this node's mounts of it no more. */
#include "mountd/mount_watch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "mountd/daemon.h"
#include "mountd/mount_looks.h"
#include "nfs/mount.h"

#define EVERY_MS    30000 /* or longer: many mounts cost as much as some */
#define EACH_MS	    60
#define LOOK_MS	    5000  /* then the worker leaves the rest to the next one */
#define LOOK_JOB_MS 10000 /* then it hangs */
/* A call that hangs keeps a thread of its server's: each one doubles the pause. */
#define HANGS_MAX 6

struct mount_watch {
	struct daemon *daemon;
	struct addr server;
	uint16_t port;
	uint64_t due_ms; /* monotonic: before, only those in doubt are looked at */
	bool doubts;	 /* there are some in doubt */
	bool doubted;	 /* the worker looks at those alone */
	unsigned hangs;
	char after[NAME_MAX_LENGTH + 1]; /* the run that the last worker came to; empty: all */
	struct mount_looks looks;	 /* of the worker */
	struct job *job;
	bool stuck;
	bool freed; /* but for a worker that is not gone yet */
};

static void lose(struct run *run)
{
	char peer[64];
	struct kerr e;

	run_peer(run, peer, sizeof peer);
	(void)kerr_set(&e, -ESTALE, "mount from", peer,
		"it does not export incarnation %s any more: released there, its folder deleted, "
		"or this node is no client of it; kora-mountctl describe there tells; mounted "
		"anew when it does",
		run_id_of(run)->incarnation);
	run_gone(run, "mount-stale", &e);
}

static int look(const void *data, void *result, int *ret_fd, struct kerr *e)
{
	(void)result;
	(void)ret_fd;
	(void)e;
	mount_looks_run(data, mount_look, loop_clock_ms() + LOOK_MS);
	return 0;
}

static void say_hung(const struct mount_watch *w, const char *run)
{
	char addr[ADDR_TEXT_SIZE];

	addr_format(&w->server, addr);
	log_event(LOG_LEVEL_WARNING, "mount-hangs", log_text("run", run), log_text("peer", addr),
		log_text("error", "its server answers, but not for it"),
		log_text("next",
			"kora-mountctl status there; its disk, and what this mount lies on here"));
}

/* How long until all are to be looked at again, or the rest of them. */
static uint64_t pause_after(struct mount_watch *w, const struct looks_seen *seen)
{
	uint64_t wait = seen->looked * EACH_MS;

	if ((seen->all || seen->hung) && wait < EVERY_MS)
		wait = EVERY_MS;
	if (seen->hung)
		w->hangs += w->hangs < HANGS_MAX;
	else if (seen->all)
		w->hangs = 0;
	return wait << w->hangs;
}

static void look_done(void *data, struct job_end *end)
{
	struct mount_watch *w = data;
	struct looks_seen seen = mount_looks_take(&w->looks, &w->daemon->runs, lose);

	w->job = NULL;
	w->stuck = end->stuck;
	w->doubts = seen.doubts;
	if (seen.hung)
		say_hung(w, seen.hung);
	if (!w->doubted || seen.hung) {
		(void)snprintf(
			w->after, sizeof w->after, "%s", seen.all || !seen.last ? "" : seen.last);
		w->due_ms = loop_clock_ms() + pause_after(w, &seen);
	}
	mount_looks_clear(&w->looks);
}

static void gone(void *data)
{
	struct mount_watch *w = data;

	w->stuck = false;
	if (w->freed)
		free(w);
}

void mount_watch_answered(struct mount_watch *w)
{
	if (!w || w->job || w->stuck)
		return;
	w->doubted = loop_clock_ms() < w->due_ms;
	if (w->doubted && !w->doubts)
		return;
	w->doubts = false;
	if (mount_looks_new(
		    &w->daemon->runs, &w->server, w->port, w->doubted, w->after, &w->looks) == 0 &&
		w->looks.n &&
		job_start(w->daemon->loop,
			&(struct job_call){.name = "look at mounts",
				.fn = look,
				.arg = &w->looks,
				.deadline_ms = LOOK_JOB_MS,
				.done = look_done,
				.gone = gone,
				.data = w},
			&w->job) == 0)
		return;
	mount_looks_clear(&w->looks);
}

struct mount_watch *mount_watch_new(struct daemon *d, const struct addr *server, uint16_t port)
{
	struct mount_watch *w = calloc(1, sizeof *w);

	if (w)
		*w = (struct mount_watch){.daemon = d, .server = *server, .port = port};
	return w;
}

void mount_watch_free(struct mount_watch *w)
{
	if (!w)
		return;
	mount_looks_clear(&w->looks);
	if (!w->job && !w->stuck) {
		free(w);
		return;
	}
	if (w->job)
		job_cancel(w->job);
	w->freed = true;
}
