/* SPDX-License-Identifier: Apache-2.0 */
/* What server.c is put together of: the two ways to start nfsd, the names of rungs. */
#pragma once

#include "nfs/export.h"

/* fs: the open filesystem "nfsd". */
int server_start_procfs(int fs, const struct exporter_config *config, struct kerr *e);

/* -ENOENT, with *e untouched: this kernel cannot, use the other way. */
int server_start_netlink(const struct exporter_config *config, struct kerr *e);
bool server_has_netlink(void);

/* The best of what takes away a run's state: static text, for people. */
const char *revoke_best_rung(unsigned masked_rungs);

/*
 * A bound and listening socket for one of our addresses. -EADDRINUSE and -EADDRNOTAVAIL name the
 * address in *e.
 */
int server_listen(const struct addr *addr, uint16_t port, int *ret_fd, struct kerr *e);
