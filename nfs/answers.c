/* SPDX-License-Identifier: Apache-2.0 */
/* The set of exports, and the entries that the kernel's caches are told for it. */
#include "nfs/answers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "mountd/base/cleanup.h"
#include "nfs/answer_entries.h"

/* What a walk over entries carries along. */
struct walk {
	answers_sink *sink;
	void *data;
	int first_error;
};

static void emit(struct walk *w, const struct upcall_entry *entry)
{
	int error = w->sink(entry, w->data);

	if (error < 0 && w->first_error == 0)
		w->first_error = error;
}

void export_point_free(struct export_point *p)
{
	if (!p)
		return;
	export_clear(&p->export);
	free(p);
}

void answers_clear(struct answers *a)
{
	for (size_t i = 0; i < a->n; i++)
		export_point_free(a->points[i]);
	free(a->points);
	a->points = NULL;
	a->n = 0;
}

/* The first position whose id is not below id. */
static size_t position(const struct answers *a, const struct run_id *id)
{
	size_t low = 0, high = a->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (run_id_compare(&a->points[middle]->export.id, id) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct export_point *answers_find(const struct answers *a, const struct run_id *id)
{
	size_t i = position(a, id);

	return i < a->n && run_id_equal(&a->points[i]->export.id, id) ? a->points[i] : NULL;
}

int answers_insert(struct answers *a, struct export_point *point)
{
	size_t i = position(a, &point->export.id);
	struct export_point **grown = reallocarray(a->points, a->n + 1, sizeof *grown);

	if (!grown)
		return -ENOMEM;
	memmove(grown + i + 1, grown + i, (a->n - i) * sizeof *grown);
	grown[i] = point;
	a->points = grown;
	a->n++;
	return 0;
}

struct export_point *answers_take(struct answers *a, const struct run_id *id)
{
	size_t i = position(a, id);
	struct export_point *point;

	if (i == a->n || !run_id_equal(&a->points[i]->export.id, id))
		return NULL;
	point = a->points[i];
	a->n--;
	memmove(a->points + i, a->points + i + 1, (a->n - i) * sizeof *a->points);
	return point;
}

static int compare_addresses(const void *a, const void *b)
{
	return addr_compare(a, b);
}

bool answers_know_client(
	const struct answers *a, const struct export_point *except, const struct addr *client)
{
	for (size_t i = 0; i < a->n; i++)
		if (a->points[i] != except && export_lists_client(&a->points[i]->export, client))
			return true;
	return false;
}

const struct export_point *answers_run_of_client(const struct answers *a,
	const struct export_point *except, const char *run, const struct addr *client)
{
	struct run_id first = {0};

	memcpy(first.run, run, strlen(run));
	for (size_t i = position(a, &first); i < a->n; i++) {
		const struct export_point *p = a->points[i];
		if (strcmp(p->export.id.run, run) != 0)
			break;
		if (p != except && export_lists_client(&p->export, client))
			return p;
	}
	return NULL;
}

/* What every client has: its domain, the pseudo-root and /workspaces. */
static void emit_client(const struct answers *a, const struct addr *client, struct walk *w)
{
	struct upcall_fsid fsid;
	struct upcall_entry entry;
	char domain[UPCALL_DOMAIN_SIZE];

	domain_of(client, domain);
	entry = entry_ip(client, domain);
	emit(w, &entry);
	entry = entry_directory(domain, entry_root_path, a->pseudo_uuid);
	emit(w, &entry);
	/* The first is what PUTROOTFH asks for, the second what handles of the root carry. */
	fsid = fsid_root();
	entry = entry_key(domain, &fsid, entry_root_path);
	emit(w, &entry);
	fsid = fsid_uuid(a->pseudo_uuid);
	entry = entry_key(domain, &fsid, entry_root_path);
	emit(w, &entry);
	entry = entry_directory(domain, entry_workspaces_path, a->pseudo_uuid);
	emit(w, &entry);
	fsid = fsid_inode_uuid(a->workspaces_inode, a->pseudo_uuid);
	entry = entry_key(domain, &fsid, entry_workspaces_path);
	emit(w, &entry);
}

static void emit_point(const struct answers *a, const struct export_point *p,
	const struct addr *client, struct walk *w)
{
	char domain[UPCALL_DOMAIN_SIZE], run[PSEUDO_PATH_SIZE], path[PSEUDO_PATH_SIZE];
	struct upcall_fsid fsid;
	struct upcall_entry entry;

	domain_of(client, domain);
	run_path(&p->export.id, run);
	pseudo_path(&p->export.id, path);
	entry = entry_directory(domain, run, a->pseudo_uuid);
	emit(w, &entry);
	fsid = fsid_inode_uuid(p->run_inode, a->pseudo_uuid);
	entry = entry_key(domain, &fsid, run);
	emit(w, &entry);
	entry = entry_folder(domain, path, p);
	emit(w, &entry);
	/* nfsd uses the first where the folder is its filesystem's root, else the second alone. */
	if (p->root) {
		fsid = fsid_uuid(p->uuid);
		entry = entry_key(domain, &fsid, path);
		emit(w, &entry);
	}
	fsid = fsid_inode_uuid(p->inode, p->uuid);
	entry = entry_key(domain, &fsid, path);
	emit(w, &entry);
}

static int all_clients(const struct answers *a, struct addr **ret, size_t *ret_n)
{
	struct addr *clients;
	size_t n = 0, kept = 0;

	for (size_t i = 0; i < a->n; i++)
		n += a->points[i]->export.n_clients;
	clients = malloc((n + 1) * sizeof *clients);
	if (!clients)
		return -ENOMEM;
	n = 0;
	for (size_t i = 0; i < a->n; i++) {
		const struct export *e = &a->points[i]->export;
		memcpy(clients + n, e->clients, e->n_clients * sizeof *clients);
		n += e->n_clients;
	}
	qsort(clients, n, sizeof *clients, compare_addresses);
	for (size_t i = 0; i < n; i++)
		if (kept == 0 || !addr_equal(&clients[kept - 1], &clients[i]))
			clients[kept++] = clients[i];
	*ret = clients;
	*ret_n = kept;
	return 0;
}

int answers_preload(const struct answers *a, answers_sink *sink, void *data)
{
	struct walk w = {.sink = sink, .data = data};
	_cleanup_free_ struct addr *clients = NULL;
	size_t n;
	int error = all_clients(a, &clients, &n);

	if (error < 0)
		return error;
	for (size_t i = 0; i < n; i++)
		emit_client(a, &clients[i], &w);
	for (size_t i = 0; i < a->n; i++)
		for (size_t c = 0; c < a->points[i]->export.n_clients; c++)
			emit_point(a, a->points[i], &a->points[i]->export.clients[c], &w);
	return w.first_error;
}

int answers_preload_point(
	const struct answers *a, const struct export_point *p, answers_sink *sink, void *data)
{
	struct walk w = {.sink = sink, .data = data};

	for (size_t c = 0; c < p->export.n_clients; c++) {
		if (!answers_know_client(a, p, &p->export.clients[c]))
			emit_client(a, &p->export.clients[c], &w);
		emit_point(a, p, &p->export.clients[c], &w);
	}
	return w.first_error;
}

/* A walk over refusals. */
struct refusing {
	struct walk w;
	const char *domain;
	int64_t expiry;
};

static void refuse(struct refusing *r, struct upcall_entry entry)
{
	entry.negative = true;
	entry.expiry = r->expiry;
	emit(&r->w, &entry);
}

static void refuse_key(struct refusing *r, struct upcall_fsid fsid)
{
	refuse(r, entry_key(r->domain, &fsid, NULL));
}

static void refuse_path(struct refusing *r, const char *path)
{
	refuse(r, entry_directory(r->domain, path, NULL));
}

static void refuse_client(struct refusing *r, const struct answers *a)
{
	refuse_key(r, fsid_root());
	refuse_key(r, fsid_uuid(a->pseudo_uuid));
	refuse_key(r, fsid_inode_uuid(a->workspaces_inode, a->pseudo_uuid));
	refuse_path(r, entry_root_path);
	refuse_path(r, entry_workspaces_path);
}

static void refuse_run(struct refusing *r, const struct answers *a, const struct export_point *p)
{
	char path[PSEUDO_PATH_SIZE];

	run_path(&p->export.id, path);
	refuse_key(r, fsid_inode_uuid(p->run_inode, a->pseudo_uuid));
	refuse_path(r, path);
}

static void refuse_folder(struct refusing *r, const struct export_point *p)
{
	char path[PSEUDO_PATH_SIZE];

	pseudo_path(&p->export.id, path);
	refuse_key(r, fsid_uuid(p->uuid));
	refuse_key(r, fsid_inode_uuid(p->inode, p->uuid));
	refuse_path(r, path);
}

int answers_retire(const struct answers *a, const struct export_point *p, const struct addr *client,
	int64_t now, answers_sink *sink, void *data)
{
	char domain[UPCALL_DOMAIN_SIZE];
	struct refusing r = {
		.w = {.sink = sink, .data = data},
		.domain = domain,
		.expiry = now + ANSWER_NEGATIVE_SECONDS,
	};

	domain_of(client, domain);
	if (!answers_know_client(a, p, client)) {
		struct upcall_entry entry = entry_ip(client, domain);
		entry.expiry = now + ANSWER_LINGER_SECONDS;
		emit(&r.w, &entry);
		refuse_client(&r, a);
	}
	if (!answers_run_of_client(a, p, p->export.id.run, client))
		refuse_run(&r, a, p);
	refuse_folder(&r, p);
	return r.w.first_error;
}
