/* SPDX-License-Identifier: Apache-2.0 */
/* The life of the kernel's NFS server: found, started, served, stopped. */
#include "mountd/server_state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "mountd/base/cleanup.h"
#include "mountd/steps.h"

#define INSPECT_MS 20000
#define START_MS   30000
#define STOP_MS	   30000

static void fail(struct server *s, const char *event, const struct kerr *e)
{
	char text[640];

	kerr_format(e, text, sizeof text);
	if (!s->fault || strcmp(s->fault, text) != 0) {
		log_event(LOG_LEVEL_ERROR, event, log_text("errno", strerrorname_np(-e->error)),
			log_text("error", text));
		free(s->fault);
		s->fault = strdup(text);
	}
	s->fault_error = e->error;
	s->not_before_ms =
		loop_clock_ms() +
		reconcile_backoff_ms(e->error == -ENOENT ? -EIO : e->error, ++s->attempts, 0);
}

static void clear_fault(struct server *s)
{
	free(TAKE_PTR(s->fault));
	s->fault_error = 0;
	s->attempts = 0;
	s->not_before_ms = 0;
}

static int inspect(const void *data, void *result, int *ret_fd, struct kerr *e)
{
	(void)ret_fd;
	return server_inspect(data, result, e);
}

static int start(const void *data, void *result, int *ret_fd, struct kerr *e)
{
	(void)result;
	(void)ret_fd;
	return server_start(data, e);
}

static int stop(const void *data, void *result, int *ret_fd, struct kerr *e)
{
	(void)result;
	(void)ret_fd;
	return server_stop(data, e);
}

static bool run_job(struct server *s, const char *name, job_fn *fn, size_t result_size,
	uint64_t deadline_ms, void (*done)(void *, struct job_end *))
{
	struct kerr e = {0};
	int r = job_start(s->daemon->loop,
		&(struct job_call){.name = name,
			.fn = fn,
			.arg = &s->config,
			.result_size = result_size,
			.deadline_ms = deadline_ms,
			.waits_for = "nfsd",
			.done = done,
			.data = s},
		&s->job);

	if (r < 0) {
		(void)kerr_set(&e, r, "start worker", name, NULL);
		fail(s, "server-failed", &e);
		daemon_plan_soon(s->daemon);
	}
	return r == 0;
}

static void look_later(struct server *s)
{
	s->look = true;
	s->look_after_ms = s->not_before_ms;
}

static void call_then(struct server *s)
{
	struct then then[SERVER_THEN_MAX];
	size_t n = s->n_then;

	memcpy(then, s->then, sizeof then);
	s->n_then = 0;
	for (size_t i = 0; i < n; i++)
		then[i].fn(then[i].data);
}

/* Somebody has stopped the server: what was exported waits for its return. */
static void lose(struct server *s)
{
	struct runs *runs = &s->daemon->runs;

	s->serving = false;
	log_event(LOG_LEVEL_WARNING, "server-lost",
		log_text("error", "nfsd no longer runs as we started it"));
	for (size_t i = 0; i < runs->n; i++)
		if (runs->list[i]->role == ROLE_EXPORT && runs->list[i]->state == RUN_READY)
			run_event(runs->list[i], EVENT_LOST);
}

static void inspect_done(void *data, struct job_end *end)
{
	struct server *s = data;

	s->job = NULL;
	if (end->error) {
		fail(s, "server-inspect-failed", &end->e);
		look_later(s);
	} else {
		if (!s->known || s->serving) /* it was of a look */
			clear_fault(s);
		s->known = true;
		s->status = *(const struct server_status *)end->result;
		if (s->serving && s->status.threads == 0)
			lose(s);
	}
	call_then(s);
	daemon_plan_soon(s->daemon);
}

static void look(struct server *s)
{
	server_find_addresses(s);
	s->look = false; /* what happens from here on may be seen by the next one only */
	if (!run_job(s, "inspect", inspect, sizeof(struct server_status), INSPECT_MS, inspect_done))
		look_later(s);
}

/* Taken in before the server ran, and refused by the kernel now. */
static bool refuse_export(struct server *s, const struct kerr *e)
{
	struct run_id id;
	struct run *run;

	if (pseudo_path_parse(e->subject, &id) < 0)
		return false;
	(void)exporter_remove(s->exporter, &id, NULL, NULL);
	run = runs_find(&s->daemon->runs, id.run, ROLE_EXPORT);
	if (run) {
		run_drop_export(run, &id);
		run_fail(run, "export-failed", 0, e);
	}
	return true;
}

/* Each turn leaves one refused export out. */
static int serve_what_can_be(struct server *s, struct kerr *e)
{
	int r;

	while ((r = exporter_serve(s->exporter, e)) > 0)
		if (!refuse_export(s, e))
			return e->error;
	return r;
}

static void begin_serving(struct server *s, uint64_t ms)
{
	struct runs *runs = &s->daemon->runs;
	struct kerr e = {0};

	if (serve_what_can_be(s, &e) < 0) {
		fail(s, "server-failed", &e);
		return;
	}
	s->serving = true;
	s->seen = exporter_sees_server(s->exporter);
	clear_fault(s);
	log_event(LOG_LEVEL_INFO, "serving", log_number("port", s->config.port),
		log_number("addresses", s->config.n_listen), log_number("ms", ms),
		log_text("rung", exporter_cache_rung(s->exporter)));
	for (size_t i = 0; i < runs->n; i++)
		if (runs->list[i]->role == ROLE_EXPORT)
			step_settle_export(runs->list[i]);
	s->look = true; /* for the status */
}

static void start_done(void *data, struct job_end *end)
{
	struct server *s = data;

	s->job = NULL;
	if (end->error)
		fail(s, "server-failed", &end->e);
	else
		begin_serving(s, end->ms);
	daemon_plan_soon(s->daemon);
}

static void stop_done(void *data, struct job_end *end)
{
	struct server *s = data;

	s->job = NULL;
	if (end->error) {
		fail(s, "server-stop-failed", &end->e);
		/* A foreign server's threads go on, and are none of ours. */
		if (end->error == -EEXIST)
			s->status.state = SERVER_FOREIGN;
	} else {
		s->status.state = SERVER_STOPPED;
		s->status.threads = 0;
		clear_fault(s);
		log_event(LOG_LEVEL_INFO, "server-stopped", log_number("ms", end->ms));
	}
	s->serving = false;
	s->look = true;
	daemon_plan_soon(s->daemon);
}

/*
 * The exporter comes before the threads: the kernel asks it for known clients during the start.
 * Serving forgets what a former daemon answered, so everything is added before.
 */
static void begin(struct server *s)
{
	struct exporter *x;
	struct kerr e = {0};

	server_find_addresses(s);
	if (server_exporter(s, &x, &e) < 0) {
		fail(s, "server-failed", &e);
		return;
	}
	exporter_pause(x);
	(void)run_job(s, "start nfsd", start, 0, START_MS, start_done);
}

static void end(struct server *s)
{
	if (s->exporter)
		exporter_pause(s->exporter);
	(void)run_job(s, "stop nfsd", stop, 0, STOP_MS, stop_done);
}

void server_plan(struct server *s, bool wanted, bool settled, bool idle)
{
	bool runs = s->status.state == SERVER_OURS;

	/* Of what is no longer attempted. A server that is left over is to be served, or stopped.
	 */
	if (!wanted && !runs && !s->look)
		clear_fault(s);
	if (s->job)
		return;
	if (s->look && loop_clock_ms() >= s->look_after_ms) {
		look(s);
		return;
	}
	if (loop_clock_ms() < s->not_before_ms || !s->known)
		return;
	if (idle && runs)
		end(s);
	else if ((wanted || runs) && !idle && !s->serving && settled)
		begin(s);
}

int server_new(struct daemon *d, struct server **ret)
{
	const struct options *o = &d->options;
	struct server *s = calloc(1, sizeof *s);
	int r;

	if (!s)
		return -ENOMEM;
	s->daemon = d;
	s->look = true;
	s->config = (struct exporter_config){
		.listen = s->listen,
		.port = o->port,
		.threads = o->threads,
		.lease_seconds = o->lease_seconds,
		.grace_seconds = o->grace_seconds,
		.state_dir = o->state_dir,
		.runtime_dir = o->runtime_dir,
		.server_scope = o->node_name,
		.masked_rungs = o->masked_export_rungs,
	};
	r = loop_timer_new(d->loop, server_hear_again, s, &s->pause);
	if (r < 0) {
		free(s);
		return r;
	}
	*ret = s;
	return 0;
}

void server_free(struct server *s)
{
	if (!s)
		return;
	loop_poll_free(s->poll);
	loop_timer_free(s->pause);
	exporter_free(s->exporter);
	free(s->fault);
	free(s);
}
