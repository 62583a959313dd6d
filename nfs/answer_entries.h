/* SPDX-License-Identifier: Apache-2.0 */
/* The building blocks of answers: domains, handle keys, and single entries of the caches. */
#pragma once

#include "nfs/answers.h"

extern const char entry_root_path[];
extern const char entry_workspaces_path[];

/* "kora-<address>": one domain an address, in a name space no other tool uses. */
void domain_of(const struct addr *client, char domain[UPCALL_DOMAIN_SIZE]);
int domain_parse(const char *domain, struct addr *ret); /* -EINVAL: none of ours */

/* /workspaces/<run> */
void run_path(const struct run_id *id, char path[PSEUDO_PATH_SIZE]);
int run_path_parse(const char *path, char run[NAME_MAX_LENGTH + 1]); /* -EINVAL */

struct upcall_fsid fsid_root(void);
struct upcall_fsid fsid_uuid(const unsigned char uuid[FSID_UUID_SIZE]);
struct upcall_fsid fsid_inode_uuid(uint64_t inode, const unsigned char uuid[FSID_UUID_SIZE]);
bool fsid_is_root(const struct upcall_fsid *fsid);
bool fsid_has_uuid(const struct upcall_fsid *fsid, const unsigned char uuid[FSID_UUID_SIZE]);
bool fsid_has_inode(const struct upcall_fsid *fsid, uint64_t inode);
/* Has it this inode, or none at all? */
bool fsid_may_be_inode(const struct upcall_fsid *fsid, uint64_t inode);

/* Positive entries that never expire. What they point to is borrowed. */
struct upcall_entry entry_ip(const struct addr *client, const char *domain);
struct upcall_entry entry_key(const char *domain, const struct upcall_fsid *fsid, const char *path);
/* A directory of the pseudo-root. */
struct upcall_entry entry_directory(
	const char *domain, const char *path, const unsigned char *uuid);
struct upcall_entry entry_folder(
	const char *domain, const char *path, const struct export_point *p);
