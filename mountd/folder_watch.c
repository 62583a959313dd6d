/* SPDX-License-Identifier: Apache-2.0 */
/* Sees that folders are deleted that this node exports or binds. */
#include "mountd/folder_watch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "mountd/daemon.h"
#include "mountd/server.h"
#include "nfs/deleted.h"

#define EVERY_MS 10000 /* or longer: many exports cost as much as some */
#define EACH_MS	 20
#define LOOK_MS	 10000

struct folder_watch {
	struct daemon *daemon;
	struct loop_timer *timer;
	struct job *look;
	bool stuck;
	int error; /* why the last look came to nothing */
};

struct look_arg {
	int namespace; /* 0: nothing is exported */
	bool binds;
};

static int look(const void *data, void *result, int *ret_fd, struct kerr *e)
{
	const struct look_arg *arg = data;
	int r = arg->binds ? deleted_binds(result, e) : 0;

	(void)ret_fd;
	return r == 0 && arg->namespace ? deleted_exports(arg->namespace, result, e) : r;
}

static void lose_export(struct run *run)
{
	char path[PATH_MAX];
	struct kerr e;

	run_place(run, path, sizeof path);
	(void)kerr_set(&e, -ENOENT, "export folder", path,
		"it was deleted: its clients are refused; it is exported anew when it is there "
		"again");
	run_gone(run, "folder-deleted", &e);
}

static void take_export(struct daemon *d, const struct run_id *id)
{
	struct run *run = runs_find(&d->runs, id->run, ROLE_EXPORT);
	struct held_export *held;

	if (!run || !run->possible || run->busy != BUSY_NOT ||
		!run_id_equal(&run->want.export.id, id))
		return;
	held = run_find_held(run, id);
	if (!held || !held->served || held->remade)
		return;
	held->remade = true;
	lose_export(run);
}

static void take_bind(struct daemon *d, const struct deleted_folder *folder)
{
	struct run *run = runs_find(&d->runs, folder->id.run, ROLE_MOUNT);
	struct kerr e;

	if (!run || !run->in_force || run->busy != BUSY_NOT || run->mount_id != folder->mount_id)
		return;
	(void)kerr_set(&e, -ENOENT, "bind folder", run->held_mount.source_folder,
		"it was deleted; it is bound anew when it is there again");
	run_gone(run, "folder-deleted", &e);
}

/* One that is at work is found at the next look, if it is in force then. */
static void take(struct daemon *d, const struct deleted_folder *folder)
{
	if (folder->mount_id)
		take_bind(d, folder);
	else
		take_export(d, &folder->id);
}

static void log_failure(struct folder_watch *w, const struct job_end *end)
{
	char text[640];

	if (end->error && end->error != w->error) {
		kerr_format(&end->e, text, sizeof text);
		log_event(LOG_LEVEL_WARNING, "folders-not-seen", log_text("error", text));
	}
	w->error = end->error;
}

static void look_done(void *data, struct job_end *end)
{
	struct folder_watch *w = data;
	const struct deleted_folders *deleted = end->result;

	w->look = NULL;
	w->stuck = end->stuck;
	log_failure(w, end);
	for (size_t i = 0; i < deleted->n; i++)
		take(w->daemon, &deleted->list[i]);
}

static void gone(void *data)
{
	struct folder_watch *w = data;

	w->stuck = false;
}

static void look_at(struct folder_watch *w, bool exports, bool binds)
{
	const struct exporter *x = server_open_exporter(w->daemon->server);
	struct look_arg arg = {
		.namespace = exports && x ? exporter_namespace(x) : 0, .binds = binds};

	if ((!arg.namespace && !binds) || w->look || w->stuck)
		return;
	(void)job_start(w->daemon->loop,
		&(struct job_call){.name = "look at folders",
			.fn = look,
			.arg = &arg,
			.keep = arg.namespace,
			.result_size = sizeof(struct deleted_folders),
			.deadline_ms = LOOK_MS,
			.waits_for = "a folder that was deleted",
			.done = look_done,
			.gone = gone,
			.data = w},
		&w->look);
}

static void on_timer(void *data)
{
	struct folder_watch *w = data;
	const struct runs *runs = &w->daemon->runs;
	size_t exports = 0, binds = 0;
	uint64_t wait;

	for (size_t i = 0; i < runs->n; i++) {
		const struct run *run = runs->list[i];

		exports += run->n_held > 0;
		binds += run->in_force && run->held_mount.kind == MOUNT_BIND;
	}
	look_at(w, exports, binds);
	wait = (exports + binds) * EACH_MS;
	if (exports || binds)
		loop_timer_set(w->timer, wait > EVERY_MS ? wait : EVERY_MS);
}

void folder_watch_match(struct folder_watch *w)
{
	if (w->daemon->runs.n && !loop_timer_running(w->timer))
		loop_timer_set(w->timer, EVERY_MS);
}

int folder_watch_new(struct daemon *d, struct folder_watch **ret)
{
	struct folder_watch *w = calloc(1, sizeof *w);
	int r;

	if (!w)
		return -ENOMEM;
	w->daemon = d;
	r = loop_timer_new(d->loop, on_timer, w, &w->timer);
	if (r < 0) {
		free(w);
		return r;
	}
	*ret = w;
	return 0;
}

void folder_watch_free(struct folder_watch *w)
{
	if (!w)
		return;
	loop_timer_free(w->timer);
	free(w);
}
