/* SPDX-License-Identifier: Apache-2.0 */
/* What all steps share: the worker of a run, and how a failure is told. */
#include "mountd/steps.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>

#include "mountd/attached.h"

static unsigned random_number(void)
{
	unsigned number;

	/* Only spreads attempts: any number will do. */
	return getrandom(&number, sizeof number, GRND_NONBLOCK) == sizeof number ? number : 0;
}

void run_log(const struct run *run, enum log_level level, const char *event, uint64_t ms,
	const struct kerr *e)
{
	char peer[256], path[PATH_MAX], text[640] = "";
	const char *number = e ? strerrorname_np(-e->error) : NULL;

	run_peer(run, peer, sizeof peer);
	run_place(run, path, sizeof path);
	if (e)
		kerr_format(e, text, sizeof text);
	log_event(level, event, log_text("run", run->name), log_text("role", run_role_name(run)),
		log_text("incarnation", run_id_of(run)->incarnation), log_text("peer", peer),
		log_text("path", path), log_number("ms", ms),
		log_text("rung", e ? NULL : run->rung), log_text("errno", number),
		log_text("error", text));
}

static bool is_nothing_there(int error)
{
	return error == -ENOENT || error == -ESTALE || error == -EACCES || error == -EPERM;
}

void run_fail(struct run *run, const char *event, uint64_t ms, const struct kerr *e)
{
	bool ends = run->busy == BUSY_ENDING;
	unsigned n = ends ? ++run->end_failures : ++run->attempts;
	int error = e->error;
	char text[640];

	kerr_format(e, text, sizeof text);
	if (run->gone && is_nothing_there(e->error))
		error = run->fault_error;
	else if (run_set_fault(run, e->error, text))
		run_log(run, LOG_LEVEL_WARNING, event, ms, e);
	run->not_before_ms = loop_clock_ms() + reconcile_backoff_ms(error, n, random_number());
	run->busy = BUSY_NOT;
	run_event(run, EVENT_FAIL);
	daemon_plan_soon(run->daemon);
}

void run_gone(struct run *run, const char *event, const struct kerr *e)
{
	run->in_force = false;
	run_event(run, EVENT_LOST);
	run_fail(run, event, 0, e);
	run->gone = true;
}

/* call: NULL where no worker is needed. What it borrows may be part of what was tried before. */
static bool begin(
	struct run *run, const struct spec *trying, enum busy busy, const struct job_call *call)
{
	struct spec copy = {0};
	int r = spec_copy(trying, &copy);

	run->busy = busy;
	run_event(run, EVENT_START);
	if (r == 0 && call)
		r = job_start(run->daemon->loop, call, &run->job);
	if (r < 0) {
		struct kerr e = {0};

		spec_clear(&copy);
		(void)kerr_set(&e, r, "start worker", NULL, NULL);
		run_fail(run, "worker-failed", 0, &e);
		return false;
	}
	spec_clear(&run->trying);
	run->trying = copy;
	return true;
}

bool step_start(
	struct run *run, const struct spec *trying, enum busy busy, const struct job_call *call)
{
	return begin(run, trying, busy, call);
}

bool step_start_alone(struct run *run, const struct spec *trying, enum busy busy)
{
	return begin(run, trying, busy, NULL);
}

void step_ended(struct run *run, const struct job_end *end)
{
	run->job = NULL;
	if (end->stuck)
		run->stuck++;
	daemon_plan_soon(run->daemon);
}

void step_worker_gone(void *data)
{
	struct run *run = data;

	run->stuck--;
	daemon_plan_soon(run->daemon);
}

int step_forget(const struct run *run, const struct spec *undone, struct kerr *e)
{
	int r = attached_remove(run->daemon->preflight.attached, undone);

	return r < 0 ? kerr_set(e, r, "remove record of", spec_id(undone)->run, NULL) : 0;
}

void step_cancel(struct run *run)
{
	job_cancel(run->job);
	run->job = NULL;
	run->stuck++; /* until step_worker_gone() */
	run->busy = BUSY_NOT;
	daemon_plan_soon(run->daemon);
}
