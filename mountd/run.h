/* SPDX-License-Identifier: Apache-2.0 */
/* The runs of this node: one object per run and role, with its wish, its state and its worker. */
#pragma once

#include <time.h>

#include "mountd/job.h"
#include "mountd/reconcile.h"
#include "mountd/run_state.h"

struct daemon;

/* In a slab: no worker may be pointed at a part of one, but for the texts and lists that it owns.
 */
struct run {
	struct daemon *daemon;
	struct runs *runs;
	struct run *next, *before; /* of those that are awake */
	bool awake;
	char name[NAME_MAX_LENGTH + 1];
	enum role role;
	enum run_state state;
	time_t since; /* wall clock, when it came into this state */

	bool wished;
	struct spec wish;
	bool possible;	  /* want says what to do; false: not wished, or see fault */
	struct spec want; /* the wish, or the bind that stands for a mount from this very node */

	struct held_export *held;
	size_t n_held;
	bool holds_mount;
	struct mount held_mount;
	bool in_force;
	bool inherited;	    /* the held mount is a former daemon's, perhaps never made */
	uint64_t mount_id;  /* 0: unknown */
	uint64_t unique_id; /* 0: unknown, or an older kernel */
	bool replaced;	/* its mount is not the first, which may be where nobody has looked since */
	bool looked_at; /* it was seen to show after it came into force; none rests before */
	char *mounted_at; /* owned; mount_outcome's target, or NULL: unknown */

	struct job *job;
	enum busy busy;
	struct spec trying; /* what the worker builds or ends */
	unsigned stuck;
	unsigned attempts;
	unsigned end_failures;
	uint64_t not_before_ms;

	char *fault;	  /* owned; the last failure, until it is overcome */
	int fault_error;  /* its errno */
	bool gone;	  /* the fault is that what was in force is gone at its source */
	bool doubted;	  /* its mount was refused by its server at the last look */
	const char *rung; /* static; the mechanism that the last success used */
	bool seen;	  /* used while wishes are matched */
};

/*
 * Sorted by name, then role. Most are in force as wished and rest: what changes one of them wakes
 * it, so that whoever looks for something to do finds it among those awake.
 */
struct runs {
	struct run **list;
	size_t n;
	size_t room;
	struct run *first, *last; /* awake, the one longest awake first */
	size_t n_resting[2];	  /* by role */
	unsigned left;		  /* counts wishes, mounts and runs that are gone */
};

/* Another number whenever a run's state, fault or existence is another than before. */
uint64_t runs_serial(void);

struct run *runs_find(const struct runs *runs, const char *name, enum role role); /* or NULL */
struct run *runs_find_or_add(
	struct runs *runs, const char *name, enum role role); /* NULL: -ENOMEM */
void runs_drop(struct runs *runs, struct run *run);

/* In force as wished, and no worker is left of it: nothing of it is to be planned. */
bool run_may_rest(const struct run *run);
/* Its mount is to be seen to show again. */
void run_look_again(struct run *run);
/* Until something of it changes; everything below that changes it wakes it. */
void run_rest(struct run *run);

struct reconcile_view run_view(const struct run *run, bool suspect, bool lost);

/* Moves the run through its table. */
void run_event(struct run *run, enum run_event event);

/* 1: now wished for otherwise, 0: as before, -ENOMEM. spec NULL: not wished for. Copies. */
int run_set_wish(struct run *run, const struct spec *spec);
int run_set_want(struct run *run, const struct spec *spec);

/* Returns true when the fault is another than before. Copies. */
bool run_set_fault(struct run *run, int error, const char *fault);
void run_clear_fault(struct run *run);

/*
 * Export side: what the kernel serves or served. -ENOMEM. Where one of the same identity is held,
 * whom that one listed and the new one does not is dropped.
 */
int run_hold_export(struct run *run, const struct export *export, bool served);
struct held_export *run_find_held(struct run *run, const struct run_id *id); /* or NULL */
void run_drop_export(struct run *run, const struct run_id *id);
/* Is what is wanted among them, taken in by the exporter? */
bool run_is_served(const struct run *run);
int run_hold_mount(struct run *run, const struct mount *mount);
void run_drop_mount(struct run *run);

/* The identity that a log line or an answer names: of the wish, else of what is held. */
const struct run_id *run_id_of(const struct run *run);
const char *run_role_name(const struct run *run); /* "export", "mount" or "bind" */
/* The exported folder or the mount's target. */
void run_place(const struct run *run, char *text, size_t size);
/* "10.20.0.1:20490" of a mount, a comma-separated list of an export's clients; or empty. */
void run_peer(const struct run *run, char *text, size_t size);
