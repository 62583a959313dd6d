/* SPDX-License-Identifier: Apache-2.0 */
/* Private to server.c and server_*.c: what is known of the kernel's server. */
#pragma once

#include "mountd/server.h"

#define SERVER_THEN_MAX 32

/* Somebody who wants to hear of the next look's end. */
struct then {
	void (*fn)(void *data);
	void *data;
};

struct server {
	struct daemon *daemon;
	struct exporter_config config;
	struct addr listen[LISTEN_MAX];
	struct exporter *exporter;
	struct loop_poll *poll;
	struct loop_timer *pause; /* after many failed dispatches */
	unsigned failures;
	bool seen; /* nfsd asked client tracking when we last looked */
	struct server_status status;
	bool known;
	bool serving;
	bool look;		/* a look is due … */
	uint64_t look_after_ms; /* … then */
	struct job *job;
	unsigned attempts;
	uint64_t not_before_ms;
	char *fault;
	int fault_error;
	struct then then[SERVER_THEN_MAX];
	size_t n_then;
};

/* Fills config.listen: what was configured, else those of this node that others can reach. */
void server_find_addresses(struct server *s);
/* The exporter has its turn again: the pause after many failures is over. */
void server_hear_again(void *server);
