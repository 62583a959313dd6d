/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Worker processes: whatever can block runs in a child that holds nothing of the daemon's, has a
 * deadline and can be killed.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mountd/base/kerr.h"
#include "mountd/loop.h"

#define JOB_RESULT_MAX 8192
#define JOB_ARG_MAX    32768

/*
 * Runs in the worker, on a copy of the daemon's memory but for what is in a slab. Returns 0 or
 * negative errno with *e filled; *ret_fd (-1 before) is handed to the daemon on success.
 */
typedef int job_fn(const void *arg, void *result, int *ret_fd, struct kerr *e);

struct job_end {
	int error; /* 0, or negative errno: -ETIMEDOUT when the deadline killed it */
	struct kerr e;
	const void *result; /* result_size bytes, all zero on failure; valid during the call */
	int fd;		    /* the callee's once it is taken with TAKE_FD; -1 = none */
	uint64_t ms;	    /* how long it took */
	bool expired;	    /* the deadline came first */
	bool stuck;	    /* killed, but the kernel has not let it go yet */
};

struct job_call {
	const char *name; /* static; the worker's process name */
	job_fn *fn;
	const void *arg; /* need not outlive job_start(); what it points to must not be in a slab */
	/*
	 * arg's size where its bytes say all, JOB_ARG_MAX at most: what they point to, if anything,
	 * stays as it is for the daemon's life. A worker that has done such a call before does this
	 * one, if one waits; so fn leaves the process as it found it, or fails. 0: a fork, always.
	 */
	size_t arg_size;
	size_t result_size;
	int keep; /* a descriptor that the worker keeps under its number; 0 = none */
	uint64_t deadline_ms;
	const char *waits_for; /* for the message at the deadline; may be NULL; copied */
	/* Once, unless cancelled before. Nothing of the call is left in its worker then. */
	void (*done)(void *data, struct job_end *end);
	/* Once, when a worker that was cancelled or reported as stuck has ended; may be NULL. */
	void (*gone)(void *data);
	void *data;
};

struct job;

/* -ENOMEM, -EAGAIN, -EMFILE: nothing was started. *ret is valid until done, or job_cancel(). */
int job_start(struct loop *loop, const struct job_call *call, struct job **ret);

/* Kills the worker. done is not called any more; gone is. */
void job_cancel(struct job *job);

/* Kills all workers and forgets them: for the daemon's own end. */
void job_abandon_all(void);
