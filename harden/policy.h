/* SPDX-License-Identifier: Apache-2.0 */
/* What the operator asks of the launcher, from options and configuration files. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "harden/fail.h"

enum profile {
	PROFILE_SANDBOX, /* one run per pod: developer tools work */
	PROFILE_RUNTIME, /* many runs per pod: this run's workspace only */
	PROFILE_NONE,	 /* nothing is granted but what options name */
};

enum grant_kind {
	GRANT_READ,   /* read files and list directories */
	GRANT_EXEC,   /* that and execute */
	GRANT_WRITE,  /* read and change everything beneath, no execute */
	GRANT_WORK,   /* that and execute: a workspace */
	GRANT_DEVICE, /* read, write, ioctl */
	GRANT_UNIX,   /* connect to pathname sockets */
};

struct grant {
	enum grant_kind kind;
	bool optional; /* a missing path is skipped, not an error */
	char *path;
};

struct grants {
	struct grant *v;
	size_t n;
};

struct ports {
	struct port_range {
		uint16_t low, high;
	} * v;
	size_t n;
	bool any;
};

struct strings {
	char **v;
	size_t n;
};

struct limit {
	bool set;
	uint64_t soft, hard;
};

#define ID_UNSET ((int64_t)-1)

struct policy {
	enum profile profile;
	char *run, *workspaces;
	char *config;

	int64_t uid, gid; /* ID_UNSET or an id */
	bool groups_set, allow_root_group;
	gid_t *groups;
	size_t n_groups;

	mode_t umask;
	bool umask_set;
	struct limit nofile, nproc, fsize;
	int *keep_fds;
	size_t n_keep_fds;

	char *chdir, *home, *tmpdir;
	bool keep_env;
	struct strings env;

	bool read_only_root;
	struct grants grants;
	struct ports tcp_bind, tcp_connect, udp_bind, udp_connect;
	int landlock_min;
	bool landlock_audit;
	char *seccomp; /* "strict", "dev", "none" or a file */

	bool verify, best_effort, verbose;
	bool init, setsid;
	int pdeathsig;
	char *wait_mount;
	unsigned int timeout; /* seconds */

	bool help, version;
};

/* NFS port that no program behind this launcher may reach, whatever is granted. */
#define PORT_NEVER 20490

int policy_init(struct policy *p); /* -ENOMEM */
void policy_done(struct policy *p);

/* The path is copied. -ENOMEM. */
int grants_add(struct grants *g, enum grant_kind kind, bool optional, const char *path);
void grants_done(struct grants *g);

/* Is the port in the set? PORT_NEVER never is. */
bool ports_have(const struct ports *ports, uint16_t port);

/* Contradictions between keys that each are valid: -EINVAL and the reason. */
int policy_check(const struct policy *p, struct fail *f);
