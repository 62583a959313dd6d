/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The model check, inside of one test machine: two nodes and random operations on them, each
 * followed by a comparison. The same seed does the same operations.
 *
 *   soak [--seed N] [--steps N] [--minutes N] [--patience SECONDS]
 */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/soak/soak.h"

static uint64_t seed;
static unsigned long steps = 2000, minutes;

static void read_options(int argc, char **argv, struct world *w)
{
	static const struct option options[] = {
		{"seed", required_argument, NULL, 's'},
		{"steps", required_argument, NULL, 'n'},
		{"minutes", required_argument, NULL, 'm'},
		{"patience", required_argument, NULL, 'p'},
		{NULL, 0, NULL, 0},
	};
	int option;

	seed = (uint64_t)time(NULL);
	w->patience_ms = 90000;
	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (option == 's')
			seed = strtoull(optarg, NULL, 10);
		else if (option == 'n')
			steps = strtoul(optarg, NULL, 10);
		else if (option == 'm')
			minutes = strtoul(optarg, NULL, 10);
		else if (option == 'p')
			w->patience_ms = strtoull(optarg, NULL, 10) * 1000;
		else
			exit(2);
	}
}

static void how_to_repeat(int status, void *arg)
{
	const struct world *w = arg;

	if (status != 0 && w->step)
		(void)fprintf(stderr,
			"step %u: %s\nseed %llu: repeat it with soak --seed %llu --steps %u\n",
			w->step, w->what, (unsigned long long)seed, (unsigned long long)seed,
			w->step);
}

int main(int argc, char **argv)
{
	static struct world w;
	uint64_t end;

	(void)setvbuf(stdout, NULL, _IOLBF, 0);
	read_options(argc, argv, &w);
	printf("seed %llu\n", (unsigned long long)seed);
	w.random = seed;
	(void)on_exit(how_to_repeat, &w);
	world_begin(&w);
	end = now_ms() + minutes * 60000;
	while (minutes ? now_ms() < end : w.step < steps) {
		w.step++;
		operate(&w);
		compare(&w);
		if (w.step % 100 == 0) {
			w.step++;
			end_everything(&w);
		}
	}
	w.step++;
	end_everything(&w);
	printf("seed %llu: %u steps, all as the model says; the slowest came to rest after %llu "
	       "ms\n",
		(unsigned long long)seed, w.step, (unsigned long long)w.slowest_ms);
	return 0;
}
