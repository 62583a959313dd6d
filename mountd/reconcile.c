/* SPDX-License-Identifier: Apache-2.0 */
/* The planner: what is wished for, what is there, and the time give the next step. Pure. */
#include "mountd/reconcile.h"

#include <errno.h>
#include <string.h>

static const struct mount *subject_mount(const struct reconcile_view *v)
{
	if (v->trying)
		return &v->trying->mount;
	return v->want ? &v->want->mount : v->held_mount;
}

static unsigned *server_count(struct reconcile_slots *s, const struct addr *server)
{
	for (size_t i = 0; i < s->n_servers; i++)
		if (addr_equal(&s->servers[i].server, server))
			return &s->servers[i].n;
	if (s->n_servers == SLOTS_MOUNT)
		return NULL;
	s->servers[s->n_servers].server = *server;
	s->servers[s->n_servers].n = 0;
	return &s->servers[s->n_servers++].n;
}

static bool take(unsigned *used, unsigned limit)
{
	if (*used >= limit)
		return false;
	++*used;
	return true;
}

static bool take_mount(struct reconcile_slots *s, const struct mount *m, bool suspect)
{
	unsigned *server;

	if (s->mounts >= SLOTS_MOUNT)
		return false;
	if (m->kind == MOUNT_NFS) {
		if (suspect && s->suspects >= SLOTS_SUSPECT)
			return false;
		server = server_count(s, &m->server);
		if (!server || !take(server, suspect ? SLOTS_SUSPECT_SERVER : SLOTS_SERVER))
			return false;
		s->suspects += suspect;
	}
	s->mounts++;
	return true;
}

void reconcile_occupy(struct reconcile_slots *s, const struct reconcile_view *v)
{
	if (v->busy == BUSY_ENDING) {
		s->ends++;
	} else if (v->busy == BUSY_BUILDING && v->role == ROLE_EXPORT) {
		s->exports++;
	} else if (v->busy == BUSY_BUILDING) {
		const struct mount *m = subject_mount(v);
		unsigned *server = m->kind == MOUNT_NFS ? server_count(s, &m->server) : NULL;

		s->mounts++;
		if (server) {
			++*server;
			s->suspects += v->suspect;
		}
	}
}

static struct step none(void)
{
	return (struct step){.kind = STEP_NONE};
}

static bool is_early(const struct reconcile_view *v, uint64_t now_ms, struct step *ret)
{
	if (now_ms >= v->not_before_ms)
		return false;
	*ret = (struct step){.kind = STEP_WAIT, .until_ms = v->not_before_ms};
	return true;
}

static struct step forget(const struct reconcile_view *v)
{
	return (struct step){.kind = v->wished || v->stuck ? STEP_NONE : STEP_FORGET};
}

#define NARROW_ATTEMPTS 3

/* Another folder under the same identity: clients' handles must not survive the change. */
static bool is_moved(const struct export *held, const struct export *want)
{
	return run_id_equal(&held->id, &want->id) &&
	       (strcmp(held->volume, want->volume) != 0 || strcmp(held->folder, want->folder) != 0);
}

/* One of the same identity that has to end before the wish can be tried. */
static bool is_in_the_way(const struct held_export *held, const struct export *want)
{
	return is_moved(&held->export, want) ||
	       (held->remade && run_id_equal(&held->export.id, &want->id));
}

static struct step end_export(const struct reconcile_view *v, struct reconcile_slots *slots,
	uint64_t now_ms, const struct held_export *held)
{
	struct step wait;

	/* Taken in or not, clients could take new hold of it, until ours are the answers. */
	if (v->former_answers && !(v->want && is_in_the_way(held, &v->want->export)))
		return (struct step){.kind = STEP_WITHHELD, .export = &held->export};
	if (is_early(v, now_ms, &wait))
		return wait;
	if (now_ms < held->revoke_not_before_ms)
		return (struct step){.kind = STEP_WAIT, .until_ms = held->revoke_not_before_ms};
	if (!take(&slots->ends, SLOTS_END))
		return none();
	return (struct step){.kind = STEP_END_EXPORT, .export = &held->export};
}

/*
 * A new wish is tried beside one worker that is stuck with the old one: a replaced sandbox must
 * not wait for its predecessor's dead node. More than that would pile up.
 */
static bool is_held_up(const struct reconcile_view *v)
{
	return v->stuck > (v->attempts ? 0U : 1U);
}

static const struct held_export *find_moved(
	const struct reconcile_view *v, const struct export *want)
{
	for (size_t i = 0; i < v->n_held; i++)
		if (is_in_the_way(&v->held[i], want))
			return &v->held[i];
	return NULL;
}

/* But for want, or NULL: one that is yet to be revoked, or one of which only the record is left. */
static const struct held_export *find_ending(
	const struct reconcile_view *v, const struct export *want, bool revoked)
{
	for (size_t i = 0; i < v->n_held; i++)
		if (!(want && run_id_equal(&v->held[i].export.id, &want->id)) &&
			(v->held[i].revoked != NULL) == revoked)
			return &v->held[i];
	return NULL;
}

static bool is_narrowed(const struct export *held, const struct export *want)
{
	for (size_t i = 0; i < held->n_clients; i++)
		if (!export_lists_client(want, &held->clients[i]))
			return true;
	return false;
}

/* Whom the wish no longer lists must not be served for as long as the wish fails. */
static const struct held_export *find_too_wide(
	const struct reconcile_view *v, const struct export *want)
{
	if (v->former_answers || v->attempts < NARROW_ATTEMPTS)
		return NULL;
	for (size_t i = 0; i < v->n_held; i++)
		if (!v->held[i].revoked && is_narrowed(&v->held[i].export, want))
			return &v->held[i];
	return NULL;
}

static bool is_served(const struct reconcile_view *v, const struct export *want)
{
	for (size_t i = 0; i < v->n_held; i++)
		if (v->held[i].served && !v->held[i].quiesced && !v->held[i].remade &&
			export_equal(&v->held[i].export, want))
			return true;
	return false;
}

static struct step drop(
	const struct reconcile_view *v, struct reconcile_slots *slots, uint64_t now_ms)
{
	const struct held_export *held = NULL;
	struct step wait;

	for (size_t i = 0; i < v->n_held; i++)
		if (v->held[i].n_dropped && !v->held[i].revoked)
			held = &v->held[i];
	/* Until ours are the answers, they could take new hold of it. */
	if (!held || v->former_answers)
		return none();
	if (is_early(v, now_ms, &wait))
		return wait;
	if (!take(&slots->ends, SLOTS_END))
		return none();
	return (struct step){.kind = STEP_DROP, .export = &held->export};
}

/* All that is wished for is served. A record that does not go comes last: it keeps nobody on. */
static struct step plan_rest(const struct reconcile_view *v, struct reconcile_slots *slots,
	uint64_t now_ms, const struct export *want)
{
	const struct held_export *other = find_ending(v, want, true);
	struct step step = drop(v, slots, now_ms);

	return step.kind == STEP_NONE && other && !v->former_answers
		       ? end_export(v, slots, now_ms, other)
		       : step;
}

static struct step plan_export(
	const struct reconcile_view *v, struct reconcile_slots *slots, uint64_t now_ms)
{
	const struct export *want = v->want ? &v->want->export : NULL;
	const struct held_export *other;
	struct step wait;
	bool served;

	if (!want) {
		other = find_ending(v, NULL, false);
		if (!other)
			other = find_ending(v, NULL, true);
		return other ? end_export(v, slots, now_ms, other) : forget(v);
	}
	other = find_moved(v, want);
	if (other)
		return end_export(v, slots, now_ms, other);
	/* The new one first; but one that fails does not keep the old one alive. */
	served = is_served(v, want);
	other = find_ending(v, want, false);
	if (other && (served || v->attempts) && !v->former_answers)
		return end_export(v, slots, now_ms, other);
	if (served)
		return plan_rest(v, slots, now_ms, want);
	other = find_too_wide(v, want);
	if (other)
		return end_export(v, slots, now_ms, other);
	if (is_held_up(v))
		return none();
	if (is_early(v, now_ms, &wait))
		return wait;
	if (!take(&slots->exports, SLOTS_EXPORT))
		return none();
	return (struct step){.kind = STEP_ADD_EXPORT, .export = want};
}

static struct step detach(
	const struct reconcile_view *v, struct reconcile_slots *slots, uint64_t now_ms)
{
	struct step wait;

	/* One stuck worker does not keep the next rung from its turn; a second one does. */
	if (v->stuck > 1)
		return none();
	if (is_early(v, now_ms, &wait))
		return wait;
	if (!take(&slots->ends, SLOTS_END))
		return none();
	return (struct step){
		.kind = STEP_DETACH,
		.mount = v->held_mount,
		.how = v->suspect || v->lost || v->end_failures ? DETACH_CUT : DETACH_CLEAN,
	};
}

static struct step plan_mount(
	const struct reconcile_view *v, struct reconcile_slots *slots, uint64_t now_ms)
{
	const struct mount *want = v->want ? &v->want->mount : NULL;
	struct step wait;

	/* An attempt keeps the kernel's client of that server alive, and its calls waiting. */
	if (v->lost && now_ms < v->cut_not_before_ms)
		return (struct step){.kind = STEP_WAIT, .until_ms = v->cut_not_before_ms};
	if (v->held_mount && (!want || v->lost || strcmp(v->held_mount->volume, want->volume) != 0))
		return detach(v, slots, now_ms);
	if (!want)
		return forget(v);
	if (v->lost)
		return none();
	if (is_held_up(v) || (v->in_force && v->held_mount && mount_equal(v->held_mount, want)))
		return none();
	if (is_early(v, now_ms, &wait))
		return wait;
	if (!take_mount(slots, want, v->suspect))
		return none();
	return (struct step){.kind = STEP_ATTACH, .mount = want};
}

struct step reconcile(
	const struct reconcile_view *v, struct reconcile_slots *slots, uint64_t now_ms)
{
	/* An attempt that runs while its server's mounts are cut off is cut off with them. */
	if (v->busy == BUSY_BUILDING && (v->lost || !(v->want && spec_equal(v->want, v->trying))))
		return (struct step){.kind = STEP_CANCEL};
	if (v->busy != BUSY_NOT)
		return none();
	return v->role == ROLE_EXPORT ? plan_export(v, slots, now_ms)
				      : plan_mount(v, slots, now_ms);
}

uint64_t reconcile_backoff_ms(int error, unsigned n, unsigned random)
{
	/* Not exported yet is the normal order of events: the other node is only a moment late. */
	bool early = error == -ENOENT || error == -EACCES || error == -ECONNREFUSED;
	uint64_t wait = early ? 20 : 500;
	uint64_t most = early ? 2000 : 15000;

	while (--n && wait < most)
		wait *= 2;
	if (wait > most)
		wait = most;
	return wait - wait / 4 + random % (wait / 2 + 1);
}
