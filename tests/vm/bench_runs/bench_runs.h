/* SPDX-License-Identifier: Apache-2.0 */
/* Measured: how long until runs that are wished for now can be listed by the agent. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define SANDBOX_ADDRESS	 "10.20.0.1"
#define AGENT_ADDRESS	 "10.20.0.2"
#define FLOOR_ADDRESS	 "10.20.0.4"
#define STRANGER_ADDRESS "10.20.0.9" /* nobody has it */
#define OWNER		 10001

struct node {
	pid_t init; /* as this process sees it */
	int mnt, net;
};

struct bench {
	unsigned first, n; /* runs r<first> … */
	uint64_t began_us;
	uint64_t *listed_us; /* since then, of each */
};

__attribute__((format(printf, 1, 2), noreturn)) void die(const char *format, ...);
uint64_t now_us(void);
uint64_t cpu_us(void); /* of this process */

void node_open(const char *name, struct node *ret);
void node_open_own(struct node *ret);	 /* what this process is in */
void node_join(const struct node *node); /* its mounts and its network */
void node_join_network(const struct node *node);
void node_join_mounts(const struct node *node);

/* In the agent's mount namespace. Does the run's folder show what the sandbox put in it? */
bool is_listed(unsigned run);
void listed(struct bench *b, unsigned run);

/* The daemons, by their control sockets. */
void ours(struct bench *b);
void ours_end(struct bench *b);
/* The same kernel calls made in a row by this process, with a server of its own (node "floor"). */
void floor_prepare(void);
void floor_runs(struct bench *b);
void floor_end(struct bench *b);
/*
 * The calls of a start that finds as many runs; the process that was there before has gone. Prints
 * microseconds of time and of the processor.
 */
void floor_restart(struct bench *b);
/*
 * One more that comes and goes, n times, by the kernel calls alone, beside those that the daemons
 * have: an export on the sandbox's node, of a new run each time; a mount on the agent's, of the
 * first run, which is exported. Prints microseconds of the processor for its coming and its going.
 */
void floor_export_changes(struct bench *b);
void floor_mount_changes(struct bench *b);
