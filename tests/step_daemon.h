/* SPDX-License-Identifier: Apache-2.0 */
/* A daemon with a loop, a folder of records and the run "demo", and nothing else. */
#pragma once

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

#include "mountd/steps.h"

static char folder[] = "/tmp/kora-test-step.XXXXXX"; /* the records' */
static struct daemon d;
static struct run *run;

/* on_plan is called when something wants to be planned. */
static inline void daemon_set_up(enum role role, void (*on_plan)(void *loop))
{
	cr_assert(mkdtemp(folder));
	d.preflight = PREFLIGHT_NONE;
	d.preflight.attached = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	cr_assert_geq(d.preflight.attached, 0);
	cr_assert_eq(loop_new(&d.loop), 0);
	cr_assert_eq(loop_timer_new(d.loop, on_plan, d.loop, &d.plan_timer), 0);
	run = runs_find_or_add(&d.runs, "demo", role);
	cr_assert(run);
	run->daemon = &d;
}

/* After what else has timers of its loop. */
static inline void daemon_tear_down(void)
{
	char command[64];

	runs_drop(&d.runs, run);
	free(d.runs.list);
	loop_timer_free(d.plan_timer);
	loop_free(d.loop);
	preflight_clear(&d.preflight);
	(void)snprintf(command, sizeof command, "rm -rf %s", folder);
	cr_expect_eq(system(command), 0); /* NOLINT */
}
