/* SPDX-License-Identifier: Apache-2.0 */
/* The daemon: wishes, plans and steps brought together in one loop. */
#include "mountd/daemon.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>

#include "mountd/attached.h"
#include "mountd/base/cleanup.h"
#include "mountd/client_watch.h"
#include "mountd/control.h"
#include "mountd/folder_watch.h"
#include "mountd/heap.h"
#include "mountd/mountinfo.h"
#include "mountd/prober.h"
#include "mountd/server.h"
#include "mountd/settled.h"
#include "mountd/steps.h"
#include "mountd/view.h"

/* After the start, for exports that were in force and fail. */
#define INHERITED_PATIENCE_MS 30000
#define AT_ONCE_MS	      50

static const char drained_file[] = "drained";

/* Returns when the run wants to be planned again; UINT64_MAX: not by time. */
static uint64_t carry_out(
	struct run *run, const struct step *step, struct reconcile_slots *slots, uint64_t now)
{
	switch (step->kind) {
	case STEP_WAIT:
		return step->until_ms;
	case STEP_CANCEL:
		step_cancel(run);
		break;
	case STEP_ADD_EXPORT:
		/* No worker has its slot; but so many at once must not keep the loop. */
		if (step_add_export(run, step->export) && loop_clock_ms() < now + AT_ONCE_MS)
			slots->exports--;
		break;
	case STEP_END_EXPORT:
		step_end_export(run, step->export);
		break;
	case STEP_WITHHELD:
		step_withhold(run);
		break;
	case STEP_DROP:
		step_drop_clients(run, step->export);
		break;
	case STEP_ATTACH:
		step_attach(run, step->mount);
		break;
	case STEP_DETACH:
		step_detach(run, step->mount, step->how);
		break;
	case STEP_FORGET:
		runs_drop(&run->daemon->runs, run);
		break;
	case STEP_NONE:
		if (run->busy == BUSY_NOT && run->role == ROLE_EXPORT)
			step_settle_export(run);
		else if (run->busy == BUSY_NOT)
			step_settle_mount(run);
		break;
	}
	return UINT64_MAX;
}

/* What a spec that cannot be read at the start asks for is perhaps just what is in force. */
static bool may_be_wished(const struct daemon *d, const struct run *run, uint64_t now)
{
	return run->inherited && !run->wished && d->desired.unread && !d->drained &&
	       now < d->started_ms + INHERITED_PATIENCE_MS;
}

/* Its server must be asked, too: who could not be taken in for want of memory is tried again. */
static bool may_rest(const struct daemon *d, const struct run *run)
{
	const struct mount *m = &run->want.mount;

	return run_may_rest(run) && (run->role == ROLE_EXPORT || m->kind != MOUNT_NFS ||
					    prober_knows(d->prober, &m->server, m->port));
}

/* Returns when the run wants to be planned again; UINT64_MAX: not by time. */
static uint64_t plan_run(
	struct daemon *d, struct run *run, struct reconcile_slots *slots, uint64_t now)
{
	struct reconcile_view view;
	struct step step;

	if (run->role == ROLE_EXPORT && !server_is_known(d->server))
		return UINT64_MAX;
	if (may_be_wished(d, run, now))
		return d->started_ms + INHERITED_PATIENCE_MS;
	view = view_of(d, run);
	step = reconcile(&view, slots, now);
	if (step.kind == STEP_NONE && may_rest(d, run))
		run_rest(run);
	return carry_out(run, &step, slots, now);
}

static uint64_t plan_runs(struct daemon *d)
{
	struct reconcile_slots slots = {0};
	uint64_t now = loop_clock_ms(), until, wake = UINT64_MAX;

	for (const struct run *run = d->runs.first; run; run = run->next) {
		if (run->busy == BUSY_NOT)
			continue;
		struct reconcile_view view = view_of(d, run);
		reconcile_occupy(&slots, &view);
	}
	for (struct run *run = d->runs.first, *next; run; run = next) {
		next = run->next; /* it may be forgotten, or rest */
		until = plan_run(d, run, &slots, now);
		if (until < wake)
			wake = until;
	}
	return wake;
}

/* Clients of an export that fails now are not cut off for it at once. Others must not wait for
 * ever.
 */
static uint64_t wait_for_inherited(const struct daemon *d)
{
	return former_answers(d) ? d->started_ms + INHERITED_PATIENCE_MS : 0;
}

/* Returns when it wants to be planned again; UINT64_MAX: not by time. */
static uint64_t plan_server(struct daemon *d, uint64_t now)
{
	bool wanted;
	enum settled settled = runs_settled(&d->runs, &wanted);
	uint64_t until = settled == SETTLED_BUT_INHERITED ? wait_for_inherited(d) : 0;

	server_plan(d->server, wanted, settled != UNSETTLED && now >= until,
		d->drained && d->runs.n == 0);
	return now < until ? until : UINT64_MAX;
}

static bool is_busy(const struct daemon *d)
{
	for (const struct run *run = d->runs.first; run; run = run->next)
		if (run->busy != BUSY_NOT)
			return true;
	return false;
}

static void on_plan(void *data)
{
	struct daemon *d = data;
	uint64_t wake, until, server, now = loop_clock_ms();

	prober_match(d->prober);
	client_watch_match(d->client_watch);
	folder_watch_match(d->folder_watch);
	wake = plan_runs(d);

	until = plan_server(d, now);
	if (until < wake)
		wake = until;
	server = server_not_before_ms(d->server);
	if (server > now && server < wake)
		wake = server;
	control_check(d->control);
	if (wake != UINT64_MAX)
		loop_timer_set(d->wake_timer, wake > now ? wake - now : 0);
	else
		loop_timer_stop(d->wake_timer);
	if (wake == UINT64_MAX && !loop_timer_running(d->plan_timer) && !is_busy(d)) {
		mountinfo_forget(d->mountinfo);
		heap_give_back(); /* bursts of wishes and answers leave much behind */
	}
}

void daemon_plan_soon(struct daemon *d)
{
	if (!loop_timer_running(d->plan_timer))
		loop_timer_set(d->plan_timer, 0);
}

void daemon_sync(struct daemon *d)
{
	wishes_match(d);
	daemon_plan_soon(d);
}

/* Or what they are matched with. */
static void on_wishes_changed(void *data)
{
	daemon_sync(data);
}

static void on_stop(void *data)
{
	struct daemon *d = data;

	log_event(LOG_LEVEL_INFO, "stopping", log_number("runs", d->runs.n));
	loop_stop(d->loop);
}

static void on_reload(void *data)
{
	struct daemon *d = data;
	struct kerr e = {0};
	char text[640];

	server_refresh(d->server, NULL, NULL);
	if (source_dir_rescan(d->source, &e) < 0) {
		kerr_format(&e, text, sizeof text);
		log_event(LOG_LEVEL_ERROR, "reload-failed", log_text("error", text));
		return;
	}
	log_event(LOG_LEVEL_INFO, "reloaded", log_number("files", d->desired.n));
	d->match_all = true;
	daemon_sync(d);
}

int daemon_set_drained(struct daemon *d, bool drained)
{
	_cleanup_close_ int fd = -1;

	if (drained) {
		fd = openat(d->preflight.state, drained_file, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
		if (fd < 0)
			return -errno;
	} else if (unlinkat(d->preflight.state, drained_file, 0) < 0 && errno != ENOENT) {
		return -errno;
	}
	if (d->drained != drained)
		log_event(LOG_LEVEL_INFO, drained ? "draining" : "resumed",
			log_number("runs", d->runs.n));
	d->drained = drained;
	d->match_all = true;
	daemon_sync(d);
	return 0;
}

/* What a former daemon has put into the kernel. */
static int on_record(void *data, struct spec *spec)
{
	struct daemon *d = data;
	struct run *run = runs_find_or_add(&d->runs, spec_id(spec)->run, spec->role);
	int r = -ENOMEM;

	if (run) {
		run->daemon = d;
		r = spec->role == ROLE_EXPORT ? run_hold_export(run, &spec->export, false)
					      : run_hold_mount(run, &spec->mount);
		run->inherited = true;
		if (run->state == RUN_GONE)
			run_event(run, EVENT_START);
	}
	spec_clear(spec);
	return r;
}

static int start_signals(struct daemon *d)
{
	static const struct {
		int number;
		loop_fn *fn;
	} wanted[] = {{SIGTERM, on_stop}, {SIGINT, on_stop}, {SIGHUP, on_reload}};
	int r = 0;

	for (size_t i = 0; i < 3 && r == 0; i++)
		r = loop_signal_new(d->loop, wanted[i].number, wanted[i].fn, d, &d->signals[i]);
	return r;
}

static int start_engines(struct daemon *d, struct kerr *e)
{
	int r = loop_new(&d->loop);

	if (r == 0)
		r = start_signals(d);
	if (r == 0 && (r = loop_timer_new(d->loop, on_plan, d, &d->plan_timer)) == 0)
		r = loop_timer_new(d->loop, on_plan, d, &d->wake_timer);
	if (r == 0)
		r = server_new(d, &d->server);
	if (r == 0 && (r = mountinfo_new(d, &d->mountinfo)) == 0)
		r = prober_new(d, &d->prober);
	if (r == 0 && (r = client_watch_new(d, &d->client_watch)) == 0)
		r = folder_watch_new(d, &d->folder_watch);
	if (r < 0)
		return kerr_set(e, r, "start the loop", NULL, NULL);
	r = own_watch_new(d->loop, on_wishes_changed, d, &d->own_watch, e);
	if (r < 0)
		return r;
	r = source_dir_new(
		d->loop, d->preflight.spec_dir, &d->desired, on_wishes_changed, d, &d->source, e);
	return r < 0 ? r : control_new(d, &d->control, e);
}

/*
 * A node that has lost its key must not come up as if all were well: whoever restores the key
 * finds the kernel's server and its clients as they were. Other failures may pass, and are
 * tried again.
 */
static int check_key(struct daemon *d, struct kerr *e)
{
	struct exporter *x;

	for (size_t i = 0; i < d->runs.n; i++)
		if (d->runs.list[i]->role == ROLE_EXPORT)
			return server_exporter(d->server, &x, e) == -ENOKEY ? -ENOKEY : 0;
	return 0;
}

static int start(struct daemon *d, struct kerr *e)
{
	int r = start_engines(d, e);

	if (r < 0)
		return r;
	d->drained = faccessat(d->preflight.state, drained_file, F_OK, 0) == 0;
	if (!d->drained && errno != ENOENT)
		return kerr_set(e, -errno, "look for", drained_file, NULL);
	r = own_addrs_read(OWN_ALL, &d->own);
	if (r < 0)
		return kerr_set(e, r, "read addresses", "of this node", NULL);
	r = attached_load(d->preflight.attached, on_record, d, e);
	if (r < 0)
		return r;
	daemon_sync(d);
	mountinfo_find_orphans(d->mountinfo);
	return check_key(d, e);
}

int daemon_new(const struct options *options, struct preflight *preflight, struct daemon **ret,
	struct kerr *e)
{
	struct daemon *d = calloc(1, sizeof *d);
	int r;

	if (!d)
		return kerr_set(e, -ENOMEM, "start", NULL, NULL);
	d->options = *options;
	d->preflight = *preflight;
	*preflight = PREFLIGHT_NONE;
	d->started_ms = loop_clock_ms();
	d->match_all = true;
	d->mount_config = (struct mount_config){
		.client_identifier = d->options.node_name,
		.staging = -1,
		.masked_rungs = d->options.masked_mount_rungs,
	};
	r = mount_staging_new(&d->mount_config.staging, e);
	if (r == 0)
		r = start(d, e);
	if (r < 0) {
		daemon_free(d);
		return r;
	}
	*ret = d;
	return 0;
}

void daemon_run(struct daemon *d)
{
	log_event(LOG_LEVEL_INFO, "started", log_text("version", KORA_VERSION),
		log_text("node", d->options.node_name), log_number("specs", d->desired.n),
		log_text("state", d->drained ? "drained" : NULL));
	loop_run(d->loop);
}

void daemon_free(struct daemon *d)
{
	control_free(d->control);
	source_dir_free(d->source);
	mountinfo_free(d->mountinfo);
	prober_free(d->prober);
	client_watch_free(d->client_watch);
	folder_watch_free(d->folder_watch);
	server_free(d->server);
	while (d->runs.n)
		runs_drop(&d->runs, d->runs.list[d->runs.n - 1]);
	free(d->runs.list);
	desired_clear(&d->desired);
	suspects_clear(&d->suspects);
	own_watch_free(d->own_watch);
	own_addrs_clear(&d->own);
	job_abandon_all(); /* last: who has a worker cancels it */
	for (size_t i = 0; i < 3; i++)
		loop_signal_free(d->signals[i]);
	loop_timer_free(d->plan_timer);
	loop_timer_free(d->wake_timer);
	loop_free(d->loop);
	cleanup_close(&d->mount_config.staging);
	preflight_clear(&d->preflight);
	free(d);
}
