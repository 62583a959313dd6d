/* SPDX-License-Identifier: Apache-2.0 */
/* How to reach the API server: from inside the cluster, from files, or from a kubeconfig. */
#pragma once

#include <stddef.h>

#include "mountd/base/kerr.h"

struct access_blob {
	unsigned char *bytes; /* owned; NULL: none */
	size_t size;
};

struct access {
	char *server; /* owned, as all texts; "https://10.96.0.1:443", without a slash at its end */
	char *token_file; /* NULL: none; read anew for every request, since tokens rotate */
	char *token;	  /* NULL: none */
	char *ca_file;	  /* NULL: ca, or else the system's */
	struct access_blob ca;
	struct access_blob certificate; /* PEM */
	struct access_blob key;
};

/*
 * Of a pod: KUBERNETES_SERVICE_HOST, KUBERNETES_SERVICE_PORT and the files of its service account.
 * What the caller gives counts instead; each may be NULL. -EINVAL: *e says what is missing.
 */
int access_in_cluster(const char *server, const char *token_file, const char *ca_file,
	struct access *ret, struct kerr *e);

/*
 * The current context of a kubeconfig in JSON (kubectl config view --raw --flatten -o json). What
 * runs a program to get credentials is refused. -EINVAL, -EFBIG, or what opening it failed at.
 */
int access_from_kubeconfig(const char *path, struct access *ret, struct kerr *e);

void access_clear(struct access *a);

/* The token to send now; *ret is owned by the caller and NULL where there is none. */
int access_read_token(const struct access *a, char **ret);
