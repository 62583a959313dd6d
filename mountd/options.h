/* SPDX-License-Identifier: Apache-2.0 */
/* The daemon's command line. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "mountd/base/log.h"
#include "mountd/base/option_table.h"
#include "mountd/node_id.h"
#include "nfs/addr.h"

#define LISTEN_MAX 64

enum options_action {
	ACTION_RUN,
	ACTION_CHECK, /* validate options and specs, then exit */
	ACTION_HELP,
	ACTION_VERSION,
};

struct options {
	enum options_action action;
	struct addr listen[LISTEN_MAX];
	size_t n_listen; /* 0: every address of this node that others can reach */
	uint16_t port;
	unsigned threads;
	unsigned lease_seconds;
	unsigned grace_seconds; /* as lease_seconds unless given */
	const char *state_dir;	/* these three borrow from argv */
	const char *runtime_dir;
	const char *spec_dir;		   /* NULL: specs below state_dir */
	const char *control_group;	   /* NULL: root alone */
	char node_name[NODE_NAME_MAX + 1]; /* empty: derived from the machine id */
	unsigned mount_timeout_seconds;
	unsigned lost_after_seconds;  /* a server silent for so long is cut off */
	unsigned masked_export_rungs; /* enum export_rung */
	unsigned masked_mount_rungs;  /* enum mount_rung */
	enum log_format log_format;
	enum log_level log_level;
};

/* -EINVAL: fault says which option and why. */
int options_parse(int argc, char *const *argv, struct options *ret, char fault[OPTIONS_FAULT_SIZE]);
void options_help(FILE *out);
