/* SPDX-License-Identifier: Apache-2.0 */
/* A tombstone in a worker of its own. */
#include "mountd/tombstone_job.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

#include "mountd/base/cleanup.h"
#include "mountd/daemon.h"

/* A worker that nobody ends is a leak; a day is longer than any client waits. */
#define LONGEST_MS (24ULL * 3600 * 1000)

struct tombstone_job {
	struct addr server;
	uint16_t port;
	struct job *job; /* NULL: it has ended by itself */
	int stop;	 /* the write end: closed, it tells the worker to end */
};

struct tombstone_arg {
	struct addr server;
	uint16_t port;
	int stop;
};

static void log_failure(const struct tombstone_job *t, const struct kerr *e)
{
	char text[640], addr[ADDR_TEXT_SIZE];

	kerr_format(e, text, sizeof text);
	addr_format(&t->server, addr);
	log_event(LOG_LEVEL_ERROR, "tombstone-failed", log_text("peer", addr),
		log_text("error", text),
		log_text("next", "processes on its mounts wait until it answers, or are killed"));
}

static int answer(const void *data, void *result, int *ret_fd, struct kerr *e)
{
	const struct tombstone_arg *arg = data;

	(void)result;
	(void)ret_fd;
	return tombstone_serve(&arg->server, arg->port, arg->stop, e);
}

static void ended(void *data, struct job_end *end)
{
	struct tombstone_job *t = data;

	t->job = NULL;
	if (end->error)
		log_failure(t, &end->e);
}

static int start(struct daemon *d, struct tombstone_job *t, struct kerr *e)
{
	_cleanup_close_ int read_end = -1;
	struct tombstone_arg arg = {t->server, t->port, -1};
	int ends[2], r;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return kerr_set(e, -errno, "make a pipe", NULL, NULL);
	read_end = arg.stop = ends[0];
	t->stop = ends[1];
	r = job_start(d->loop,
		&(struct job_call){.name = "tombstone",
			.fn = answer,
			.arg = &arg,
			.keep = read_end,
			.deadline_ms = LONGEST_MS,
			.done = ended,
			.data = t},
		&t->job);
	return r < 0 ? kerr_set(e, r, "start a worker", NULL, NULL) : 0;
}

void tombstone_job_start(
	struct daemon *d, const struct addr *server, uint16_t port, struct tombstone_job **ret)
{
	struct tombstone_job *t = calloc(1, sizeof *t);
	struct kerr e = {0};

	*ret = NULL;
	if (!t)
		return;
	*t = (struct tombstone_job){.server = *server, .port = port, .stop = -1};
	if (start(d, t, &e) < 0) {
		log_failure(t, &e);
		cleanup_close(&t->stop);
		free(t);
		return;
	}
	*ret = t;
}

bool tombstone_job_runs(const struct tombstone_job *job)
{
	return job->job != NULL;
}

void tombstone_job_stop(struct tombstone_job **job)
{
	struct tombstone_job *t = TAKE_PTR(*job);
	struct kerr e = {0};

	if (!t)
		return;
	/* Killed rather than waited for; so the flow is turned back from here. */
	if (t->job)
		job_cancel(t->job);
	cleanup_close(&t->stop);
	if (tombstone_route_restore(&t->server, t->port, &e) < 0)
		log_failure(t, &e);
	free(t);
}
