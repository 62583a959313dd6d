/* SPDX-License-Identifier: Apache-2.0 */
/* The life of the kernel's NFS server: found, started, served, stopped. */
#pragma once

#include "mountd/daemon.h"
#include "nfs/export.h"

/* -ENOMEM. Looks at the kernel's server in a worker first; nothing is exported before. */
int server_new(struct daemon *d, struct server **ret);
void server_free(struct server *s); /* leaves the kernel's server running */

/*
 * To be called at the end of every plan. wanted: some export is wished for; settled: no export's
 * coming is waited for (mountd/settled.h); idle: drained, and nothing is left.
 */
void server_plan(struct server *s, bool wanted, bool settled, bool idle);

/* The first look is over: exports may be planned. */
bool server_is_known(const struct server *s);
bool server_is_serving(const struct server *s);
bool server_is_stopped(const struct server *s);

/* 0: nothing waits; else the monotonic time of the next attempt. */
uint64_t server_not_before_ms(const struct server *s);

/* Looks again in a worker; then(data), if any, is called once when that is over. */
void server_refresh(struct server *s, void (*then)(void *data), void *data);
void server_refresh_forget(struct server *s, void *data);

/* Made on demand. -ENOKEY and others of exporter_new(). */
int server_exporter(struct server *s, struct exporter **ret, struct kerr *e);
struct exporter *server_open_exporter(const struct server *s); /* NULL while there is none */

const struct exporter_config *server_config(const struct server *s);
const struct server_status *server_status(const struct server *s);
const char *server_cache_rung(const struct server *s);
/* The last failure in full words, or NULL. *ret_error (may be NULL): its errno. */
const char *server_fault(const struct server *s, int *ret_error);
