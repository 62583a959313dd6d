/* SPDX-License-Identifier: Apache-2.0 */
/* Requests that wait: has it come true, can it still, and what to say when time is over. */
#include <errno.h>

#include "mountd/control.h"
#include "mountd/control_items.h"
#include "mountd/server.h"

/* Failures that another attempt will not mend unless somebody changes something. */
static bool is_lasting(int error)
{
	switch (-error) {
	case ELOOP:
	case ENOTDIR:
	case EXDEV:
	case EOPNOTSUPP:
	case EINVAL:
	case ENODEV:
	case ENOKEY:
	case ENXIO:
	case EEXIST:
	case EPERM:
	case EROFS:
		return true;
	default:
		return false;
	}
}

static const struct run *awaited_run(struct peer *p)
{
	const struct spec *spec = &peer_waiting(p)->spec;

	return runs_find(&peer_daemon(p)->runs, spec_id(spec)->run, spec->role);
}

static void check_ready(struct peer *p)
{
	const struct run *run = awaited_run(p);
	const char *fault;
	int error;

	if (!run || !run->wished || !spec_equal(&run->wish, &peer_waiting(p)->spec)) {
		peer_refuse(p, "failed", "run", "another wish for this run has taken its place");
		return;
	}
	if (run->state == RUN_READY) {
		peer_answer(p, json_pack("{s:b, s:s}", "ok", 1, "state", "ready"));
		return;
	}
	fault = item_fault(run, &error);
	if (fault && is_lasting(error))
		peer_refuse(p, error == -ENODEV ? "module-missing" : "failed", NULL, "%s", fault);
}

static bool is_gone(struct peer *p)
{
	const struct runs *runs = &peer_daemon(p)->runs;

	return !runs_find(runs, peer_waiting(p)->run, ROLE_EXPORT) &&
	       !runs_find(runs, peer_waiting(p)->run, ROLE_MOUNT);
}

static bool is_drained(const struct daemon *d)
{
	return d->drained && d->runs.n == 0 && server_is_stopped(d->server);
}

void verbs_check(struct peer *p)
{
	switch (peer_waiting(p)->what) {
	case AWAIT_READY:
		check_ready(p);
		break;
	case AWAIT_GONE:
		if (is_gone(p))
			peer_answer(p, json_pack("{s:b}", "ok", 1));
		break;
	case AWAIT_DRAINED:
		if (is_drained(peer_daemon(p)))
			peer_answer(p, json_pack("{s:b}", "ok", 1));
		else if (!peer_daemon(p)->drained)
			peer_refuse(p, "failed", NULL, "the node was resumed meanwhile");
		break;
	case AWAIT_CHANGE:
		if (peer_waiting(p)->since != runs_serial())
			verbs_tell_runs(p);
		break;
	case AWAIT_NOTHING:
	case AWAIT_STATUS:
		break;
	}
}

static void ready_timeout(struct peer *p)
{
	const struct run *run = awaited_run(p);
	int error;
	const char *fault = run ? item_fault(run, &error) : NULL;

	peer_refuse(p, "timeout", NULL, "still %s%s%s",
		run ? run_state_name(run->state) : "unknown", fault ? ": " : "",
		fault ? fault : "");
}

static void gone_timeout(struct peer *p)
{
	const struct runs *runs = &peer_daemon(p)->runs;
	const char *name = peer_waiting(p)->run;
	const struct run *run = runs_find(runs, name, ROLE_MOUNT);

	if (!run)
		run = runs_find(runs, name, ROLE_EXPORT);
	peer_refuse(p, "timeout", NULL, "the %s is still being taken down%s%s",
		run ? run_role_name(run) : "run", run && run->fault ? ": " : "",
		run && run->fault ? run->fault : "");
}

static void drain_timeout(struct peer *p)
{
	const struct daemon *d = peer_daemon(p);
	const char *fault = server_fault(d->server, NULL);

	peer_refuse(p, "timeout", NULL, "%zu exports and mounts are left%s%s", d->runs.n,
		fault ? ": " : "", fault ? fault : "");
}

void verbs_timeout(struct peer *p)
{
	switch (peer_waiting(p)->what) {
	case AWAIT_READY:
		ready_timeout(p);
		break;
	case AWAIT_GONE:
		gone_timeout(p);
		break;
	case AWAIT_DRAINED:
		drain_timeout(p);
		break;
	case AWAIT_CHANGE:
		verbs_tell_runs(p);
		break;
	case AWAIT_STATUS:
		peer_answer(p, status_of(peer_daemon(p)));
		break;
	case AWAIT_NOTHING:
		break;
	}
}
