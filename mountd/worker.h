/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The process of a job, and what goes between it and the daemon. Made by fork(2), it does the call
 * that it was made for; one that was told of it by its bytes alone then waits for the next.
 */
#pragma once

#include <sys/types.h>

#include "mountd/job.h"

struct worker_answer {
	bool waits; /* for another call: nothing of this one is left in it */
	int error;
	struct kerr e; /* stage points to static text, at the same place in both processes */
	unsigned char result[JOB_RESULT_MAX];
};

/* In the child of a fork: the worker's life. It begins once something comes by channel. */
_Noreturn void worker_live(const struct job_call *call, int channel, pid_t parent);

/* To a worker that waits. -EPIPE: it is gone; another negative errno: it was not told either. */
int worker_tell(int channel, const struct job_call *call);

/* What a worker has sent. -ENODATA: nothing. *ret_fd: the caller's; untouched where there is none.
 */
int worker_hear(int channel, size_t result_size, struct worker_answer *ret, int *ret_fd);

/* Has a worker sent that all went well, and that it waits? Takes nothing from the channel. */
bool worker_waits(int channel);
