/* SPDX-License-Identifier: Apache-2.0 */
/* The mount engine on a real kernel, against the two servers of mount_engine.sh: its cases' tools.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>
#include <unistd.h>

#include "mountd/base/cleanup.h"
#include "nfs/actual.h"
#include "nfs/mount.h"

#define VOLUME	"/workspaces/volume"
#define SOURCES "/workspaces/sources"
#define TARGET	VOLUME "/r1/sandbox"

extern struct mount_config config;
extern struct mount_known known;

/* Shared with forked workers: what an attempt said. */
struct report {
	int error;
	struct mount_outcome out;
	struct kerr e;
};

#define check(condition, ...) \
	do { \
		if (!(condition)) { \
			(void)printf( \
				"  %s, line %d: %s is not so: ", __FILE__, __LINE__, #condition); \
			(void)printf(__VA_ARGS__); \
			(void)printf("\n"); \
			(void)fflush(stdout); \
			_exit(1); \
		} \
	} while (0)

/* fixture.c */
#define N_HOLDERS 5
double now(void);
bool kernel_at_least(unsigned major, unsigned minor);
bool wait_exit(pid_t pid, double seconds, int *status);
void shell(const char *command);
struct addr address(const char *text);
struct mount nfs_mount(const char *server, const char *incarnation);
struct mount bind_mount(const char *folder, const char *incarnation);
pid_t attach_start(const struct mount *m, int *ret_pipe);
struct report attach(const struct mount *m);
const char *explain(const struct report *r);
struct mount_outcome attached(const struct mount *m, const char *rung);
void refused(const struct mount *m, int error);
int detach_here(enum detach_how how, const char **rung, struct kerr *e);
void detached(enum detach_how how, const char *wanted);
size_t mounts_below(const char *path, struct actual_mount *ret_last);
int read_id(char text[16]);
void shows(const char *wanted);
void is_bare(void);
void drop(const char *server);
void heal(void);
void holders_start(pid_t pids[N_HOLDERS]);
double holders_end(const pid_t pids[N_HOLDERS], double deadline);
void make_source(const char *folder);
pid_t watcher(int *ret_stop);

/* cases_attach.c */
void case_attach(void);
void case_ipv6(void);
void case_not_exported(void);
void case_unknown_client(void);
void case_foreign_name(void);
void case_nobody_listens(void);
void case_killed_attempt(void);
void case_squashed_root(void);

/* cases_replace.c */
void case_replace(void);
void case_replace_old_rung(void);
void case_killed_replacement(void);
void case_replace_dead(void);

/* cases_detach.c */
void case_busy(void);
void case_dead_server(void);
void case_dead_server_old_rung(void);
void case_never_looks(void);
void case_only_mount(void);

/* cases_bind.c */
void case_bind(void);
void case_bind_and_nfs(void);
void case_bind_busy(void);

/* cases_place.c */
void case_foreign(void);
void case_seen_and_replaced(void);
void case_bad_targets(void);
void case_mountpoint(void);
void case_private_volume(void);
void case_container(void);
void case_renamed_run(void);
void case_exchanged_symlinks(void);
