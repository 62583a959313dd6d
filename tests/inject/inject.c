/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Systematic fault injection, inside of one test machine: operations on two nodes, during each of
 * which a few calls of a daemon or worker fail, or one of them is killed before or after a call.
 * Then everything must become as the model says. Calls are met as the operations reach them, each
 * once for each mode, until no operation reaches a new one.
 *
 *   inject [--watch] [--seed N] [--minutes N | --rounds N] [--at-once N] [--site REGEX]
 *          [--state FILE] [--patience SECONDS]
 *
 * Harmed is the daemon; with --watch, kora-sandbox-watch beside it.
 *
 * What was done is kept in the state file, and not done again. Status 1 or 2: a round failed; it
 * can be started again on a new machine and goes on behind that round.
 */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/inject/campaign.h"

#define BEGIN_MS 300 /* most operations reach their calls in this time */
#define SPINS	 300
#define BARREN	 5 /* an operation that reached nothing new this often reaches nothing new */

static struct world world;
static struct plan *plan;
static const struct campaign *campaign = &daemon_campaign;
static unsigned long minutes, rounds;
static unsigned at_once = 3;
static const char *state_file, *only;
static unsigned barren[OPERATIONS_MAX]; /* times in a row that it reached nothing new */

static void save(void)
{
	char temporary[128];
	FILE *f;

	if (!state_file)
		return;
	(void)snprintf(temporary, sizeof temporary, "%s.new", state_file);
	f = fopen(temporary, "we");
	for (size_t i = 0; f && i < plan->n; i++)
		(void)fprintf(f, "%u %s\n", plan->sites[i].done, plan->sites[i].name);
	if (f && fclose(f) == 0)
		(void)rename(temporary, state_file);
}

static void load(void)
{
	FILE *f = state_file ? fopen(state_file, "re") : NULL;
	char name[SITE_SIZE];
	unsigned done;

	while (f && fscanf(f, "%u %191[^\n]\n", &done, name) == 2)
		for (enum mode mode = 0; mode < MODES; mode++)
			plan_mark(plan, name, mode, done & 1U << mode);
	if (f)
		(void)fclose(f);
}

static void tell(FILE *to, const char *indent)
{
	for (size_t i = 0; i < plan->n_shots; i++) {
		const struct shot *s = &plan->shots[i];

		(void)fprintf(to, "%s%s %s  %s on %s%s\n", indent, mode_name(s->mode),
			s->error    ? strerrorname_np(s->error)
			: s->daemon ? "daemon"
				    : "caller",
			plan->sites[s->site].name, s->node->name,
			s->started ? "" : ", at its start");
	}
}

static void at_end(int status, void *arg)
{
	(void)arg;
	save();
	if (status == 0)
		return;
	(void)fprintf(stderr, "FAIL seed %llu, step %u: %s\n", (unsigned long long)plan->seed,
		world.step, world.what);
	tell(stderr, "FAIL   ");
}

static void read_options(int argc, char **argv, struct world *w)
{
	static const struct option options[] = {
		{"watch", no_argument, NULL, 'w'},
		{"seed", required_argument, NULL, 's'},
		{"minutes", required_argument, NULL, 'm'},
		{"rounds", required_argument, NULL, 'r'},
		{"site", required_argument, NULL, 'o'},
		{"at-once", required_argument, NULL, 'a'},
		{"state", required_argument, NULL, 'f'},
		{"patience", required_argument, NULL, 'p'},
		{NULL, 0, NULL, 0},
	};
	int option;

	w->random = (uint64_t)time(NULL);
	w->patience_ms = 60000;
	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (option == 's')
			w->random = strtoull(optarg, NULL, 10);
		else if (option == 'w')
			campaign = &watch_campaign;
		else if (option == 'm')
			minutes = strtoul(optarg, NULL, 10);
		else if (option == 'r')
			rounds = strtoul(optarg, NULL, 10);
		else if (option == 'a')
			at_once = (unsigned)strtoul(optarg, NULL, 10) % (SHOTS + 1);
		else if (option == 'o')
			only = optarg;
		else if (option == 'f')
			state_file = optarg;
		else if (option == 'p')
			w->patience_ms = strtoull(optarg, NULL, 10) * 1000;
		else
			exit(2);
	}
}

/* The fewer new calls an operation reached lately, the rarer it becomes. */
static unsigned weight(size_t i)
{
	unsigned weight = campaign->operations[i].weight >> barren[i];

	return barren[i] >= BARREN ? 0 : weight ? weight : 1;
}

/* Returns the operation done, or their number where none is left that can be. */
static size_t operate_once(struct world *w)
{
	for (unsigned tries = 0; tries < 1000; tries++) {
		unsigned total = 0, n;
		size_t i = 0;

		for (size_t k = 0; k < campaign->n; k++)
			total += weight(k);
		if (!total)
			return campaign->n;
		for (n = pick(w, total); n >= weight(i); i++)
			n -= weight(i);
		if (campaign->operations[i].run(w))
			return i;
	}
	return campaign->n;
}

/* While a call goes on failing, nothing spins. */
static void look_on(const struct world *w)
{
	uint64_t end = now_ms() + BEGIN_MS;

	while (plan->left && now_ms() < end)
		nap(20);
	while (now_ms() < plan->on_ms)
		nap(20);
	for (size_t i = 0; i < plan->n_shots; i++) {
		const struct shot *s = &plan->shots[i];

		if (s->times > SPINS)
			broken("step %u: a call that fails is made again %u times in %d ms",
				w->step, s->times, FAILS_ON_MS);
	}
	if (campaign->look_on)
		campaign->look_on();
}

/* A kill of the last moment may show only after all has come to rest. True if there were any. */
static bool await_ends(void)
{
	bool any = false;

	for (size_t i = 0; i < plan->n_shots; i++)
		for (any |= plan->shots[i].victim; plan->shots[i].victim; nap(5))
			if (kill(plan->shots[i].victim, 0) < 0)
				plan->shots[i].victim = 0;
	return any;
}

static bool round_of(struct world *w)
{
	size_t i;

	w->step++;
	w->what[0] = '\0';
	plan->n_shots = 0;
	plan->left = at_once;
	i = operate_once(w);
	w->ghost |= plan->n_shots > 0;
	if (i == campaign->n)
		return false;
	look_on(w);
	campaign->compare(w);
	plan->left = 0;
	if (await_ends())
		campaign->compare(w);
	w->ghost |= plan->n_shots > 0;
	barren[i] = plan->n_shots ? 0 : barren[i] + 1;
	tell(stdout, "     ");
	save();
	return true;
}

int main(int argc, char **argv)
{
	uint64_t end;

	(void)setvbuf(stdout, NULL, _IOLBF, 0);
	read_options(argc, argv, &world);
	plan = plan_new(world.random, only);
	if (!symbols_load(campaign->program))
		broken("%s has no symbols", campaign->program);
	load();
	(void)on_exit(at_end, NULL);
	campaign->begin(&world, plan);
	end = now_ms() + minutes * 60000;
	while ((!minutes || now_ms() < end) && (!rounds || world.step < rounds))
		if (!round_of(&world))
			break;
	plan->left = 0;
	plan->n_shots = 0;
	world.step++;
	campaign->end(&world);
	printf("seed %llu: %zu of %zu known calls and modes, %u rounds\n",
		(unsigned long long)plan->seed, plan_done(plan), plan->n * MODES, world.step);
	return 0;
}
