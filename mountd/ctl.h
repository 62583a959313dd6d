/* SPDX-License-Identifier: Apache-2.0 */
/* kora-mountctl's inner interfaces: arguments in, a verb's work, an exit code out. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "mountd/base/cleanup.h"
#include "nfs/run.h"

#define CTL_SOCKET "/run/kora-sandbox-mount/control.sock"
#define CTL_VOLUME "/workspaces" /* where a runtime pod sees its volume */
#define CTL_PORT   20490

/* What every verb returns and the man page lists. */
enum ctl_exit {
	CTL_OK,
	CTL_FAILED,
	CTL_USAGE,
	CTL_NOT_FOUND,
	CTL_REFUSED,
	CTL_UNREACHABLE,
	CTL_TIMEOUT,
	CTL_MODULE_MISSING,
	CTL_UNHEALTHY,
	CTL_EXIT_COUNT,
};

/* A failure as the operator reads it: what happened, to which run, and what now. */
struct ctl_fault {
	enum ctl_exit code;
	char what[1024];
	char now[512];	  /* may be empty */
	char field[64];	  /* the request's field at fault; may be empty */
	const char *seen; /* wait: static, what showed at the deadline; else NULL */
};

/* Fills *f and returns code. now may be NULL. */
int ctl_fault_set(struct ctl_fault *f, enum ctl_exit code, const char *now, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* "not-found", "timeout", … and the reverse, where an unknown kind is CTL_FAILED. */
const char *ctl_exit_name(enum ctl_exit code);
enum ctl_exit ctl_exit_from_kind(const char *kind);

enum ctl_option_bit {
	CTL_OPT_SOCKET = 1 << 0,
	CTL_OPT_OUTPUT = 1 << 1,
	CTL_OPT_TIMEOUT = 1 << 2,
	CTL_OPT_NO_WAIT = 1 << 3,
	CTL_OPT_HELP = 1 << 4,
	CTL_OPT_VERSION = 1 << 5,
	CTL_OPT_VOLUME = 1 << 6,
	CTL_OPT_FOLDER = 1 << 7,
	CTL_OPT_INCARNATION = 1 << 8,
	CTL_OPT_CLIENT = 1 << 9,
	CTL_OPT_UID = 1 << 10,
	CTL_OPT_GID = 1 << 11,
	CTL_OPT_SYNC = 1 << 12,
	CTL_OPT_SERVER = 1 << 13,
	CTL_OPT_PORT = 1 << 14,
	CTL_OPT_SOURCE_VOLUME = 1 << 15,
	CTL_OPT_SOURCE_FOLDER = 1 << 16,
	CTL_OPT_LISTEN = 1 << 17,
};

struct ctl_args {
	const struct ctl_verb *verb;
	const char *operand; /* NULL where the verb takes none; all texts borrow from argv … */
	unsigned given;	     /* enum ctl_option_bit */
	bool json;
	const char *socket;
	unsigned timeout; /* seconds */
	const char *volume;
	const char *folder;
	const char *incarnation;
	const char *source_volume;
	const char *source_folder;
	struct addr addresses[EXPORT_CLIENTS_MAX]; /* --client or --listen */
	size_t n_addresses;
	struct addr server;
	uint16_t port;
	uint32_t uid;
	uint32_t gid;
};

struct ctl_verb {
	const char *name;
	const char *operand; /* as the help shows it, "[…]" where it may be left out; NULL: none */
	const char *summary;
	unsigned required;	  /* enum ctl_option_bit */
	unsigned allowed;	  /* besides required, --output, --help and --version */
	unsigned default_timeout; /* seconds; 0: never waits */
	/* Returns an exit code, with *fault filled unless CTL_OK; prints the result itself. */
	int (*run)(const struct ctl_args *args, struct ctl_fault *fault);
};

extern const struct ctl_verb ctl_verbs[];
extern const size_t ctl_n_verbs;

/*
 * Parses a command line strictly: no abbreviation, nothing twice but a list's option, nothing
 * that the verb would ignore. … and from scratch, where a path is spelt without a trailing slash.
 * CTL_OK or CTL_USAGE. verb is NULL in *ret where only --help or --version was asked for. json is
 * as asked for, even behind what is wrong.
 */
int ctl_args_parse(int argc, char **argv, struct ctl_args *ret, struct ctl_fault *fault);
void ctl_help_print(FILE *out, const struct ctl_verb *verb); /* NULL: the overview */

/* A spec (docs/specs.md) from arguments; NULL with *fault filled. */
json_t *ctl_spec_from_args(const struct ctl_args *args, const char *kind, struct ctl_fault *fault);
/* An absolute path as volume and folder: its parent is trusted, its last component is not. */
int ctl_path_split(const char *path, char *volume, size_t size, const char **ret_folder);

static inline void cleanup_json(json_t **json)
{
	json_decref(*json);
}
#define _cleanup_json_ _cleanup_(cleanup_json)

/* Milliseconds of CLOCK_MONOTONIC; what is left until deadline, never negative, fits poll(2). */
int64_t ctl_now_ms(void);
int ctl_left_ms(int64_t deadline);

/*
 * One request, answered by the daemon before deadline. *ret_items is an array, *ret_last the last
 * packet (either may be NULL where the caller has no use for it); both owned by the caller.
 */
int ctl_call(const char *socket, const json_t *request, int64_t deadline, json_t **ret_items,
	json_t **ret_last, struct ctl_fault *fault);

/* What now, where a run is not known: its spec file may be broken. */
extern const char ctl_no_such_run[];

/*
 * A child process that may block for ever: it writes to one descriptor, holds no other, and is
 * killed, or abandoned where it can't die, by ctl_child_end(). Zero-cost to end twice.
 */
struct ctl_child {
	pid_t pid; /* 0: none */
	int fd;	   /* what it writes, non-blocking; -1: none */
};
#define CTL_CHILD_NONE ((struct ctl_child){.fd = -1})
int ctl_child_start(
	struct ctl_child *ret, void (*body)(int fd, const void *context), const void *context);
void ctl_child_end(struct ctl_child *child);

/* Printing. Every text loses its control characters on the way to a terminal. */
void ctl_print_text(const char *text);
void ctl_print_json(const json_t *json);
/* rows: an array of arrays of strings, the first one being the header. */
void ctl_print_table(const json_t *rows);
void ctl_print_field(const char *name, const char *value);
#define CTL_AGE_SIZE 32
void ctl_format_age(int64_t seconds, char text[CTL_AGE_SIZE]);
/* stderr for people; with -o json one object on stdout, too. */
void ctl_print_fault(const struct ctl_args *args, const struct ctl_fault *fault);

/* How far a look at a path came: each stage is reported as it ends. */
enum ctl_probe_stage {
	CTL_PROBE_PARENT,   /* the folder above it */
	CTL_PROBE_OPENED,   /* the path itself */
	CTL_PROBE_ANSWERED, /* its filesystem */
};

struct ctl_probe_report {
	enum ctl_probe_stage stage;
	int error; /* negative errno: the stage failed, and nothing follows */
	uint64_t mount_id;
	bool is_mount;	   /* path is a mount's root */
	char target[3072]; /* path without symbolic links, as far as it is known */
};

/* A child that looks at path and may hang doing so. -ENAMETOOLONG or what starting it failed at. */
int ctl_probe_start(struct ctl_child *ret, const char *path);
/* Takes one report: 1 when there was one, 0 when not yet, -EPIPE when the child has ended. */
int ctl_probe_read(const struct ctl_child *child, struct ctl_probe_report *ret);

int ctl_status(const struct ctl_args *args, struct ctl_fault *fault);
int ctl_runs(const struct ctl_args *args, struct ctl_fault *fault);
int ctl_describe(const struct ctl_args *args, struct ctl_fault *fault);
int ctl_export(const struct ctl_args *args, struct ctl_fault *fault);
int ctl_mount(const struct ctl_args *args, struct ctl_fault *fault);
int ctl_bind(const struct ctl_args *args, struct ctl_fault *fault);
int ctl_release(const struct ctl_args *args, struct ctl_fault *fault);
int ctl_drain(const struct ctl_args *args, struct ctl_fault *fault);
int ctl_resume(const struct ctl_args *args, struct ctl_fault *fault);
int ctl_wait(const struct ctl_args *args, struct ctl_fault *fault);
int ctl_doctor(const struct ctl_args *args, struct ctl_fault *fault);
int ctl_help(const struct ctl_args *args, struct ctl_fault *fault);
