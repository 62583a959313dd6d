/* SPDX-License-Identifier: Apache-2.0 */
/* Which calls are known, and what was done to each. */
#include <regex.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/inject/inject.h"

#define ALL ((1U << MODES) - 1)

static regex_t pattern;
static bool has_pattern;

struct plan *plan_new(uint64_t seed, const char *only)
{
	struct plan *p =
		mmap(NULL, sizeof *p, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		broken("no memory");
	p->seed = seed;
	has_pattern = only != NULL;
	if (only && regcomp(&pattern, only, REG_EXTENDED | REG_NOSUB) != 0)
		broken("--site %s is no regular expression", only);
	return p;
}

static void lock(struct plan *p)
{
	while (atomic_flag_test_and_set(&p->lock))
		(void)sched_yield();
}

static void unlock(struct plan *p)
{
	atomic_flag_clear(&p->lock);
}

static struct site *find_or_add(struct plan *p, const char *name)
{
	for (size_t i = 0; i < p->n; i++)
		if (strcmp(p->sites[i].name, name) == 0)
			return &p->sites[i];
	if (p->n == SITES || (has_pattern && regexec(&pattern, name, 0, NULL, 0) != 0))
		return NULL;
	(void)strncpy(p->sites[p->n].name, name, SITE_SIZE - 1);
	return &p->sites[p->n++];
}

/* The seed decides where to begin, so that a short run does not do the same one to all. */
static enum mode next_mode(const struct plan *p, const struct site *site)
{
	uint64_t mixed = (p->seed + (uint64_t)(site - p->sites)) * 0x9e3779b97f4a7c15;
	enum mode mode = (enum mode)((mixed >> 32) % MODES);

	while (site->done & 1U << mode)
		mode = (mode + 1) % MODES;
	return mode;
}

bool plan_waits(const struct plan *p)
{
	return p->left || now_ms() < p->on_ms;
}

static struct shot *fails_on(struct plan *p, const struct node *n, const struct site *site)
{
	uint64_t now = now_ms();

	for (size_t i = 0; i < p->n_shots; i++) {
		struct shot *shot = &p->shots[i];

		if (shot->mode == FAIL_ON && &p->sites[shot->site] == site && shot->node == n &&
			now < shot->until_ms)
			return shot;
	}
	return NULL;
}

static struct shot *begin(struct plan *p, const struct node *n, struct site *site)
{
	struct shot *shot = &p->shots[p->n_shots];

	*shot = (struct shot){
		.site = (size_t)(site - p->sites), .mode = next_mode(p, site), .node = n};
	site->done |= (unsigned char)(1U << shot->mode);
	if (shot->mode == FAIL_ON)
		p->on_ms = shot->until_ms = now_ms() + FAILS_ON_MS;
	p->n_shots++;
	p->left--;
	return shot;
}

struct shot *plan_meets(struct plan *p, const struct node *n, const char *name)
{
	struct shot *shot = NULL;
	struct site *site;

	lock(p);
	site = find_or_add(p, name);
	if (site)
		shot = fails_on(p, n, site);
	if (site && !shot && p->left && site->done != ALL && p->n_shots < SHOTS)
		shot = begin(p, n, site);
	unlock(p);
	return shot;
}

void plan_mark(struct plan *p, const char *name, enum mode mode, bool done)
{
	struct site *site = find_or_add(p, name);

	if (site && done)
		site->done |= (unsigned char)(1U << mode);
}

size_t plan_left(const struct plan *p)
{
	size_t left = 0;

	for (size_t i = 0; i < p->n; i++)
		left += p->sites[i].done != ALL;
	return left;
}

size_t plan_done(const struct plan *p)
{
	size_t done = 0;

	for (size_t i = 0; i < p->n; i++)
		done += (size_t)__builtin_popcount(p->sites[i].done);
	return done;
}

const char *mode_name(enum mode mode)
{
	static const char *const names[] = {"fail", "kill-before", "kill-after", "fail-on"};

	return names[mode];
}

bool plan_excuses(const struct plan *p, const struct node *n, bool ended)
{
	for (size_t i = 0; i < p->n_shots; i++)
		if (p->shots[i].node == n && (!ended || !p->shots[i].error || !p->shots[i].started))
			return true;
	return false;
}
