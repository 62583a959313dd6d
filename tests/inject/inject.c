/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Systematic fault injection, inside of one test machine: operations on two nodes, during each of
 * which a few calls of a daemon or worker fail, or one of them is killed before or after a call.
 * Then everything must become as the model says. Calls are met as the operations reach them, each
 * once for each mode, until no operation reaches a new one.
 *
 *   inject [--seed N] [--minutes N | --rounds N] [--at-once N] [--site REGEX] [--state FILE]
 *          [--patience SECONDS]
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

#include "tests/inject/inject.h"
#include "tests/soak/ops.h"

#define PROGRAM	 "/usr/local/bin/kora-sandbox-mount"
#define BEGIN_MS 300 /* most operations reach their calls in this time */
#define SPINS	 300
#define BARREN	 5 /* an operation that reached nothing new this often reaches nothing new */

static struct world world;
static struct plan *plan;
static unsigned long minutes, rounds;
static unsigned at_once = 3;
static const char *state_file, *only;

static bool restart(struct world *w)
{
	struct node *n = &w->nodes[pick(w, NODES)];
	int signal = chance(w, 50) ? SIGTERM : SIGKILL;

	say(w, "%s the daemon of %s, and start it", signal == SIGTERM ? "end" : "kill", n->name);
	node_kill(w, n, signal);
	node_start(w, n);
	return true;
}

static bool power_cycle(struct world *w)
{
	return do_power_off(w) && do_power_on(w);
}

static bool lose_and_heal(struct world *w)
{
	return do_lose(w) && do_heal(w);
}

static bool drain_and_resume(struct world *w)
{
	return do_drain(w) && (do_resume(w) || true);
}

static const struct {
	unsigned weight;
	bool (*run)(struct world *w);
} operations[] = {
	{16, do_export},
	{16, do_mount},
	{24, do_replace},
	{16, do_release},
	{12, do_bind},
	{12, do_unbind},
	{40, restart},
	{8, do_stop_nfsd},
	{12, drain_and_resume},
	{8, do_unmount},
	{4, power_cycle},
	{2, lose_and_heal},
};
#define OPERATIONS (sizeof operations / sizeof *operations)
static unsigned barren[OPERATIONS]; /* times in a row that it reached nothing new */

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

static bool excuses(const struct world *w, const struct node *n, bool ended)
{
	(void)w;
	for (size_t i = 0; i < plan->n_shots; i++)
		if (plan->shots[i].node == n &&
			(!ended || !plan->shots[i].error || !plan->shots[i].started))
			return true;
	return false;
}

static pid_t launch(const struct node *n, void (*fn)(void *arg), void *arg)
{
	return trace(plan, n, fn, arg);
}

static void read_options(int argc, char **argv, struct world *w)
{
	static const struct option options[] = {
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
	unsigned weight = operations[i].weight >> barren[i];

	return barren[i] >= BARREN ? 0 : weight ? weight : 1;
}

/* Returns the operation done, or OPERATIONS where none is left. */
static size_t operate_once(struct world *w)
{
	for (;;) {
		unsigned total = 0, n;
		size_t i = 0;

		for (size_t k = 0; k < OPERATIONS; k++)
			total += weight(k);
		if (!total)
			return OPERATIONS;
		for (n = pick(w, total); n >= weight(i); i++)
			n -= weight(i);
		if (operations[i].run(w))
			return i;
	}
}

/* Something must be there to be done harm to. */
static void prepare(struct world *w)
{
	for (unsigned i = 0; i < 2; i++)
		(void)(do_export(w) && do_mount(w) && do_bind(w));
	compare(w);
}

/* While a call goes on failing, whoever waits for it is told why, and nothing spins. */
static void look_on(const struct world *w)
{
	static char text[16384];
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
		if (s->mode != FAIL_ON || !s->started || s->times < 2 || !s->node->daemon)
			continue;
		(void)control_runs(s->node, text, sizeof text);
		for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
			if (!strstr(line, " ready") && line[strlen(line) - 1] == ' ')
				printf("     untold: %s\n", line);
	}
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
	if (i == OPERATIONS)
		return false;
	look_on(w);
	compare(w);
	plan->left = 0;
	if (await_ends())
		compare(w);
	w->ghost |= plan->n_shots > 0;
	barren[i] = plan->n_shots ? 0 : barren[i] + 1;
	tell(stdout, "     ");
	save();
	return true;
}

int main(int argc, char **argv)
{
	static const struct harm harm = {launch, excuses};
	uint64_t end;

	(void)setvbuf(stdout, NULL, _IOLBF, 0);
	read_options(argc, argv, &world);
	plan = plan_new(world.random, only);
	if (!symbols_load(PROGRAM))
		broken("%s has no symbols", PROGRAM);
	load();
	(void)on_exit(at_end, NULL);
	world.harm = &harm;
	world_begin(&world);
	prepare(&world);
	end = now_ms() + minutes * 60000;
	while ((!minutes || now_ms() < end) && (!rounds || world.step < rounds))
		if (!round_of(&world))
			break;
	plan->left = 0;
	plan->n_shots = 0;
	world.step++;
	end_everything(&world);
	printf("seed %llu: %zu of %zu known calls and modes, %u rounds\n",
		(unsigned long long)plan->seed, plan_done(plan), plan->n * MODES, world.step);
	return 0;
}
