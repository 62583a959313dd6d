/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fault injection: the daemons run under a tracer that makes one of their calls to the kernel fail,
 * or kills the caller or its daemon before or after it. A site is what a call is told by: which of
 * the daemon's processes makes it, its object, and the two innermost functions of the program.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "tests/soak/soak.h"

#define SHOTS	  8
#define SITES	  4096
#define SITE_SIZE 192

enum mode {
	FAIL,
	KILL_BEFORE,
	KILL_AFTER,
	FAIL_ON, /* whoever makes it, for a while */
	MODES
};

#define FAILS_ON_MS 1500

struct site {
	char name[SITE_SIZE];
	atomic_uchar done; /* one bit for each mode */
};

/* What was done once. */
struct shot {
	size_t site;
	enum mode mode;
	int error;	   /* FAIL, FAIL_ON */
	uint64_t until_ms; /* FAIL_ON */
	atomic_uint times; /* FAIL_ON: how often it has failed */
	bool started;	   /* the daemon was at work, no longer at its start */
	bool daemon;	   /* killed was it, not its worker */
	atomic_int victim; /* not 0: killed now or soon */
	const struct node *node;
};

/* In memory that the driver and both tracers see. Tracers write while they hold the lock. */
struct plan {
	atomic_flag lock;
	struct site sites[SITES];
	size_t n;
	uint64_t seed;
	/* In this round, at calls whose sites have a mode left. */
	atomic_uint left;
	atomic_ullong on_ms; /* until then, some calls fail whenever they are made */
	struct shot shots[SHOTS];
	atomic_size_t n_shots;
};

/* plan.c */
struct plan *plan_new(uint64_t seed, const char *only); /* only: sites that match, or NULL */
/* Is there anything to do? Else calls need not be looked at. */
bool plan_waits(const struct plan *p);
/* Learns the site. Returns what the caller is to do to it, counted as done, or NULL. */
struct shot *plan_meets(struct plan *p, const struct node *n, const char *name);
/* Known from before. */
void plan_mark(struct plan *p, const char *name, enum mode mode, bool done);
size_t plan_left(const struct plan *p); /* sites with a mode left */
size_t plan_done(const struct plan *p); /* pairs of site and mode */
/* Was something done on that node that excuses a refusal, or that the harmed one has ended? */
bool plan_excuses(const struct plan *p, const struct node *n, bool ended);
const char *mode_name(enum mode mode);

/* tracer.c */
/* As node_spawn(), but under a tracer that follows it and its children, outside of the node. */
pid_t trace(struct plan *p, const struct node *n, void (*fn)(void *arg), void *arg);

struct call {
	pid_t pid;
	int number;
	uint64_t args[6], stack;
};

/* faults.c: what a call can fail with. */
bool call_is_harmless(int number); /* cannot fail, or nobody can tell */
extern bool pipes_are_libuvs;	   /* all of them: its signals', and the lock of those */
/* 0: that call of the site does not fail. */
int call_error(const struct call *call, const char *site, uint64_t random);
/* Signals interrupt, and the kernel's own queues fail, once at most. */
bool call_fails_on(int error, const char *site);
bool call_is_mute(int number); /* fails with 0 */
const char *call_name(int number);

/* site.c */
/* Where the program lies in that process. */
void site_learn_program(pid_t pid);
/* false: not a call of the program's own. */
bool site_name(const struct call *call, bool worker, char *name, size_t size);

/* symbols.c: functions of the program, by its symbol table. */
bool symbols_load(const char *path);
uint64_t symbols_entry(void);
/* The function that a return address lies in, or NULL where address is none. */
const char *symbols_returns_to(uint64_t address);
