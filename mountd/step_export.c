/* SPDX-License-Identifier: Apache-2.0 */
/* Steps of the export side: open a folder, and add it. */
#include <errno.h>

#include "mountd/attached.h"
#include "mountd/base/cleanup.h"
#include "mountd/server.h"
#include "mountd/steps.h"

#define OPEN_MS 10000
/* How long a replaced export outlives its successor's coming. */
#define REPLACED_LINGER_MS 3000

static int open_folder(const void *data, void *result, int *ret_fd, struct kerr *e)
{
	return export_open_folder(data, ret_fd, result, e);
}

void step_settle_export(struct run *run)
{
	if (run->state == RUN_READY || !run_is_served(run) ||
		!server_is_serving(run->daemon->server))
		return;
	run->rung = server_cache_rung(run->daemon->server);
	run->attempts = 0;
	run_clear_fault(run);
	run_event(run, EVENT_DONE);
	run_log(run, LOG_LEVEL_INFO, "exported", 0, NULL);
	/* The agent's node turns to the new sandbox meanwhile, and its harness sees no stale one.
	 */
	if (run->n_held > 1) {
		run->not_before_ms = loop_clock_ms() + REPLACED_LINGER_MS;
		daemon_plan_soon(run->daemon);
	}
}

/* What of it the exporter has taken in is not known: it is told once more, whatever is wished. */
static void doubt(struct run *run)
{
	struct held_export *held = run_find_held(run, &run->trying.export.id);

	if (held)
		held->served = false;
}

/* Whatever comes of an attempt, what it leaves in the kernel and on disk is ended with the run. */
static int hold_first(struct run *run, struct kerr *e)
{
	const struct export *export = &run->trying.export;
	int r = run_hold_export(run, export, false);
	struct held_export *held = run_find_held(run, &export->id);

	if (r < 0)
		return kerr_set(e, r, "remember export", NULL, NULL);
	held->former = false;
	held->recorded = false;
	return 0;
}

static int take_in(
	struct run *run, struct exporter *x, int tree, bool root, bool first, struct kerr *e)
{
	const struct export *export = &run->trying.export;
	struct held_export *held = run_find_held(run, &export->id);
	int r;

	held->revoked = NULL; /* from here on clients can take hold of it again */
	r = exporter_add(x, export, tree, root, e);
	if (r == -EEXIST)
		held->remade = true;
	if (r < 0)
		return r;
	if (first) {
		held->served = true;
		held->recorded = true;
		return 0;
	}
	r = run_hold_export(run, export, true);
	return r < 0 ? kerr_set(e, r, "remember export", NULL, NULL) : 0;
}

static bool is_remade(struct run *run)
{
	const struct held_export *held = run_find_held(run, &run->trying.export.id);

	return held && held->remade;
}

/* The record that was read at the start, or written for the export before, is not read again. */
static int remember(struct run *run)
{
	struct held_export *held = run_find_held(run, &run->trying.export.id);

	if (held->recorded && export_equal(&held->export, &run->trying.export))
		return 0;
	held->recorded = false;
	return attached_add(run->daemon->preflight.attached, &run->trying);
}

/* Remembered before the kernel hears of it. */
static int add(struct run *run, int tree, bool root, struct kerr *e)
{
	struct daemon *d = run->daemon;
	_cleanup_close_ int fd = tree;
	bool first = !run_find_held(run, &run->trying.export.id);
	struct exporter *x;
	int r = server_exporter(d->server, &x, e);

	if (r == 0 && first)
		r = hold_first(run, e);
	if (r < 0)
		return r;
	r = remember(run);
	if (r < 0)
		return kerr_set(e, r, "write record of", run->trying.export.volume, NULL);
	r = take_in(run, x, TAKE_FD(fd), root, first, e);
	if (r < 0 && !is_remade(run))
		doubt(run);
	return r;
}

static void add_opened(struct run *run, int tree, bool root, uint64_t ms)
{
	struct kerr e = {0};
	int r = add(run, tree, root, &e);

	if (r < 0 && !is_remade(run)) {
		run_fail(run, "export-failed", ms, &e);
		return;
	}
	run->busy = BUSY_NOT;
	run_log(run, LOG_LEVEL_DEBUG, r < 0 ? "folder-made-anew" : "export-added", ms, NULL);
	if (r == 0)
		step_settle_export(run);
	daemon_plan_soon(run->daemon); /* what is left of one that it replaces */
}

static void open_done(void *data, struct job_end *end)
{
	struct run *run = data;

	step_ended(run, end);
	if (end->error < 0)
		run_fail(run, "export-failed", end->ms, &end->e);
	else
		add_opened(run, TAKE_FD(end->fd), *(const bool *)end->result, end->ms);
}

bool step_add_export(struct run *run, const struct export *export)
{
	struct spec spec = {.role = ROLE_EXPORT, .export = *export};
	_cleanup_close_ int tree = -1;
	bool root;

	if (export_open_folder_cached(export, &tree, &root) == 0) {
		if (step_start_alone(run, &spec, BUSY_BUILDING))
			add_opened(run, TAKE_FD(tree), root, 0);
		daemon_plan_soon(run->daemon);
		return true;
	}
	(void)step_start(run, &spec, BUSY_BUILDING,
		&(struct job_call){.name = "open folder",
			.fn = open_folder,
			.arg = &spec.export,
			.result_size = sizeof(bool),
			.deadline_ms = OPEN_MS,
			.waits_for = export->volume,
			.done = open_done,
			.gone = step_worker_gone,
			.data = run});
	return false;
}
