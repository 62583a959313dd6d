/* SPDX-License-Identifier: Apache-2.0 */
/* The words everything else is made of: run, incarnation, export, mount. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "mountd/base/parse.h"
#include "nfs/addr.h"

#define EXPORT_CLIENTS_MAX 64

/* One sandbox of one run. A replaced sandbox is the same run with another incarnation. */
struct run_id {
	char run[NAME_MAX_LENGTH + 1];
	char incarnation[NAME_MAX_LENGTH + 1]; /* the sandbox pod's uid */
};

/* A folder that this node serves. */
struct export
{
	struct run_id id;
	char *volume;	      /* owned; absolute; trusted: symbolic links in it are followed */
	char *folder;	      /* owned; relative to volume or "."; nothing in it is trusted */
	struct addr *clients; /* owned; sorted, no duplicates */
	size_t n_clients;     /* 1..EXPORT_CLIENTS_MAX */
	uid_t uid;	      /* every client user is squashed to uid:gid */
	gid_t gid;
	bool sync; /* answer a write only when it is on disk */
};

enum mount_kind {
	MOUNT_NFS,  /* from server:port */
	MOUNT_BIND, /* from a folder of this node */
};

/* A folder that shows at <volume>/<run>/sandbox on this node. */
struct mount {
	struct run_id id;
	enum mount_kind kind;
	struct addr server;  /* MOUNT_NFS only */
	uint16_t port;	     /* MOUNT_NFS only */
	char *source_volume; /* owned; MOUNT_BIND only; as struct export's volume */
	char *source_folder; /* owned; MOUNT_BIND only; as struct export's folder */
	char *volume;	     /* owned; absolute; the trusted root above the run's workspace */
	uid_t uid;	     /* owner of the workspace; creates what is missing of the mountpoint */
	gid_t gid;
};

int run_id_compare(const struct run_id *a, const struct run_id *b);
bool run_id_equal(const struct run_id *a, const struct run_id *b);

/* Frees what the fields own and zeroes the struct. */
void export_clear(struct export *e);
void mount_clear(struct mount *m);

/* Deep copies; -ENOMEM. */
int export_copy(const struct export *from, struct export *ret);
int mount_copy(const struct mount *from, struct mount *ret);

bool export_equal(const struct export *a, const struct export *b);
bool export_lists_client(const struct export *e, const struct addr *client);
bool mount_equal(const struct mount *a, const struct mount *b);

/*
 * Where a run's export hangs in the server's pseudo-root, and what a client asks for:
 * /workspaces/<run>/<incarnation>. With the incarnation in the path a client can never mount a
 * sandbox's predecessor by arriving too early, and a mount tells by its source whose it is.
 */
#define PSEUDO_PATH_SIZE (sizeof "/workspaces//" + 2 * NAME_MAX_LENGTH)
void pseudo_path(const struct run_id *id, char path[PSEUDO_PATH_SIZE]);

/* The reverse: -EINVAL when path is none of ours. */
int pseudo_path_parse(const char *path, struct run_id *ret);
