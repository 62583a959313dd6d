/* SPDX-License-Identifier: Apache-2.0 */
/* Steps of the mount side: attach and detach. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "mountd/attached.h"
#include "mountd/base/cleanup.h"
#include "mountd/mountinfo.h"
#include "mountd/prober.h"
#include "mountd/steps.h"

#define DETACH_CLEAN_MS 3000
#define DETACH_CUT_MS	20000

struct attach_arg {
	const struct mount_config *config;
	const struct mount *mount;
};

struct detach_arg {
	const struct mount_config *config;
	const struct mount *mount;
	struct mount_known known;
	enum detach_how how;
};

static int attach(const void *data, void *result, int *ret_fd, struct kerr *e)
{
	const struct attach_arg *arg = data;

	(void)ret_fd;
	return mount_attach(arg->config, arg->mount, result, e);
}

static int detach(const void *data, void *result, int *ret_fd, struct kerr *e)
{
	const struct detach_arg *arg = data;
	const struct mount *m = arg->mount;

	(void)ret_fd;
	return mount_detach(arg->config, m->volume, m->id.run, &arg->known, arg->how, result, e);
}

static bool is_unanswered(int error)
{
	return error == -ETIMEDOUT || error == -EHOSTUNREACH || error == -EHOSTDOWN ||
	       error == -ENETUNREACH;
}

static void note_server(struct run *run, const struct job_end *end)
{
	const struct mount *m = &run->trying.mount;

	if (m->kind != MOUNT_NFS)
		return;
	if (is_unanswered(end->error))
		suspects_add(&run->daemon->suspects, &m->server);
	else
		suspects_remove(&run->daemon->suspects, &m->server);
	if (!end->error)
		prober_answered(run->daemon->prober, &m->server, m->port);
}

static void explain_timeout(const struct run *run, struct kerr *e)
{
	const struct mount *m = &run->trying.mount;
	char peer[64] = "";

	run_peer(run, peer, sizeof peer);
	if (m->kind == MOUNT_NFS)
		(void)kerr_set(e, -ETIMEDOUT, "mount from", peer,
			"no answer within %u s: is kora-sandbox-mount running on the server's "
			"node, "
			"and does a firewall let TCP port %u pass?",
			run->daemon->options.mount_timeout_seconds, m->port);
	else
		(void)kerr_set(e, -ETIMEDOUT, "bind", m->source_volume, "no answer within %u s",
			run->daemon->options.mount_timeout_seconds);
}

static void attach_done(void *data, struct job_end *end)
{
	struct run *run = data;
	const struct mount_outcome *outcome = end->result;

	step_ended(run, end);
	note_server(run, end);
	if (end->error) {
		if (end->expired)
			explain_timeout(run, &end->e);
		run_fail(run, "mount-failed", end->ms, &end->e);
		return;
	}
	run->busy = BUSY_NOT;
	run->in_force = true;
	mountinfo_look_soon(run->daemon->mountinfo);
	run->mount_id = outcome->mount_id;
	run->unique_id = outcome->unique_id;
	run->looked_at = false;
	free(run->mounted_at);
	run->mounted_at = strdup(outcome->target);
	run->rung = outcome->rung;
	if (!run->possible || !spec_equal(&run->want, &run->trying))
		return; /* the wish has changed meanwhile */
	run->attempts = 0;
	run_clear_fault(run);
	run_event(run, EVENT_DONE);
	run_log(run, LOG_LEVEL_INFO, "mounted", end->ms, NULL);
	if (outcome->options_fault[0])
		log_event(LOG_LEVEL_WARNING, "mount-options", log_text("run", run->name),
			log_text("error", outcome->options_fault));
}

void step_settle_mount(struct run *run)
{
	if (run->state == RUN_READY || !run->possible || !run->in_force || !run->holds_mount ||
		!mount_equal(&run->held_mount, &run->want.mount))
		return;
	run->attempts = 0;
	run_clear_fault(run);
	run_event(run, EVENT_DONE);
	run_log(run, LOG_LEVEL_INFO, "mounted", 0, NULL);
}

/* What is perhaps attached is remembered before it can be: on disk, then here. */
static int remember(struct run *run, const struct spec *spec)
{
	int dir = run->daemon->preflight.attached, r = attached_add(dir, spec);

	if (r < 0)
		return r;
	r = run_hold_mount(run, &spec->mount);
	if (r < 0 && !run->holds_mount)
		(void)attached_remove(dir, spec); /* with the run nobody would know of it */
	return r;
}

void step_attach(struct run *run, const struct mount *mount)
{
	struct daemon *d = run->daemon;
	struct spec spec = {.role = ROLE_MOUNT, .mount = *mount};
	struct attach_arg arg = {&d->mount_config, &spec.mount};
	char peer[64];
	struct kerr e = {0};
	int r;

	run_peer(run, peer, sizeof peer);
	r = remember(run, &spec);
	if (r < 0) {
		(void)kerr_set(&e, r, "write record of", mount->volume, NULL);
		run_fail(run, "mount-failed", 0, &e);
		return;
	}
	(void)step_start(run, &spec, BUSY_BUILDING,
		&(struct job_call){.name = "mount",
			.fn = attach,
			.arg = &arg,
			.keep = d->mount_config.staging,
			.result_size = sizeof(struct mount_outcome),
			.deadline_ms = d->options.mount_timeout_seconds * 1000ULL,
			.waits_for = peer,
			.done = attach_done,
			.gone = step_worker_gone,
			.data = run});
}

static void detach_done(void *data, struct job_end *end)
{
	struct run *run = data;
	struct spec spec = {.role = ROLE_MOUNT, .mount = run->held_mount};

	step_ended(run, end);
	if (!end->error)
		end->error = step_forget(run, &spec, &end->e);
	if (end->error) {
		run_fail(run, "unmount-failed", end->ms, &end->e);
		/* The next rung does not wait. */
		if (run->end_failures == 1)
			run->not_before_ms = 0;
		return;
	}
	run->busy = BUSY_NOT;
	run->rung = *(const char *const *)end->result;
	run->end_failures = 0;
	run_log(run, LOG_LEVEL_INFO, "unmounted", end->ms, NULL);
	run_drop_mount(run);
	run_event(run, EVENT_TAKEN_DOWN);
}

void step_detach(struct run *run, const struct mount *mount, enum detach_how how)
{
	struct daemon *d = run->daemon;
	struct spec spec = {.role = ROLE_MOUNT, .mount = *mount};
	struct detach_arg arg = {.config = &d->mount_config, .mount = &spec.mount, .how = how};
	_cleanup_close_ int unchanged_since = -1;

	arg.known.at = run->mounted_at;
	if (mount->kind == MOUNT_NFS)
		arg.known.server = &spec.mount.server;
	arg.known.port = mount->port;
	if (how == DETACH_CLEAN)
		arg.known.unique_id = mountinfo_only(d->mountinfo, run, &unchanged_since);
	arg.known.unchanged_since = unchanged_since > 0 ? unchanged_since : 0;
	run->in_force = false;
	run_event(run, EVENT_LOST);
	(void)step_start(run, &spec, BUSY_ENDING,
		&(struct job_call){.name = "unmount",
			.fn = detach,
			.arg = &arg,
			.keep = arg.known.unchanged_since,
			.result_size = sizeof(const char *),
			.deadline_ms = how == DETACH_CLEAN ? DETACH_CLEAN_MS : DETACH_CUT_MS,
			.waits_for = mount->volume,
			.done = detach_done,
			.gone = step_worker_gone,
			.data = run});
}
