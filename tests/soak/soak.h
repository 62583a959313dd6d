/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The model check: two nodes, a model of what must be true of them, and random operations. After
 * each one the kernel, the daemons and the harnesses' work are compared with the model.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#define NODES	      2
#define SHARED	      8 /* runs that the sandbox node exports and the agent node mounts … */
#define RUNS	      (SHARED + 2) /* … and those that the sandbox node binds */
#define FOLDERS	      64
#define LOST_AFTER_MS 8000
#define OWNER	      10001

enum { SANDBOX, AGENT };

/* What a harness does in its run's folder, in memory that both processes see. */
struct load {
	volatile pid_t pid;
	volatile uint64_t rounds, errors;
	volatile unsigned asked, clean; /* begin anew; and a round since then was good */
	volatile int error;		/* of the last one, with the call that failed */
	volatile char call[24];
};

/* One sandbox's folder on the sandbox node. */
struct folder {
	char name[32]; /* below /workspaces/local; empty: free */
	bool own_fs;
};

struct run {
	char name[8];
	unsigned exported, mounted, bound; /* the incarnation that is wished for; 0: none */
	struct folder *folder;		   /* of what is exported or bound */
	unsigned last_exported;
	unsigned live; /* the incarnation that was last seen to work end to end */
	bool excused;  /* its harness may see errors until it works again, … */
	bool begun;    /* … and was told that it does: no file of before is open */
	struct load *load;
	/* Errors and rounds at the last comparison, or where an outage ended since then. */
	uint64_t forgiven, worked;
};

struct node {
	const char *name;
	pid_t init, daemon; /* 0: no power; not running */
	bool drained;
	char frozen[8192]; /* what was mounted when the daemon was killed */
};

struct world;

/* What tests that harm the daemons on purpose do otherwise. */
struct harm {
	/* Starts fn(arg) as a process of the node; returns its pid as seen from here. */
	pid_t (*launch)(const struct node *n, void (*fn)(void *arg), void *arg);
	/* Was something done to that daemon that excuses a refusal, or that it has ended? */
	bool (*excuses)(const struct world *w, const struct node *n, bool ended);
};

struct world {
	const struct harm *harm; /* or NULL */
	struct node nodes[NODES];
	struct run runs[RUNS];
	struct folder folders[FOLDERS];
	bool cut, lost;	       /* packets vanish; and the agent is known to have noticed */
	uint64_t out_since_ms; /* the server cannot be reached since then; 0: it can */
	bool answered;	       /* nfsd had its first questions answered since its start */
	bool ghost;	       /* the agent node went without a word to the server */
	off_t log_read;	       /* so far, of the sandbox's daemon */
	unsigned incarnations;
	uint64_t random;
	unsigned step;
	uint64_t patience_ms, slowest_ms;
	char history[24][256];
	char what[256]; /* the operation of this step */
};

/* util.c */
uint64_t now_ms(void);
void nap(unsigned ms);
unsigned pick(struct world *w, unsigned n); /* 0 … n-1 */
bool chance(struct world *w, unsigned percent);
void say(struct world *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
_Noreturn void broken(const char *format, ...) __attribute__((format(printf, 1, 2)));
int shell(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* A whole small file, or an empty text. static; overwritten by the next call with that slot. */
const char *slurp(unsigned slot, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool spit(const char *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* node.c */
void node_power_on(struct world *w, struct node *n);
void node_power_off(struct world *w, struct node *n);
bool node_can_lose_power(const struct node *n);
void node_stop_nfsd(struct world *w, struct node *n); /* as an operator does, or the end of power */
void node_start(struct world *w, struct node *n);     /* the daemon; returns once it answers */
void node_kill(struct world *w, struct node *n, int signal);
/* Starts the daemon again where it has come to an end that is excused. */
void node_tend(struct world *w, struct node *n);
/* Makes the calling process one of the node's, of that kind of namespace; or ends it. */
void node_join(const struct node *n, const char *kind);
bool node_owns(const struct node *n, pid_t pid);
/* What is to run, and where the pid of it is written to. */
struct told {
	const struct node *node;
	void (*fn)(void *arg);
	void *arg, *data;
	int tell;
};

/* child runs in a process between, of which nothing stays. Returns the pid that was written. */
pid_t node_told_pid(const struct node *n, void (*child)(const struct told *t), struct told *t);
/* Runs fn(arg) as a process of the node. Returns its pid as seen from here. */
pid_t node_spawn(const struct node *n, void (*fn)(void *arg), void *arg);
void node_cut(struct world *w, bool cut);
/* pids of the node's processes, at most room. */
size_t node_processes(const struct node *n, pid_t *list, size_t room);
/* Is it a worker of its daemon that waits for a call? */
bool node_has_waiting(const struct node *n, pid_t pid);
/* Routing rules of ours in the node's network. */
unsigned node_rules(const struct node *n);

/* null_call.c: within half a second, in the node's own network */
bool nfsd_answers(const struct node *n);

/* control.c: the daemon's own words. */
bool control_ask(const struct node *n, const char *request, char *ret_fault, size_t size);
/* Asks again where the daemon may be excused; afterwards it runs. */
bool control_insist(
	struct world *w, struct node *n, const char *request, char *ret_fault, size_t size);
/* "run role incarnation state fault\n" of each run; false: no answer. */
bool control_runs(const struct node *n, char *text, size_t size);

/* load.c */
void load_start(struct world *w, struct run *r);
void load_stop(struct run *r); /* fails the check if it can't be killed */
bool load_can_end(const struct world *w);

/* ops.c */
void operate(struct world *w);
void end_everything(struct world *w); /* faults and wishes */

/* model.c, check.c */
void world_begin(struct world *w);  /* two nodes with power and daemons, and no run */
bool serves(const struct world *w); /* the agent node can reach nfsd */
void excuse(struct run *r);
void goes_out(struct world *w);		/* the server can't be reached from now on */
bool maybe_lost(const struct world *w); /* out for so long that the agent may have given up */
void forget_live(struct world *w);	/* no harness is promised anything until it works again */
/* Waits until everything is as the model says; ends the program where it does not become so. */
void compare(struct world *w);
