/* SPDX-License-Identifier: Apache-2.0 */
/* What a client can try that the kernel's own never would. Each prints what came of it. */
#pragma once

#include "tests/vm/raw_client/compound.h"

struct attack {
	struct target target;
	uint32_t uid;
	int n;	     /* of args */
	char **args; /* after the attack's name */
};

/* Every one returns an exit status: 0 when it could be carried out, whatever came of it. */
int attack_walk(const struct attack *a);   /* PATH...: "STATUS [handle]" for each */
int attack_list(const struct attack *a);   /* PATH: READDIR */
int attack_handle(const struct attack *a); /* HANDLE...: READDIR of a handle from elsewhere */
int attack_read(const struct attack *a);   /* HANDLE: READ */
int attack_write(const struct attack *a);  /* HANDLE: WRITE */
int attack_forge(const struct attack *a);  /* HANDLE: all kinds of other filesystems' numbers */
int attack_inode(const struct attack *a);  /* HANDLE INODE: another file of the same filesystem */

int attack_versions(const struct attack *a);  /* other programs, versions, minor versions */
int attack_flavors(const struct attack *a);   /* no credentials; COMPOUNDs without a session */
int attack_udp(const struct attack *a);	      /* a call by UDP */
int attack_oversized(const struct attack *a); /* too many operations, too much in one */
int attack_silence(const struct attack *a);   /* calls on, and never says that it reclaimed all */
int attack_garbage(const struct attack *a);   /* SEED: records of noise, broken ones */
int attack_hold(const struct attack *a);      /* N: connections that say nothing, until killed */
