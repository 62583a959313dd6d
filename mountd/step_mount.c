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
#include "mountd/texts.h"

#define DETACH_CLEAN_MS 3000
#define DETACH_CUT_MS	20000

/* Arguments are all in their bytes, so that a worker that waits can be given them. */
struct attach_arg {
	struct mount_config config;
	struct mount mount;	/* its strings are in texts, in the order of put_mount() */
	struct mount_seen seen; /* at follows the mount's strings; none: not seen */
	struct texts texts;
};

struct detach_arg {
	struct mount_config config;
	struct mount mount;
	struct mount_known known; /* at follows the mount's strings; server is the mount's own */
	enum detach_how how;
	struct texts texts;
};

_Static_assert(sizeof(struct attach_arg) <= JOB_ARG_MAX && sizeof(struct detach_arg) <= JOB_ARG_MAX,
	"arguments have room in an order");

static int put_mount(struct texts *t, const struct mount *m)
{
	int r = texts_put(t, m->volume);

	if (r == 0)
		r = texts_put(t, m->source_volume);
	return r == 0 ? texts_put(t, m->source_folder) : r;
}

static void take_mount(const struct texts *t, size_t *offset, struct mount *m)
{
	m->volume = texts_next(t, offset);
	m->source_volume = texts_next(t, offset);
	m->source_folder = texts_next(t, offset);
}

static int attach(const void *data, void *result, int *ret_fd, struct kerr *e)
{
	const struct attach_arg *arg = data;
	struct mount_seen seen = arg->seen;
	struct mount m = arg->mount;
	size_t offset = 0;

	(void)ret_fd;
	take_mount(&arg->texts, &offset, &m);
	seen.at = texts_next(&arg->texts, &offset);
	return mount_attach(&arg->config, &m, seen.at ? &seen : NULL, result, e);
}

static int detach(const void *data, void *result, int *ret_fd, struct kerr *e)
{
	const struct detach_arg *arg = data;
	struct mount_known known = arg->known;
	struct mount m = arg->mount;
	size_t offset = 0;

	(void)ret_fd;
	take_mount(&arg->texts, &offset, &m);
	known.at = texts_next(&arg->texts, &offset);
	known.server = m.kind == MOUNT_NFS ? &m.server : NULL;
	return mount_detach(&arg->config, m.volume, m.id.run, &known, arg->how, result, e);
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

static int fill_attach(const struct run *run, const struct mount *mount, struct attach_arg *arg)
{
	const struct daemon *d = run->daemon;
	const struct actual_mounts *table = mountinfo_table(d->mountinfo);
	int r;

	arg->config = d->mount_config;
	arg->mount = *mount;
	arg->texts.size = 0;
	r = put_mount(&arg->texts, mount);
	if (!table || !mount_see(table, mount, &arg->seen))
		arg->seen = (struct mount_seen){0};
	return r == 0 ? texts_put(&arg->texts, arg->seen.at) : r;
}

void step_attach(struct run *run, const struct mount *mount)
{
	struct daemon *d = run->daemon;
	struct spec spec = {.role = ROLE_MOUNT, .mount = *mount};
	struct attach_arg arg;
	char peer[64];
	struct kerr e = {0};
	int r;

	run_peer(run, peer, sizeof peer);
	r = fill_attach(run, mount, &arg);
	if (r == 0)
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
			.arg_size = TEXTS_END(arg),
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

/* *fd, where it is opened, is named by arg. */
static int fill_detach(const struct run *run, const struct mount *mount, enum detach_how how,
	struct detach_arg *arg, int *fd)
{
	struct daemon *d = run->daemon;
	int r;

	arg->config = d->mount_config;
	arg->mount = *mount;
	arg->known = (struct mount_known){.port = mount->port};
	arg->how = how;
	arg->texts.size = 0;
	r = put_mount(&arg->texts, mount);
	if (r == 0)
		r = texts_put(&arg->texts, run->mounted_at);
	if (r == 0 && how == DETACH_CLEAN)
		arg->known.unique_id = mountinfo_only(d->mountinfo, run, fd);
	arg->known.unchanged_since = *fd > 0 ? *fd : 0;
	return r;
}

void step_detach(struct run *run, const struct mount *mount, enum detach_how how)
{
	struct spec spec = {.role = ROLE_MOUNT, .mount = *mount};
	_cleanup_close_ int unchanged_since = -1;
	struct detach_arg arg;
	struct kerr e = {0};
	int r = fill_detach(run, mount, how, &arg, &unchanged_since);

	run->in_force = false;
	run_event(run, EVENT_LOST);
	if (r < 0) {
		(void)kerr_set(&e, r, "unmount", mount->volume, NULL);
		run->busy = BUSY_ENDING;
		run_fail(run, "unmount-failed", 0, &e);
		return;
	}
	(void)step_start(run, &spec, BUSY_ENDING,
		&(struct job_call){.name = "unmount",
			.fn = detach,
			.arg = &arg,
			.arg_size = TEXTS_END(arg),
			.keep = arg.known.unchanged_since,
			.result_size = sizeof(const char *),
			.deadline_ms = how == DETACH_CLEAN ? DETACH_CLEAN_MS : DETACH_CUT_MS,
			.waits_for = mount->volume,
			.done = detach_done,
			.gone = step_worker_gone,
			.data = run});
}
