/* SPDX-License-Identifier: Apache-2.0 */
/* Asks the servers of this node's mounts whether they still answer; one breaker per server. */
#include "mountd/prober.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mountd/mount_watch.h"
#include "mountd/mountinfo.h"
#include "mountd/prober_state.h"
#include "mountd/steps.h"
#include "mountd/tombstone_job.h"
#include "nfs/client_ending.h"
#include "nfs/client_lease.h"
#include "nfs/client_state.h"
#include "nfs/mount.h"
#include "nfs/probe.h"

#define PROBE_TIMEOUT_MS 3000 /* for the connection, and again for the answer */
#define PROBE_JOB_MS	 8000
#define EVERY_ANSWERS_MS 10000 /* while it answers, at most; or a third of --lost-after */
#define EVERY_SILENT_MS	 2000

struct probe_arg {
	struct addr server;
	uint16_t port;
};

static void plan_next(struct peer *peer)
{
	uint64_t answers = peer->prober->daemon->options.lost_after_seconds * 1000ULL / 3;

	if (answers > EVERY_ANSWERS_MS)
		answers = EVERY_ANSWERS_MS;
	loop_timer_set(peer->timer, peer->answer == ANSWERS ? answers : EVERY_SILENT_MS);
}

const char *peer_text(const struct peer *peer, char *text, size_t size)
{
	char addr[ADDR_TEXT_SIZE];
	bool v6 = peer->server.family == AF_INET6;

	addr_format(&peer->server, addr);
	(void)snprintf(text, size, "%s%s%s:%u", v6 ? "[" : "", addr, v6 ? "]" : "", peer->port);
	return text;
}

static void format_begin(uint64_t silent_ms, char text[32])
{
	time_t begin = time(NULL) - (time_t)(silent_ms / 1000);
	struct tm tm;

	(void)strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&begin, &tm));
}

/* A run stays in force, but whoever uses it waits: told until the server answers or is lost. */
static void tell_waiting(struct peer *peer, const char *fault)
{
	const struct runs *runs = &peer->prober->daemon->runs;

	for (size_t i = 0; i < runs->n; i++) {
		struct run *run = runs->list[i];

		if (run->role != ROLE_MOUNT || run->state != RUN_READY ||
			!peer_serves(peer, &run->held_mount))
			continue;
		if (fault)
			(void)run_set_fault(run, -ETIMEDOUT, fault);
		else
			run_clear_fault(run);
	}
}

static void silence(struct peer *peer, uint64_t silent_ms, const struct kerr *e)
{
	char text[64], error[640], since[32], fault[320];

	peer->answer = SILENT;
	kerr_format(e, error, sizeof error);
	log_event(LOG_LEVEL_WARNING, "server-silent",
		log_text("peer", peer_text(peer, text, sizeof text)), log_text("error", error));
	format_begin(silent_ms, since);
	(void)snprintf(fault, sizeof fault,
		"server %s silent since %s: its mounts hang, and are cut off after %u s", text,
		since, peer->prober->daemon->options.lost_after_seconds);
	tell_waiting(peer, fault);
}

/* Every run on a lost server says so until it is mounted again. */
static void tell_runs(struct peer *peer, const char *why)
{
	struct daemon *d = peer->prober->daemon;
	char text[64];

	(void)peer_text(peer, text, sizeof text);
	for (size_t i = 0; i < d->runs.n; i++) {
		struct run *run = d->runs.list[i];
		char fault[320];

		if (run->role != ROLE_MOUNT || !run->possible ||
			!peer_serves(peer, &run->want.mount))
			continue;
		(void)snprintf(fault, sizeof fault, "%sserver %s %s",
			prober_is_perhaps_shown(run) ? "cut off: " : "", text, why);
		run->in_force = false;
		run_event(run, EVENT_LOST);
		run_event(run, EVENT_FAIL);
		(void)run_set_fault(run, -EHOSTUNREACH, fault);
	}
}

/*
 * For as long as anything of the lost server is in this kernel: somebody may wait for an answer,
 * also on what was replaced or released and shows no more. An attempt makes more of it.
 */
static void cut_off_rest(struct peer *peer)
{
	struct daemon *d = peer->prober->daemon;
	bool shutdown = prober_has_shutdown(peer->prober);
	bool needed = (!shutdown && client_state_holds(&peer->server, peer->port) != 0) ||
		      client_ending_gives_back_session(&peer->server, peer->port);

	if (peer->tombstone && (!needed || !tombstone_job_runs(peer->tombstone)))
		tombstone_job_stop(&peer->tombstone);
	if (needed && !peer->tombstone)
		tombstone_job_start(d, &peer->server, peer->port, &peer->tombstone);
	if (shutdown && (!peer->attempted || loop_clock_ms() >= peer->lost_ms + ATTEMPTS_END_MS)) {
		(void)client_state_shut_down(&peer->server, peer->port);
		(void)client_ending_shut_down(&peer->server, peer->port);
	}
}

static void lose(struct peer *peer, uint64_t silent_ms, const char *why, const struct kerr *e)
{
	struct daemon *d = peer->prober->daemon;
	char text[64], error[640];

	peer->answer = LOST;
	peer->lost_ms = loop_clock_ms();
	kerr_format(e, error, sizeof error);
	log_event(LOG_LEVEL_ERROR, "server-lost",
		log_text("peer", peer_text(peer, text, sizeof text)),
		log_number("silent_ms", silent_ms), log_text("error", error),
		log_text("next", "its mounts are cut off, and made anew when it answers"));
	cut_off_rest(peer);
	tell_runs(peer, why);
	daemon_plan_soon(d);
}

static void lose_silent(struct peer *peer, uint64_t silent_ms, const struct kerr *e)
{
	char why[96], since[32];

	format_begin(silent_ms, since);
	(void)snprintf(why, sizeof why, "unreachable since %s; mounted when it answers", since);
	lose(peer, silent_ms, why, e);
}

static void answered(struct peer *peer)
{
	struct daemon *d = peer->prober->daemon;
	bool was_lost = peer->answer == LOST;
	char text[64];

	peer_heard(peer, loop_clock_ms());
	if (peer->answer == ANSWERS)
		return;
	log_event(LOG_LEVEL_INFO, was_lost ? "server-back" : "server-answers",
		log_text("peer", peer_text(peer, text, sizeof text)));
	tombstone_job_stop(&peer->tombstone);
	peer->answer = ANSWERS;
	tell_waiting(peer, NULL);
	if (!was_lost)
		return;
	for (size_t i = 0; i < d->runs.n; i++)
		if (d->runs.list[i]->role == ROLE_MOUNT && d->runs.list[i]->possible &&
			peer_serves(peer, &d->runs.list[i]->want.mount))
			d->runs.list[i]->not_before_ms = 0;
	daemon_plan_soon(d);
}

static void unanswered(struct peer *peer, const struct kerr *e)
{
	struct daemon *d = peer->prober->daemon;
	uint64_t silent_ms = loop_clock_ms() - peer->answered_ms;

	if (peer->answer == ANSWERS)
		silence(peer, silent_ms, e);
	else if (peer->answer == SILENT && silent_ms >= d->options.lost_after_seconds * 1000ULL)
		lose_silent(peer, silent_ms, e);
	if (peer->answer == LOST)
		cut_off_rest(peer);
}

static int probe(const void *data, void *result, int *ret_fd, struct kerr *e)
{
	const struct probe_arg *arg = data;
	struct client_lease *lease = result;
	int r = probe_server(&arg->server, arg->port, PROBE_TIMEOUT_MS, e);

	(void)ret_fd;
	if (r == 0)
		*lease = client_lease_read(&arg->server, arg->port);
	return r;
}

static void start_anew(struct peer *peer, const struct client_lease *lease)
{
	struct kerr e;

	(void)kerr_set(&e, -ETIMEDOUT, "renew lease", NULL,
		"it answers, but this node's kernel has not renewed its lease, which ended %u s "
		"ago; is kora-sandbox-mount running there, and does no firewall drop what comes "
		"from ports below 1024?",
		lease->over_s);
	lose(peer, 0, "answers, but not this node's kernel; mounted anew", &e);
}

/*
 * What this node lacks says nothing of the server. -EADDRNOTAVAIL: a free port; -EIO: the worker
 * has ended without a word.
 */
static bool is_own_fault(int error)
{
	return error == -EMFILE || error == -ENFILE || error == -ENOMEM || error == -ENOBUFS ||
	       error == -EADDRNOTAVAIL || error == -EIO;
}

/* Time in which it could not be asked is no silence of the server's. */
static void not_asked(struct peer *peer)
{
	uint64_t now = loop_clock_ms();

	if (peer->answer != LOST)
		peer->answered_ms += now - peer->asked_ms;
	peer->asked_ms = now;
}

/* What a silent server serves is not looked at: who looks would wait with all others. */
static void look_at_mounts(struct peer *peer)
{
	if (!peer->mounts)
		peer->mounts = mount_watch_new(peer->prober->daemon, &peer->server, peer->port);
	mount_watch_answered(peer->mounts);
}

static void probe_done(void *data, struct job_end *end)
{
	struct peer *peer = data;
	const struct client_lease *lease = end->result;

	peer->probe = NULL;
	if (!end->error)
		answered(peer);
	else if (is_own_fault(end->error))
		not_asked(peer);
	else
		unanswered(peer, &end->e);
	if (!end->error && peer_is_stuck(peer, lease, loop_clock_ms()))
		start_anew(peer, lease);
	if (!end->error && peer->answer == ANSWERS)
		look_at_mounts(peer);
	peer->asked_ms = loop_clock_ms();
	plan_next(peer);
	mountinfo_check_soon(peer->prober->daemon->mountinfo);
	if (!peer->used)
		daemon_plan_soon(peer->prober->daemon); /* dropped once nothing holds it */
}

static void on_timer(void *data)
{
	struct peer *peer = data;
	struct probe_arg arg = {peer->server, peer->port};

	if (peer->probe)
		return;
	if (job_start(peer->prober->daemon->loop,
		    &(struct job_call){.name = "probe",
			    .fn = probe,
			    .arg = &arg,
			    .arg_size = sizeof arg,
			    .result_size = sizeof(struct client_lease),
			    .deadline_ms = PROBE_JOB_MS,
			    .done = probe_done,
			    .data = peer},
		    &peer->probe) == 0)
		return;
	not_asked(peer);
	plan_next(peer);
}

void peer_free(struct peer *peer)
{
	if (peer->probe)
		job_cancel(peer->probe);
	tombstone_job_stop(&peer->tombstone);
	mount_watch_free(peer->mounts);
	loop_timer_free(peer->timer);
	free(peer);
}

struct peer *peer_add(struct prober *p, const struct mount *m)
{
	struct peer **list = realloc(p->list, (p->n + 1) * sizeof *list);
	struct peer *peer = list ? calloc(1, sizeof *peer) : NULL;

	if (list)
		p->list = list;
	if (!peer || loop_timer_new(p->daemon->loop, on_timer, peer, &peer->timer) < 0) {
		free(peer);
		return NULL;
	}
	peer->prober = p;
	peer->server = m->server;
	peer->port = m->port;
	peer->answers_ms = loop_clock_ms();
	peer_heard(peer, peer->answers_ms);
	p->list[p->n++] = peer;
	plan_next(peer);
	return peer;
}

void prober_answered(struct prober *p, const struct addr *server, uint16_t port)
{
	struct peer *peer = prober_find(p, server, port);

	if (peer)
		answered(peer);
}

void prober_tell_silent(const struct prober *p, prober_tell *tell, void *data)
{
	char text[ADDR_TEXT_SIZE + 16];

	for (size_t i = 0; p && i < p->n; i++) {
		const struct peer *peer = p->list[i];

		if (peer->answer != ANSWERS)
			tell(data, peer_text(peer, text, sizeof text),
				loop_clock_ms() - peer->answered_ms, peer->answer == LOST);
	}
}

int prober_new(struct daemon *d, struct prober **ret)
{
	struct prober *p = calloc(1, sizeof *p);
	struct kerr e = {0};
	char text[640];

	if (!p)
		return -ENOMEM;
	p->daemon = d;
	if (tombstone_sweep(&e) < 0) {
		kerr_format(&e, text, sizeof text);
		log_event(LOG_LEVEL_WARNING, "sweep-failed", log_text("error", text));
	}
	*ret = p;
	return 0;
}

void prober_free(struct prober *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->n; i++)
		peer_free(p->list[i]);
	free(p->list);
	free(p);
}
