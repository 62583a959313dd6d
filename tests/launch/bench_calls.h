/* SPDX-License-Identifier: Apache-2.0 */
/* What the filter and the domain cost per call, once the program runs. */
#pragma once

#define N_CALLS 6

struct call_cost {
	const char *name;
	double target;	     /* ratio to the same call without filter and domain */
	double plain, under; /* nanoseconds */
};

/*
 * Runs this program (self) plainly and under the launcher in turns; file is the one to open, in the
 * workspace of run "a" in ws, dir is where self lies. Fills ret.
 */
void bench_calls(const char *self, const char *launcher, const char *dir, const char *ws,
	const char *file, struct call_cost ret[N_CALLS]);

/* The other side: measures, prints a line for each call. */
int bench_calls_main(const char *file);
