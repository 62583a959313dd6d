/* SPDX-License-Identifier: Apache-2.0 */
/* kora-mountctl doctor's inner interface: checks that add findings. */
#pragma once

#include "mountd/ctl.h"

enum verdict { VERDICT_OK, VERDICT_WARN, VERDICT_FAIL };

struct doctor {
	const struct ctl_args *args;
	json_t *findings; /* array of {"check", "verdict", "evidence", "advice"} */
};

/* advice may be NULL: nothing to do. */
void doctor_say(struct doctor *d, const char *check, enum verdict verdict, const char *advice,
	const char *format, ...) __attribute__((format(printf, 5, 6)));

/* The finding just said is due to a kernel module that is missing: an exit code of its own. */
void doctor_blame_module(struct doctor *d, const char *module);

/* One question to the daemon, as ctl_call(), with a patience that fits a check's deadline. */
int doctor_ask(const struct doctor *d, const char *verb, json_t **ret_items, json_t **ret_last,
	struct ctl_fault *fault);

/* Advice differs where the node's files and namespaces are to be handed in first. */
bool doctor_in_container(void);

/* The running kernel is at least major.minor. */
bool doctor_kernel_at_least(unsigned major, unsigned minor);

/* Addresses of this network namespace that another node can reach; returns how many. */
#define DOCTOR_ADDRESSES_MAX 64
size_t doctor_own_addresses(struct addr ret[DOCTOR_ADDRESSES_MAX]);

/* Each runs in a child of its own that is killed at its deadline. */
void doctor_kernel(struct doctor *d);
void doctor_modules(struct doctor *d);
void doctor_rungs(struct doctor *d);
void doctor_daemon(struct doctor *d);
void doctor_runs(struct doctor *d);
void doctor_server(struct doctor *d);
void doctor_listeners(struct doctor *d);
void doctor_netns(struct doctor *d);
void doctor_addresses(struct doctor *d);
void doctor_node_name(struct doctor *d);
void doctor_client(struct doctor *d);
void doctor_mounts(struct doctor *d);
void doctor_folder(struct doctor *d);
void doctor_volume(struct doctor *d);

/* A listening TCP socket as /proc/net/tcp and tcp6 print it. */
struct doctor_listener {
	struct addr addr;
	bool wildcard;
	uint16_t port;
	uint64_t inode;
};

/* One line: 0; -EINVAL when it is none (a header, say); -ENOENT when it does not listen. */
int doctor_listener_parse(const char *line, struct doctor_listener *ret);
