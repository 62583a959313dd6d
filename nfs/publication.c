/* SPDX-License-Identifier: Apache-2.0 */
/* The set of exports made known to the kernel. */
#include "nfs/publication.h"

#include <errno.h>
#include <time.h>

/* The kernel's caches speak of wall-clock time. */
static int64_t now(void)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_REALTIME, &ts);
	return ts.tv_sec;
}

/* What a sink of entries needs; e is of the first failure. */
struct writing {
	struct publication *p;
	struct kerr *e;
	bool failed;
};

static int write_failed(const struct upcall_entry *entry, int error, struct kerr *e)
{
	if (entry->cache == UPCALL_EXPORT && error == -EINVAL)
		return kerr_set(e, -EOPNOTSUPP, "export", entry->path,
			"the kernel cannot export it: its volume is an idmapped mount, or has no "
			"file handles; use a volume without");
	return kerr_set(e, error, "write cache", upcall_cache_name(entry->cache), "%s %s",
		entry->domain ? entry->domain : "", entry->path ? entry->path : "");
}

/* A sink. In the pseudo-root. */
static int write_entry(const struct upcall_entry *entry, void *data)
{
	struct writing *w = data;
	int error = caches_write(&w->p->caches, entry);

	if (error == 0)
		return 0;
	error = write_failed(entry, error, w->failed ? NULL : w->e);
	w->failed = true;
	return error;
}

/* A sink for refusals: who has no domain or whose path is gone has nothing to be refused. */
static int write_refusal(const struct upcall_entry *entry, void *data)
{
	struct writing *w = data;
	int error = caches_write(&w->p->caches, entry);

	return error == 0 || error == -ENOENT ? 0 : write_failed(entry, error, w->e);
}

/* In the pseudo-root, as the kernel resolves the paths of both, question and answer, there. */
static void on_request(const struct upcall_request *q, void *data)
{
	struct writing *w = data;
	struct answer_texts texts;
	struct upcall_entry entry;

	/* What the kernel asks about a former daemon's namespace, ours does not have. */
	if (answers_request(&w->p->answers, q, now(), &entry, &texts))
		(void)write_refusal(&entry, w);
}

int publication_answer(struct publication *p, bool all, struct kerr *e)
{
	struct writing w = {.p = p};
	int error = pseudo_root_enter(&p->root, e);

	if (error < 0)
		return error;
	error = caches_dispatch(&p->caches, all, on_request, &w, e);
	pseudo_root_leave(&p->root);
	return error;
}

int publication_preload(struct publication *p, struct kerr *e)
{
	struct writing w = {.p = p, .e = e};
	int error = pseudo_root_enter(&p->root, e);

	if (error < 0)
		return error;
	error = answers_preload(&p->answers, write_entry, &w);
	pseudo_root_leave(&p->root);
	return error < 0 && !w.failed ? kerr_set(e, error, "preload caches", NULL, NULL) : error;
}

int publication_preload_point(
	struct publication *p, const struct export_point *point, struct kerr *e)
{
	struct writing w = {.p = p, .e = e};
	int error = pseudo_root_enter(&p->root, e);

	if (error < 0)
		return error;
	error = answers_preload_point(&p->answers, point, write_entry, &w);
	pseudo_root_leave(&p->root);
	return error;
}

static int forget_exports(struct publication *p, struct kerr *e)
{
	int error = channel_flush(UPCALL_EXPORT, e);

	if (error == 0)
		error = channel_flush(UPCALL_KEY, e);
	p->stale = error < 0;
	return error;
}

int publication_forget(struct publication *p, struct kerr *e)
{
	int error = channel_flush(UPCALL_IP, e);

	return error < 0 ? error : forget_exports(p, e);
}

int publication_renew(struct publication *p, struct kerr *e)
{
	int error = forget_exports(p, e);

	return error < 0 ? error : publication_preload(p, e);
}

int publication_retire(struct publication *p, const struct export_point *gone,
	const struct export_point *stays, struct kerr *e)
{
	struct writing w = {.p = p, .e = e};
	int first_error = 0, error = pseudo_root_enter(&p->root, e);

	if (error < 0)
		return error;
	for (size_t i = 0; i < gone->export.n_clients; i++) {
		const struct addr *client = &gone->export.clients[i];
		if (stays && export_lists_client(&stays->export, client))
			continue;
		error = answers_retire(&p->answers, gone, client, now(), write_refusal, &w);
		if (error < 0 && first_error == 0)
			first_error = error;
	}
	pseudo_root_leave(&p->root);
	return first_error;
}
