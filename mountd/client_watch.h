/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Watches the clients of this node's NFS server: what a dead agent node holds must not keep the
 * sandbox waiting for its own files. Looks while the server serves; a client that is dead
 * (mountd/client_judge.h) is expired in a worker.
 */
#pragma once

struct client_watch;
struct daemon;

/* Negative errno. */
int client_watch_new(struct daemon *d, struct client_watch **ret);
void client_watch_free(struct client_watch *w);

/* Looks a moment later. To be called when nfsd has asked something: there may be a new client. */
void client_watch_soon(struct client_watch *w);

/* Begins to look once the server serves. To be called with every plan. */
void client_watch_match(struct client_watch *w);
