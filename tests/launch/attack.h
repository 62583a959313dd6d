/* SPDX-License-Identifier: Apache-2.0 */
/* What run A tries against run B; shared by the driver, the victim and the attacker. */
#pragma once

#include <stddef.h>
#include <sys/types.h>

/* What the attacker knows of the victim. */
struct target {
	const char *a, *b; /* the two workspaces */
	pid_t pid;
	int shm, msg, sem;
	int fd; /* an open descriptor of the victim */
	int tcp, udp;
	const char *abstract;
	uid_t uid;
	gid_t gid;
};

struct row {
	const char *name;
	int (*attack)(const struct target *t); /* 0: it worked, else errno */
	int from;	       /* Landlock ABI from which it is refused to the same uid; 0: never */
	int refused;	       /* with this errno */
	int other_uid;	       /* errno for another uid where ids decide; 0: as for the same uid */
	int filtered;	       /* errno by the strict filter; 0: the filter has no say */
	const char *closed_by; /* where the same uid stays open */
};

extern const struct row rows[];
extern const size_t n_rows;

/* Being run B: make everything that can be attacked, say where it is, wait for the end of stdin. */
int victim_main(char **argv);
