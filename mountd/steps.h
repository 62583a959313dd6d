/* SPDX-License-Identifier: Apache-2.0 */
/* Carries out the planner's steps: each starts a worker and takes in what it reports. */
#pragma once

#include "mountd/daemon.h"

/* The step's export or mount is borrowed from the run and copied before anything changes. */
/* True where it took no worker and is over. */
bool step_add_export(struct run *run, const struct export *export);
void step_end_export(struct run *run, const struct export *export);
/* Tells what keeps an export from its end. */
void step_withhold(struct run *run);
/* Takes what the export's dropped clients hold of it. */
void step_drop_clients(struct run *run, const struct export *export);
void step_attach(struct run *run, const struct mount *mount);
void step_detach(struct run *run, const struct mount *mount, enum detach_how how);
void step_cancel(struct run *run);

/* Starts the worker of run; a failure to start is a failed attempt. Sets run->busy. */
bool step_start(
	struct run *run, const struct spec *trying, enum busy busy, const struct job_call *call);
/* The same for a step that needs no worker. */
bool step_start_alone(struct run *run, const struct spec *trying, enum busy busy);
/* The first thing that done does: the worker is none any more. */
void step_ended(struct run *run, const struct job_end *end);
void step_worker_gone(void *run);
/* Removes the record of what was undone: 0, or negative errno with *e filled. */
int step_forget(const struct run *run, const struct spec *undone, struct kerr *e);

/* A wish that is in force already is ready; an export once the server serves. */
void step_settle_export(struct run *run);
void step_settle_mount(struct run *run);
