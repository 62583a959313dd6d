/* SPDX-License-Identifier: Apache-2.0 */
/* A tombstone in a worker of its own, for as long as somebody may wait for the lost server. */
#pragma once

#include "nfs/tombstone.h"

struct daemon;
struct tombstone_job;

/* A failure is logged; *ret is then NULL. */
void tombstone_job_start(
	struct daemon *d, const struct addr *server, uint16_t port, struct tombstone_job **ret);
/* False: its worker was killed or failed; to be stopped, and perhaps started anew. */
bool tombstone_job_runs(const struct tombstone_job *job);
/* Ends it, turns the flow back, and clears *job. NULL is fine. */
void tombstone_job_stop(struct tombstone_job **job);
