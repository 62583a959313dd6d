/* SPDX-License-Identifier: Apache-2.0 */
/* The posture of a running process, control by control, each with its evidence. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

enum verdict {
	VERDICT_PASS,
	VERDICT_FAIL,
	VERDICT_POD,	 /* not in force, and for the pod's specification to decide */
	VERDICT_UNKNOWN, /* can't be seen from here */
};

struct control {
	const char *name;
	const char *standard; /* "restricted" (Pod Security), or "kora" (what the launcher adds) */
	enum verdict verdict;
	char evidence[192];
};

struct posture {
	pid_t pid;
	bool self; /* canaries can be used */
	char name[32];
	struct control controls[24];
	size_t n;
};

/* -ESRCH: no such process; -EACCES and others of reading /proc. */
int posture_collect(pid_t pid, struct posture *ret);

/* Does no control have this verdict? */
bool posture_without(const struct posture *p, enum verdict verdict);

void posture_table(const struct posture *p, FILE *out);
int posture_json(const struct posture *p, FILE *out); /* -ENOMEM */

/*
 * `kora-launch verify`: 0 all controls hold, 1 one fails, 2 only the pod's do not hold, 125 usage
 * or no such process.
 */
int posture_main(int argc, char **argv);
