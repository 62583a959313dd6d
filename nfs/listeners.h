/* SPDX-License-Identifier: Apache-2.0 */
/* Whose listeners nfsd has: ours, or somebody else's. */
#pragma once

#include "mountd/base/kerr.h"
#include "nfs/nfsd_text.h"

#define LISTENERS_MAX 64

/* A small set; an own one is our configuration, or what we recorded when we started nfsd. */
struct listeners {
	struct listener list[LISTENERS_MAX];
	size_t n;
};

struct listeners_verdict {
	size_t n_nfsd;	   /* listeners nfsd has */
	size_t n_ours;	   /* our addresses that somebody listens on */
	char foreign[128]; /* the first that is not ours, "tcp 0.0.0.0:2049"; empty = none */
};

/* Ignored when full: nobody configures that many. */
void listeners_add(struct listeners *to, const struct addr *addr, uint16_t port);
bool listeners_have(const struct listeners *set, const struct listener *one);
void listener_format(const char *transport, const struct listener *l, char *text, size_t size);

/*
 * Pure. nfsd's portlist does not tell addresses, so a line is ours as long as one of our
 * addresses has a listening socket at that port left to explain it.
 */
void listeners_judge(const char *portlist, const struct listeners *sockets,
	const struct listeners *ours, struct listeners_verdict *ret);

/* All listening TCP sockets of this network namespace at one of ports' ports. */
int listeners_read_sockets(const struct listeners *ports, struct listeners *ret, struct kerr *e);
