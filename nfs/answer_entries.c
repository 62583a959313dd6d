/* SPDX-License-Identifier: Apache-2.0 */
/* Domains, handle keys, and single entries of the kernel's export caches. */
#include "nfs/answer_entries.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "nfs/answers.h"
#include "nfs/nfsd_abi.h"

#define NOBODY 65534

const char entry_root_path[] = "/";
const char entry_workspaces_path[] = "/workspaces";

static const char domain_prefix[] = "kora-";

void domain_of(const struct addr *client, char domain[UPCALL_DOMAIN_SIZE])
{
	char text[ADDR_TEXT_SIZE];

	addr_format(client, text);
	(void)snprintf(domain, UPCALL_DOMAIN_SIZE, "%s%s", domain_prefix, text);
}

int domain_parse(const char *domain, struct addr *ret)
{
	char again[UPCALL_DOMAIN_SIZE];
	struct addr client;

	if (strncmp(domain, domain_prefix, sizeof domain_prefix - 1) != 0 ||
		addr_parse(domain + sizeof domain_prefix - 1, &client) < 0)
		return -EINVAL;
	domain_of(&client, again);
	if (strcmp(domain, again) != 0)
		return -EINVAL;
	*ret = client;
	return 0;
}

void run_path(const struct run_id *id, char path[PSEUDO_PATH_SIZE])
{
	(void)snprintf(path, PSEUDO_PATH_SIZE, "%s/%s", entry_workspaces_path, id->run);
}

int run_path_parse(const char *path, char run[NAME_MAX_LENGTH + 1])
{
	size_t prefix = sizeof entry_workspaces_path - 1;

	if (strncmp(path, entry_workspaces_path, prefix) != 0 || path[prefix] != '/' ||
		!name_is_valid(path + prefix + 1))
		return -EINVAL;
	strcpy(run, path + prefix + 1);
	return 0;
}

struct upcall_fsid fsid_root(void)
{
	return (struct upcall_fsid){.type = NFSD_FSID_NUM, .size = 4};
}

struct upcall_fsid fsid_uuid(const unsigned char uuid[FSID_UUID_SIZE])
{
	struct upcall_fsid fsid = {.type = NFSD_FSID_UUID16, .size = FSID_UUID_SIZE};

	memcpy(fsid.bytes, uuid, FSID_UUID_SIZE);
	return fsid;
}

struct upcall_fsid fsid_inode_uuid(uint64_t inode, const unsigned char uuid[FSID_UUID_SIZE])
{
	struct upcall_fsid fsid = {
		.type = NFSD_FSID_UUID16_INUM,
		.size = sizeof inode + FSID_UUID_SIZE,
	};

	/* In the kernel's own byte order. */
	memcpy(fsid.bytes, &inode, sizeof inode);
	memcpy(fsid.bytes + sizeof inode, uuid, FSID_UUID_SIZE);
	return fsid;
}

bool fsid_is_root(const struct upcall_fsid *fsid)
{
	static const unsigned char zero[4];

	return fsid->type == NFSD_FSID_NUM && fsid->size == sizeof zero &&
	       memcmp(fsid->bytes, zero, sizeof zero) == 0;
}

bool fsid_has_uuid(const struct upcall_fsid *fsid, const unsigned char uuid[FSID_UUID_SIZE])
{
	size_t at = fsid->type == NFSD_FSID_UUID16_INUM ? sizeof(uint64_t) : 0;

	return (fsid->type == NFSD_FSID_UUID16 || at) && fsid->size == at + FSID_UUID_SIZE &&
	       memcmp(fsid->bytes + at, uuid, FSID_UUID_SIZE) == 0;
}

bool fsid_has_inode(const struct upcall_fsid *fsid, uint64_t inode)
{
	return fsid->type == NFSD_FSID_UUID16_INUM &&
	       memcmp(fsid->bytes, &inode, sizeof inode) == 0;
}

bool fsid_may_be_inode(const struct upcall_fsid *fsid, uint64_t inode)
{
	return fsid->type == NFSD_FSID_UUID16 || fsid_has_inode(fsid, inode);
}

struct upcall_entry entry_ip(const struct addr *client, const char *domain)
{
	return (struct upcall_entry){
		.cache = UPCALL_IP,
		.expiry = ANSWER_EXPIRY_NEVER,
		.address = *client,
		.domain = domain,
	};
}

struct upcall_entry entry_key(const char *domain, const struct upcall_fsid *fsid, const char *path)
{
	return (struct upcall_entry){
		.cache = UPCALL_KEY,
		.expiry = ANSWER_EXPIRY_NEVER,
		.domain = domain,
		.fsid = *fsid,
		.path = path,
	};
}

static struct upcall_entry entry_export(
	const char *domain, const char *path, const unsigned char *uuid, unsigned flags)
{
	return (struct upcall_entry){
		.cache = UPCALL_EXPORT,
		.expiry = ANSWER_EXPIRY_NEVER,
		.domain = domain,
		.path = path,
		.uuid = uuid,
		.flags = flags | NFSD_EXPORT_ALLSQUASH | NFSD_EXPORT_ROOTSQUASH |
			 NFSD_EXPORT_NOSUBTREECHECK,
		.uid = NOBODY,
		.gid = NOBODY,
	};
}

struct upcall_entry entry_directory(const char *domain, const char *path, const unsigned char *uuid)
{
	return entry_export(domain, path, uuid, NFSD_EXPORT_V4ROOT | NFSD_EXPORT_READONLY);
}

struct upcall_entry entry_folder(const char *domain, const char *path, const struct export_point *p)
{
	struct upcall_entry entry = entry_export(domain, path, p->uuid,
		(p->export.sync ? 0 : NFSD_EXPORT_ASYNC) |
			(p->quiesced ? NFSD_EXPORT_READONLY : 0));

	entry.uid = p->export.uid;
	entry.gid = p->export.gid;
	return entry;
}
