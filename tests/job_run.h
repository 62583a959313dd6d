/* SPDX-License-Identifier: Apache-2.0 */
/* A loop in which jobs run until their end is reported. */
#pragma once

#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mountd/base/cleanup.h"
#include "mountd/job.h"

#define PATIENCE_MS 20000

struct outcome {
	struct loop *loop;
	struct job_end end;
	int number;
	unsigned done, gone;
};

static inline void on_done(void *data, struct job_end *end)
{
	struct outcome *o = data;

	o->end = *end;
	if (end->result)
		memcpy(&o->number, end->result, sizeof o->number);
	end->fd = -1;
	o->done++;
	loop_stop(o->loop);
}

static inline void on_gone(void *data)
{
	struct outcome *o = data;

	o->gone++;
	loop_stop(o->loop);
}

static inline void on_patience_over(void *data)
{
	(void)data;
	cr_assert_fail("nothing came back");
}

static struct loop_timer *patience;

static inline struct outcome begin(void)
{
	struct outcome o = {.end.fd = -1};

	cr_assert_eq(loop_new(&o.loop), 0);
	cr_assert_eq(loop_timer_new(o.loop, on_patience_over, NULL, &patience), 0);
	loop_timer_set(patience, PATIENCE_MS);
	return o;
}

static inline void finish(struct outcome *o)
{
	loop_timer_free(patience);
	cleanup_close(&o->end.fd);
	loop_free(o->loop);
}

/* Names, reports and deadline are filled in, unless call has one. */
static inline struct job *start_call(struct outcome *o, struct job_call call)
{
	struct job *job;

	call.name = "test";
	call.result_size = sizeof(int);
	if (!call.deadline_ms)
		call.deadline_ms = PATIENCE_MS;
	call.waits_for = "godot";
	call.done = on_done;
	call.gone = on_gone;
	call.data = o;
	cr_assert_eq(job_start(o->loop, &call, &job), 0);
	return job;
}

static inline int fail(const void *arg, void *result, int *ret_fd, struct kerr *e)
{
	(void)arg;
	*(int *)result = 7;
	*ret_fd = open("/dev/null", O_RDONLY);
	return kerr_set(e, -ELOOP, "open target", "/x", "symlink below %s", "/");
}

static inline int sleep_for_ever(const void *arg, void *result, int *ret_fd, struct kerr *e)
{
	(void)arg;
	(void)result;
	(void)ret_fd;
	(void)e;
	while (pause() < 0)
		;
	return 0;
}

/* Open descriptors beyond the standard ones; the listing itself has one. */
static inline int count_fds(const void *arg, void *result, int *ret_fd, struct kerr *e)
{
	DIR *list = opendir("/proc/self/fd");
	int n = 0;

	(void)arg;
	(void)ret_fd;
	(void)e;
	if (!list)
		return -errno;
	for (struct dirent *entry; (entry = readdir(list));)
		n += entry->d_name[0] != '.' && atoi(entry->d_name) > STDERR_FILENO;
	*(int *)result = n - 1;
	return 0;
}
