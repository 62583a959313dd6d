/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kora-sandbox-watch on both nodes, a scripted API server beside them, and what its pods ask for.
 */
#pragma once

#include "tests/inject/campaign.h"

#define API_ADDRESS "10.20.0.254"
#define API_PORT    6443
#define WATCH_PORT  20491
#define REMOTE	    4		 /* runs whose sandboxes are on the sandbox node … */
#define PLACES	    (REMOTE + 1) /* … and one on the agent's own */
#define PODS	    24

enum pod_state {
	POD_NONE,
	POD_LIVE,
	POD_ENDING,  /* deleted or failed, and still to be seen */
	POD_REFUSED, /* its run has no valid name */
	POD_GONE,    /* kubelet deletes its folder next */
};

struct sandbox_pod {
	char name[16]; /* a later one's sorts behind it */
	enum pod_state state;
	unsigned place;
};

/* What an agent saw of a run when all was well. */
struct shown {
	const struct sandbox_pod *pod; /* NULL: nothing */
	unsigned long mount;
};

struct cluster {
	struct plan *plan;
	pid_t watches[NODES];
	unsigned descriptors[NODES]; /* besides sockets, at rest; 0: not known yet */
	struct sandbox_pod pods[PODS];
	struct shown shown[PLACES];
	bool runtime; /* the agent's pod is there */
	unsigned made;
};

extern struct cluster cluster;

/* watch_cluster.c */
void cluster_begin(void);
/* One word to the API server; its answer, static. Ends the program where there is none. */
const char *cluster_word(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* GET of the watch; the status, or 0. */
unsigned watch_status(size_t node, const char *path);
void watch_start(const struct world *w, size_t node);
/* Starts it again, as kubelet does, where it has come to an end that is excused. */
void watch_tend(const struct world *w, size_t node);
void watch_kill(const struct world *w, size_t node, int signal);

/* watch_check.c */
size_t place_node(unsigned place); /* of its sandboxes */
/* The pod that the run of that place belongs to, or NULL. */
const struct sandbox_pod *place_pod(unsigned place);
void watch_compare(struct world *w);
