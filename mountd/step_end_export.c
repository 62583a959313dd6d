/* SPDX-License-Identifier: Apache-2.0 */
/* Steps of the export side: quiesce, remove and revoke. */
#include <stdlib.h>
#include <string.h>

#include "mountd/base/cleanup.h"
#include "mountd/client_watch.h"
#include "mountd/others.h"
#include "mountd/server.h"
#include "mountd/steps.h"

#define RECALL_MS 10000
#define REVOKE_MS 20000
/* A call that was let in just before the refusal opens its file yet. */
#define UNDER_WAY_MS 300

struct revoke_arg {
	const struct exporter_config *config;
	const struct export *gone;
	int folder;
	bool former; /* an earlier daemon exported it, and perhaps this one as well */
	bool served; /* by an nfsd that still runs */
	struct other_exports others;
};

struct taken_back {
	const char *rung;
	unsigned swept;
};

static int take_back(const void *data, void *result, int *ret_fd, struct kerr *e)
{
	const struct revoke_arg *arg = data;
	struct taken_back *taken = result;
	int r, folder = arg->folder;

	(void)ret_fd;
	if (folder < 0)
		(void)export_open_folder(arg->gone, &folder, NULL, NULL);
	taken->rung = "none";
	r = !arg->served ? 0
			 : export_revoke(arg->config, arg->gone, folder, arg->former, &arg->others,
				   &taken->rung, e);
	if (r == 0)
		taken->swept = export_sweep(arg->gone, folder, arg->others.list, arg->others.n);
	return r;
}

static void ended(struct run *run, uint64_t ms)
{
	struct daemon *d = run->daemon;
	const struct export *gone = &run->trying.export;
	const struct held_export *held = run_find_held(run, &gone->id);

	run->busy = BUSY_NOT;
	run->end_failures = 0;
	log_event(LOG_LEVEL_INFO, "unexported", log_text("run", run->name),
		log_text("role", "export"), log_text("incarnation", gone->id.incarnation),
		log_text("path", gone->volume), log_text("folder", gone->folder),
		log_number("ms", ms), log_text("rung", held->revoked),
		log_number("swept", held->swept));
	run_drop_export(run, &gone->id);
	client_watch_soon(d->client_watch); /* do they let go of what was revoked? */
	if (!run->n_held)
		run_event(run, EVENT_TAKEN_DOWN);
	daemon_plan_soon(d);
}

/* What was revoked stays so: where only the record does not go, nobody is expired once more. */
static void forget(struct run *run, uint64_t ms)
{
	struct kerr e = {0};

	if (step_forget(run, &run->trying, &e) < 0)
		run_fail(run, "revoke-failed", ms, &e);
	else
		ended(run, ms);
}

static void revoke_done(void *data, struct job_end *end)
{
	struct run *run = data;
	struct held_export *held = run_find_held(run, &run->trying.export.id);
	const struct taken_back *taken = end->result;

	step_ended(run, end);
	if (end->error) {
		run_fail(run, "revoke-failed", end->ms, &end->e);
		return;
	}
	held->revoked = taken->rung;
	held->swept = taken->swept;
	cleanup_close(&held->folder);
	held->folder = -1;
	forget(run, end->ms);
}

static void forget_revoked(struct run *run, const struct export *export)
{
	struct spec spec = {.role = ROLE_EXPORT, .export = *export};

	if (step_start_alone(run, &spec, BUSY_ENDING))
		forget(run, 0);
}

/* Clients are told no from here on; absent is fine, as an attempt before has come so far. */
static int unexport(struct held_export *held, struct exporter *x, struct kerr *e)
{
	int folder = -1;
	int r = exporter_remove(x, &held->export.id, &folder, e);

	if (folder >= 0) { /* on some failures, too: what is left to do needs it */
		cleanup_close(&held->folder);
		held->folder = folder;
	}
	if (folder >= 0 || r == 0 || r == -ENOENT)
		held->served = false;
	return r == -ENOENT ? 0 : r;
}

static int list_others(
	const struct run *run, const struct export *but, struct other_exports *ret, struct kerr *e)
{
	const struct daemon *d = run->daemon;
	int r = other_exports_list(&d->runs, but, d->desired.unread, ret);

	return r < 0 ? kerr_set(e, r, "list exports", NULL, NULL) : 0;
}

/* The status is of a moment before a start, or tells of others' listeners beside ours. */
static bool is_nfsd_ours(const struct server *server)
{
	const struct server_status *status = server_status(server);

	return server_is_serving(server) || (status->state == SERVER_OURS && status->threads > 0);
}

/* For the worker of the step that ends export, or takes what is held of it. */
static struct job_call revoke_call(struct run *run, const struct revoke_arg *arg)
{
	return (struct job_call){.name = "revoke",
		.keep = arg->folder > 0 ? arg->folder : 0,
		.arg = arg,
		.result_size = sizeof(struct taken_back),
		.deadline_ms = REVOKE_MS,
		.waits_for = arg->gone->volume,
		.gone = step_worker_gone,
		.data = run};
}

static int recall(const void *data, void *result, int *ret_fd, struct kerr *e)
{
	const struct revoke_arg *arg = data;

	(void)result;
	(void)ret_fd;
	return export_recall(arg->config, arg->gone, &arg->others, e);
}

/* Whatever came of it: what they did not let go of is taken. */
static void recall_done(void *data, struct job_end *end)
{
	struct run *run = data;

	step_ended(run, end);
	run->busy = BUSY_NOT;
	run_log(run, LOG_LEVEL_DEBUG, "recalled", end->ms, end->error ? &end->e : NULL);
}

/* An attempt of its own, once: clients can still be heard, as they let go. */
static bool quiesce(struct run *run, const struct export *export)
{
	struct server *server = run->daemon->server;
	struct spec spec = {.role = ROLE_EXPORT, .export = *export};
	struct held_export *held = run_find_held(run, &export->id);
	struct revoke_arg arg = {.config = server_config(server), .gone = export};
	struct exporter *x = server_open_exporter(server);
	const char *best = server_status(server)->revoke_rung;
	struct job_call call;

	if (held->quiesced || !x || !server_is_serving(server) ||
		(best && strcmp(best, "unlock-export") == 0) ||
		!export_may_be_held(arg.config, export))
		return false;
	held->quiesced = true;
	if (exporter_quiesce(x, &export->id, NULL) < 0 ||
		list_others(run, &held->export, &arg.others, NULL) < 0)
		return false;
	call = revoke_call(run, &arg);
	call.name = "recall";
	call.fn = recall;
	call.result_size = 0;
	call.deadline_ms = RECALL_MS;
	call.done = recall_done;
	(void)step_start(run, &spec, BUSY_ENDING, &call);
	free((void *)arg.others.list);
	return true;
}

/* A failed attempt that had no worker yet. */
static void cannot_begin(struct run *run, const char *event, const struct kerr *e)
{
	run->busy = BUSY_ENDING;
	run_fail(run, event, 0, e);
}

static void take_what_is_held(struct run *run, const struct export *export)
{
	struct server *server = run->daemon->server;
	struct spec spec = {.role = ROLE_EXPORT, .export = *export};
	struct held_export *held = run_find_held(run, &export->id);
	struct revoke_arg arg = {.config = server_config(server), .gone = export};
	struct job_call call;
	struct kerr e = {0};

	if (list_others(run, &held->export, &arg.others, &e) < 0) {
		cannot_begin(run, "unexport-failed", &e);
		return;
	}
	arg.folder = held->folder;
	arg.former = held->former;
	arg.served = is_nfsd_ours(server);
	call = revoke_call(run, &arg);
	call.fn = take_back;
	call.done = revoke_done;
	(void)step_start(run, &spec, BUSY_ENDING, &call);
	free((void *)arg.others.list);
}

void step_end_export(struct run *run, const struct export *export)
{
	struct held_export *held = run_find_held(run, &export->id);
	struct exporter *x = server_open_exporter(run->daemon->server);
	bool was_served = held->served;
	struct kerr e = {0};

	if (held->revoked) {
		forget_revoked(run, export);
		return;
	}
	if (quiesce(run, export))
		return;
	if (x && unexport(held, x, &e) < 0) {
		cannot_begin(run, "unexport-failed", &e);
	} else if (was_served && !held->served) {
		held->revoke_not_before_ms = loop_clock_ms() + UNDER_WAY_MS;
		daemon_plan_soon(run->daemon);
	} else {
		take_what_is_held(run, export);
	}
}

void step_withhold(struct run *run)
{
	struct kerr e;
	int error;
	const char *fault = server_fault(run->daemon->server, &error);
	char text[640];

	if (!fault)
		return;
	(void)kerr_set(&e, error, "end export", run_id_of(run)->incarnation,
		"the kernel still answers as a former daemon told it to: %s", fault);
	kerr_format(&e, text, sizeof text);
	if (run_set_fault(run, error, text))
		run_log(run, LOG_LEVEL_WARNING, "end-withheld", 0, &e);
}

static int take_from_dropped(const void *data, void *result, int *ret_fd, struct kerr *e)
{
	const struct revoke_arg *arg = data;
	struct taken_back *taken = result;
	_cleanup_close_ int folder = -1;

	(void)ret_fd;
	taken->rung = "none";
	(void)export_open_folder(arg->gone, &folder, NULL, NULL);
	return !arg->served ? 0
			    : export_drop_clients(arg->config, arg->gone, folder, &arg->others,
				      &taken->rung, e);
}

static void drop_done(void *data, struct job_end *end)
{
	struct run *run = data;
	struct held_export *held = run_find_held(run, &run->trying.export.id);
	const struct taken_back *taken = end->result;

	step_ended(run, end);
	if (end->error) {
		run_fail(run, "drop-failed", end->ms, &end->e);
		return;
	}
	run->busy = BUSY_NOT;
	if (run->end_failures)
		run_clear_fault(run);
	run->end_failures = 0;
	if (held)
		held->n_dropped = 0;
	log_event(LOG_LEVEL_INFO, "clients-dropped", log_text("run", run->name),
		log_text("role", "export"), log_number("ms", end->ms),
		log_text("rung", taken->rung));
	client_watch_soon(run->daemon->client_watch);
}

void step_drop_clients(struct run *run, const struct export *export)
{
	struct server *server = run->daemon->server;
	struct spec spec = {.role = ROLE_EXPORT, .export = *export};
	struct held_export *held = run_find_held(run, &export->id);
	struct export dropped = *export; /* with other clients */
	struct revoke_arg arg = {.config = server_config(server), .gone = &dropped, .folder = -1};
	struct job_call call;
	struct kerr e = {0};

	step_settle_export(run);
	dropped.clients = held->dropped;
	dropped.n_clients = held->n_dropped;
	if (list_others(run, NULL, &arg.others, &e) < 0) {
		cannot_begin(run, "drop-failed", &e);
		return;
	}
	arg.served = is_nfsd_ours(server);
	call = revoke_call(run, &arg);
	call.fn = take_from_dropped;
	call.done = drop_done;
	(void)step_start(run, &spec, BUSY_ENDING, &call);
	free((void *)arg.others.list);
}
