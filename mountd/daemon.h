/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The daemon: wishes from the source, a plan for each run, steps in workers, and what the kernel
 * says back. Everything here happens in the loop and never blocks.
 */
#pragma once

#include "mountd/desired.h"
#include "mountd/loop.h"
#include "mountd/options.h"
#include "mountd/own_addrs.h"
#include "mountd/own_watch.h"
#include "mountd/preflight.h"
#include "mountd/run.h"
#include "mountd/source_dir.h"
#include "mountd/suspects.h"

struct client_watch;
struct control;
struct folder_watch;
struct mountinfo;
struct prober;
struct server;

struct daemon {
	struct options options;
	struct preflight preflight;
	struct loop *loop;
	struct loop_timer *plan_timer; /* a plan is due now */
	struct loop_timer *wake_timer; /* a run's wait ends */
	struct loop_signal *signals[3];
	struct desired desired;
	struct source_dir *source;
	struct runs runs;
	struct suspects suspects;
	struct own_addrs own; /* this node's, as they could be read last */
	struct own_watch *own_watch;
	bool own_unread; /* own is not of now */
	struct mount_config mount_config;
	struct server *server;
	struct mountinfo *mountinfo;
	struct prober *prober;
	struct client_watch *client_watch;
	struct folder_watch *folder_watch;
	struct control *control;
	uint64_t started_ms;
	bool drained;
	bool match_all; /* wishes are to be matched to all runs, not only to those of changed specs
			 */
};

/* Takes the preflight over. On failure everything is released. */
int daemon_new(const struct options *options, struct preflight *preflight, struct daemon **ret,
	struct kerr *e);
void daemon_run(struct daemon *d);  /* until SIGTERM or SIGINT */
void daemon_free(struct daemon *d); /* leaves exports and mounts as they are */

/* Matches the wishes to the runs; then plans. To be called when a wish has changed. */
void daemon_sync(struct daemon *d);
/* Plans in this turn of the loop. To be called when anything has changed. */
void daemon_plan_soon(struct daemon *d);

/* Drained: nothing is wished for, whatever the specs say. Survives a restart. Negative errno. */
int daemon_set_drained(struct daemon *d, bool drained);

/* wishes.c: matches desired to runs, and finds binds that stand for mounts from this node. */
void wishes_match(struct daemon *d);

/* One line about a run: its identity, what happened, and *e if that is a failure. */
void run_log(const struct run *run, enum log_level level, const char *event, uint64_t ms,
	const struct kerr *e);
/* A failed attempt: state, fault, back-off, and one line unless the fault is known. */
void run_fail(struct run *run, const char *event, uint64_t ms, const struct kerr *e);
/*
 * What was in force is gone at its source: a failed attempt to have it again, and told as that for
 * as long as attempts find nothing there.
 */
void run_gone(struct run *run, const char *event, const struct kerr *e);
