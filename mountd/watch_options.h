/* SPDX-License-Identifier: Apache-2.0 */
/* The watch's command line. */
#pragma once

#include <stdio.h>

#include "mountd/base/log.h"
#include "mountd/base/option_table.h"
#include "nfs/addr.h"

#define WATCH_ROOTS_MAX 32

enum watch_action {
	WATCH_RUN,
	WATCH_VERSION,
	WATCH_HELP,
};

struct watch_options {
	enum watch_action action;
	const char *node;   /* all texts borrow from argv or the environment */
	const char *socket; /* the daemon's */
	struct addr http;   /* family 0: no HTTP */
	uint16_t http_port;
	uint16_t port; /* of the other nodes' servers */
	const char *kubelet_dir;
	const char *roots[WATCH_ROOTS_MAX];
	size_t n_roots;
	bool cross_namespace;
	unsigned unexport_grace_seconds;
	const char *kubeconfig; /* NULL: in-cluster, or these three */
	const char *server;
	const char *token_file;
	const char *ca_file;
	enum log_format log_format;
	enum log_level log_level;
};

/* -EINVAL: fault says which option and why. */
int watch_options_parse(
	int argc, char *const *argv, struct watch_options *ret, char fault[OPTIONS_FAULT_SIZE]);
void watch_options_help(FILE *out);
