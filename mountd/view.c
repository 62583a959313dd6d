/* SPDX-License-Identifier: Apache-2.0 */
/* A run as the planner sees it: what it is, and what is known of its server. */
#include "mountd/view.h"

#include "mountd/prober.h"
#include "mountd/server.h"

bool former_answers(const struct daemon *d)
{
	const struct server_status *status = server_status(d->server);

	return status->state == SERVER_OURS && status->threads > 0 && !server_is_serving(d->server);
}

static struct reconcile_view mount_view(
	const struct daemon *d, const struct run *run, const struct mount *m)
{
	uint64_t lost_ms = prober_lost_ms(d->prober, &m->server, m->port);
	struct reconcile_view view = run_view(run,
		suspects_have(&d->suspects, &m->server) ||
			prober_is_silent(d->prober, &m->server, m->port),
		lost_ms > 0);

	if (view.lost && run->holds_mount && loop_clock_ms() < lost_ms + ATTEMPTS_END_MS &&
		prober_is_attempted(d->prober, &m->server, m->port))
		view.cut_not_before_ms = lost_ms + ATTEMPTS_END_MS;
	return view;
}

struct reconcile_view view_of(const struct daemon *d, const struct run *run)
{
	const struct mount *m = run->possible ? &run->want.mount : &run->held_mount;

	if (run->role == ROLE_EXPORT) {
		struct reconcile_view view = run_view(run, false, false);

		view.former_answers = former_answers(d);
		return view;
	}
	if ((!run->possible && !run->holds_mount) || m->kind != MOUNT_NFS)
		return run_view(run, false, false);
	return mount_view(d, run, m);
}
