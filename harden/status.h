/* SPDX-License-Identifier: Apache-2.0 */
/* What /proc/PID/status says of identities, capabilities and filters. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define STATUS_MAX 8192 /* bytes of text that are read */

struct proc_status {
	char name[32];
	uint32_t uid[4], gid[4]; /* real, effective, saved, filesystem */
	uint32_t groups[64];
	size_t n_groups; /* may be above 64: the rest is not kept */
	uint64_t inheritable, permitted, effective, bounding, ambient;
	int no_new_privs;
	int seccomp;	     /* 0, 1 strict, 2 filter */
	int seccomp_filters; /* -1: this kernel does not say (before 5.9) */
};

/* text is zero-terminated. -EBADMSG when a field that every supported kernel has is missing. */
int status_parse(const char *text, struct proc_status *ret);

/* fd of an open /proc/PID/status; read from its beginning each time. -errno, -EBADMSG. */
int status_read(int fd, struct proc_status *ret);
