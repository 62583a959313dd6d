/* SPDX-License-Identifier: Apache-2.0 */
/* What a client is granted when the kernel asks: an address, a handle's export, a path. */
#include <string.h>

#include "nfs/answer_entries.h"
#include "nfs/answers.h"
#include "nfs/nfsd_abi.h"

/* The directory of the pseudo-root that a handle names, if client may have it. */
static bool directory_of_key(const struct answers *a, const struct upcall_fsid *fsid,
	const struct addr *client, char path[PATH_MAX])
{
	bool root = fsid_is_root(fsid) || fsid->type == NFSD_FSID_UUID16;

	if (root || fsid_has_inode(fsid, a->workspaces_inode)) {
		strcpy(path, root ? entry_root_path : entry_workspaces_path);
		return answers_know_client(a, NULL, client);
	}
	for (size_t i = 0; i < a->n; i++) {
		const struct export_point *p = a->points[i];
		if (fsid_has_inode(fsid, p->run_inode) && export_lists_client(&p->export, client)) {
			run_path(&p->export.id, path);
			return true;
		}
	}
	return false;
}

/* The path of a handle's export, if client may have it. */
static bool path_of_key(const struct answers *a, const struct upcall_fsid *fsid,
	const struct addr *client, char path[PATH_MAX])
{
	if (fsid_is_root(fsid) || fsid_has_uuid(fsid, a->pseudo_uuid))
		return directory_of_key(a, fsid, client, path);
	for (size_t i = 0; i < a->n; i++) {
		const struct export_point *p = a->points[i];
		if (fsid_has_uuid(fsid, p->uuid) && fsid_may_be_inode(fsid, p->inode) &&
			export_lists_client(&p->export, client)) {
			pseudo_path(&p->export.id, path);
			return true;
		}
	}
	return false;
}

static bool export_of_path(const struct answers *a, const char *path, const struct addr *client,
	const char *domain, struct upcall_entry *ret)
{
	const struct export_point *p;
	struct run_id id;

	if (strcmp(path, entry_root_path) == 0 || strcmp(path, entry_workspaces_path) == 0) {
		*ret = entry_directory(domain, path, a->pseudo_uuid);
		return answers_know_client(a, NULL, client);
	}
	if (run_path_parse(path, id.run) == 0) {
		p = answers_run_of_client(a, NULL, id.run, client);
		if (p)
			*ret = entry_directory(domain, path, a->pseudo_uuid);
		return p;
	}
	if (pseudo_path_parse(path, &id) < 0)
		return false;
	p = answers_find(a, &id);
	if (!p || !export_lists_client(&p->export, client))
		return false;
	*ret = entry_folder(domain, path, p);
	return true;
}

int answers_request(const struct answers *a, const struct upcall_request *q, int64_t now,
	struct upcall_entry *ret, struct answer_texts *texts)
{
	struct upcall_entry entry = {.cache = q->cache};
	struct addr client = q->address;
	bool granted = false;

	if (q->cache == UPCALL_IP)
		domain_of(&client, texts->domain);
	else if (domain_parse(q->domain, &client) == 0)
		strcpy(texts->domain, q->domain);
	else
		return 0;
	switch (q->cache) {
	case UPCALL_IP:
		granted = answers_know_client(a, NULL, &client);
		entry = entry_ip(&client, texts->domain);
		break;
	case UPCALL_KEY:
		granted = path_of_key(a, &q->fsid, &client, texts->path);
		entry = entry_key(texts->domain, &q->fsid, texts->path);
		break;
	default:
		strcpy(texts->path, q->path);
		granted = export_of_path(a, texts->path, &client, texts->domain, &entry);
		break;
	}
	if (!granted) {
		entry.negative = true;
		entry.domain = texts->domain;
		entry.path = texts->path;
		entry.expiry = now + ANSWER_NEGATIVE_SECONDS;
	}
	*ret = entry;
	return 1;
}
