/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The answering half of the export engine: what is exported, bound into the pseudo-root and
 * known to the kernel's caches.
 *
 * An entry of a cache holds on to its path, and a replaced or expired one does so until the kernel
 * gets round to sweeping, minutes later. So whatever takes something away ends with a flush, and
 * everything that stays is preloaded again at once: a request that falls in between waits for it.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <time.h>

#include "mountd/base/cleanup.h"
#include "nfs/answers.h"
#include "nfs/caches.h"
#include "nfs/cld.h"
#include "nfs/export.h"
#include "nfs/node_key.h"
#include "nfs/pseudo_root.h"

enum source {
	SOURCE_CLD,
	SOURCE_CACHES,
	SOURCES,
};

struct exporter {
	const struct exporter_config *config;
	unsigned char key[FSID_KEY_SIZE];
	struct pseudo_root root;
	struct answers answers;
	const struct export **list; /* of answers, in its order */
	struct cld *cld;
	struct caches caches; /* open while serving */
	int epoll;
};

/* What a sink of entries needs; e is of the first failure. */
struct writing {
	struct exporter *x;
	struct kerr *e;
	bool failed;
};

static void exporter_freep(struct exporter **x)
{
	exporter_free(*x);
}

static void export_point_freep(struct export_point **p)
{
	export_point_free(*p);
}

/* The kernel's caches speak of wall-clock time. */
static int64_t now(void)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_REALTIME, &ts);
	return ts.tv_sec;
}

static int prepare_workspaces(struct exporter *x, struct kerr *e)
{
	int error = fsid_of_workspaces(x->key, x->answers.workspaces_uuid);

	if (error < 0)
		return kerr_set(e, error, "derive fsid", NULL, NULL);
	return pseudo_root_inode(&x->root, "/workspaces", &x->answers.workspaces_inode, e);
}

static int watch_cld(struct exporter *x, struct kerr *e)
{
	struct epoll_event event = {.events = EPOLLIN, .data.u64 = SOURCE_CLD};
	int error = cld_new(x->config->state_dir, &x->cld, e);

	if (error < 0)
		return error;
	if (epoll_ctl(x->epoll, EPOLL_CTL_ADD, cld_get_fd(x->cld), &event) < 0)
		return kerr_set(e, -errno, "watch client tracking", NULL, NULL);
	return 0;
}

int exporter_new(const struct exporter_config *config, struct exporter **ret, struct kerr *e)
{
	_cleanup_(exporter_freep) struct exporter *x = calloc(1, sizeof *x);
	int error;

	if (!x)
		return kerr_set(e, -ENOMEM, "make exporter", NULL, NULL);
	x->config = config;
	x->root = PSEUDO_ROOT_NONE;
	x->epoll = epoll_create1(EPOLL_CLOEXEC);
	x->caches = CACHES_CLOSED(x->epoll);
	if (x->epoll < 0)
		return kerr_set(e, -errno, "make epoll", NULL, NULL);
	if ((error = node_key_load(config->state_dir, x->key, e)) < 0 ||
		(error = pseudo_root_new(&x->root, e)) < 0 ||
		(error = prepare_workspaces(x, e)) < 0 || (error = watch_cld(x, e)) < 0)
		return error;
	*ret = TAKE_PTR(x);
	return 0;
}

void exporter_free(struct exporter *x)
{
	if (!x)
		return;
	caches_close(&x->caches);
	cld_free(x->cld);
	answers_clear(&x->answers);
	free(x->list);
	pseudo_root_close(&x->root);
	cleanup_close(&x->epoll);
	explicit_bzero(x->key, sizeof x->key);
	free(x);
}

int exporter_get_fd(const struct exporter *x)
{
	return x->epoll;
}

const char *exporter_cache_rung(const struct exporter *x)
{
	return caches_rung(&x->caches);
}

const struct export *const *exporter_list(const struct exporter *x, size_t *ret_n)
{
	*ret_n = x->answers.n;
	return x->list;
}

static void fill_list(struct exporter *x)
{
	for (size_t i = 0; i < x->answers.n; i++)
		x->list[i] = &x->answers.points[i]->export;
}

static int write_failed(const struct upcall_entry *entry, int error, struct kerr *e)
{
	if (entry->cache == UPCALL_EXPORT && error == -EINVAL)
		return kerr_set(e, -EOPNOTSUPP, "export", entry->path,
			"the kernel does not export this filesystem: it has no file handles, or "
			"the "
			"mount is idmapped");
	return kerr_set(e, error, "write cache", upcall_cache_name(entry->cache), "%s %s",
		entry->domain ? entry->domain : "", entry->path ? entry->path : "");
}

/* A sink. In the pseudo-root. */
static int write_entry(const struct upcall_entry *entry, void *data)
{
	struct writing *w = data;
	int error = caches_write(&w->x->caches, entry);

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
	int error = caches_write(&w->x->caches, entry);

	return error == 0 || error == -ENOENT ? 0 : write_failed(entry, error, w->e);
}

/* In the pseudo-root, as the kernel resolves the paths of both, question and answer, there. */
static void on_request(const struct upcall_request *q, void *data)
{
	struct writing *w = data;
	struct answer_texts texts;
	struct upcall_entry entry;

	/* What the kernel asks about a former daemon's namespace, ours does not have. */
	if (answers_request(&w->x->answers, q, now(), &entry, &texts))
		(void)write_refusal(&entry, w);
}

static int answer(struct exporter *x, bool all, struct kerr *e)
{
	struct writing w = {.x = x};
	int error = pseudo_root_enter(&x->root, e);

	if (error < 0)
		return error;
	error = caches_dispatch(&x->caches, all, on_request, &w, e);
	pseudo_root_leave(&x->root);
	return error;
}

int exporter_dispatch(struct exporter *x, struct kerr *e)
{
	struct epoll_event events[8];
	bool ready[SOURCES] = {false};
	int error = 0, n = epoll_wait(x->epoll, events, 8, 0);

	if (n < 0)
		return errno == EINTR ? 0 : kerr_set(e, -errno, "wait for upcalls", NULL, NULL);
	for (int i = 0; i < n; i++)
		ready[events[i].data.u64] = true;
	/* First, as the kernel may hold everybody up for it. */
	if (ready[SOURCE_CLD])
		error = cld_dispatch(x->cld, e);
	if (ready[SOURCE_CACHES] && caches_are_open(&x->caches)) {
		int failed = answer(x, false, error < 0 ? NULL : e);
		if (error == 0)
			error = failed;
	}
	return error;
}

/* All entries there are to be. */
static int preload(struct exporter *x, struct kerr *e)
{
	struct writing w = {.x = x, .e = e};
	int error = pseudo_root_enter(&x->root, e);

	if (error < 0)
		return error;
	error = answers_preload(&x->answers, write_entry, &w);
	pseudo_root_leave(&x->root);
	return error < 0 && !w.failed ? kerr_set(e, error, "preload caches", NULL, NULL) : error;
}

static int preload_point(struct exporter *x, const struct export_point *p, struct kerr *e)
{
	struct writing w = {.x = x, .e = e};
	int error = pseudo_root_enter(&x->root, e);

	if (error < 0)
		return error;
	error = answers_preload_point(&x->answers, p, write_entry, &w);
	pseudo_root_leave(&x->root);
	return error;
}

/* Makes the kernel forget what is no more, and tells it anew what stays. */
static int renew(struct exporter *x, struct kerr *e)
{
	int error = channel_flush(UPCALL_EXPORT, e);

	if (error == 0)
		error = channel_flush(UPCALL_KEY, e);
	return error < 0 ? error : preload(x, e);
}

int exporter_serve(struct exporter *x, struct kerr *e)
{
	bool netlink = !(x->config->masked_rungs & EXPORT_RUNG_NETLINK_CACHE);
	int error;

	caches_close(&x->caches);
	error = caches_open(&x->caches, netlink, SOURCE_CACHES, e);
	if (error < 0)
		return error;
	if ((error = channel_flush(UPCALL_IP, e)) < 0 || (error = renew(x, e)) < 0)
		return error;
	return answer(x, true, e);
}

void exporter_pause(struct exporter *x)
{
	caches_close(&x->caches);
}

/* Refusals for every client of gone that stays (if it does) does not list. */
static int retire(struct exporter *x, const struct export_point *gone,
	const struct export_point *stays, struct kerr *e)
{
	struct writing w = {.x = x, .e = e};
	int first_error = 0, error = pseudo_root_enter(&x->root, e);

	if (error < 0)
		return error;
	for (size_t i = 0; i < gone->export.n_clients; i++) {
		const struct addr *client = &gone->export.clients[i];
		if (stays && export_lists_client(&stays->export, client))
			continue;
		error = answers_retire(&x->answers, gone, client, now(), write_refusal, &w);
		if (error < 0 && first_error == 0)
			first_error = error;
	}
	pseudo_root_leave(&x->root);
	return first_error;
}

static int new_point(struct exporter *x, const struct export *export, int tree,
	struct export_point **ret, struct kerr *e)
{
	_cleanup_(export_point_freep) struct export_point *p = calloc(1, sizeof *p);
	struct stat st;
	int error;

	if (!p || export_copy(export, &p->export) < 0)
		return kerr_set(e, -ENOMEM, "copy export", export->id.run, NULL);
	if (fstat(tree, &st) < 0)
		return kerr_set(e, -errno, "look at folder", export->id.run, NULL);
	if (!S_ISDIR(st.st_mode))
		return kerr_set(e, -ENOTDIR, "look at folder", export->id.run, NULL);
	p->inode = st.st_ino;
	p->device = st.st_dev;
	if ((error = fsid_of_export(x->key, &export->id, p->uuid)) < 0 ||
		(error = fsid_of_run(x->key, export->id.run, p->run_uuid)) < 0)
		return kerr_set(e, error, "derive fsid", export->id.run, NULL);
	*ret = TAKE_PTR(p);
	return 0;
}

static int bind_point(struct exporter *x, struct export_point *p, int tree, struct kerr *e)
{
	char run[PSEUDO_PATH_SIZE];
	int error = pseudo_root_bind(&x->root, &p->export.id, tree, e);

	if (error < 0)
		return error;
	(void)snprintf(run, sizeof run, "/workspaces/%s", p->export.id.run);
	return pseudo_root_inode(&x->root, run, &p->run_inode, e);
}

static int reserve_list(struct exporter *x, struct kerr *e)
{
	const struct export **list = reallocarray(x->list, x->answers.n + 1, sizeof *list);

	if (!list)
		return kerr_set(e, -ENOMEM, "grow list of exports", NULL, NULL);
	x->list = list;
	return 0;
}

/* An export that is only described anew keeps its mount, and the clients their open files. */
static int replace_point(struct exporter *x, struct export_point **p, struct kerr *e)
{
	struct export_point *old = answers_find(&x->answers, &(*p)->export.id);
	struct export_point fresh = **p;
	bool shrinks = false;
	int error = 0;

	fresh.run_inode = old->run_inode;
	for (size_t i = 0; i < old->export.n_clients; i++)
		shrinks |= !export_lists_client(&fresh.export, &old->export.clients[i]);
	**p = *old; /* the former one, to be freed by the caller */
	*old = fresh;
	fill_list(x);
	if (!caches_are_open(&x->caches))
		return 0;
	error = shrinks ? renew(x, e) : preload_point(x, old, e);
	if (shrinks) {
		int failed = retire(x, *p, old, error < 0 ? NULL : e);
		error = error < 0 ? error : failed;
	}
	return error;
}

static int add_point(struct exporter *x, struct export_point **p, int tree, struct kerr *e)
{
	struct export_point *added = *p;
	int error = reserve_list(x, e);

	if (error < 0)
		return error;
	error = bind_point(x, added, tree, e);
	if (error < 0)
		return error;
	error = answers_insert(&x->answers, added);
	if (error < 0) {
		_cleanup_close_ int folder = -1;
		(void)pseudo_root_unbind(&x->root, &added->export.id, &folder, NULL);
		return kerr_set(e, error, "add export", added->export.id.run, NULL);
	}
	*p = NULL;
	fill_list(x);
	if (!caches_are_open(&x->caches))
		return 0;
	error = preload_point(x, added, e);
	if (error == -EOPNOTSUPP)
		(void)exporter_remove(x, &added->export.id, NULL, NULL);
	return error;
}

int exporter_add(struct exporter *x, const struct export *export, int tree, struct kerr *e)
{
	_cleanup_close_ int owned = tree;
	_cleanup_(export_point_freep) struct export_point *p = NULL;
	const struct export_point *old;
	int error = new_point(x, export, tree, &p, e);

	if (error < 0)
		return error;
	old = answers_find(&x->answers, &export->id);
	if (old && old->inode == p->inode && old->device == p->device)
		return replace_point(x, &p, e);
	if (old && (error = exporter_remove(x, &export->id, NULL, e)) < 0)
		return error;
	return add_point(x, &p, owned, e);
}

int exporter_remove(struct exporter *x, const struct run_id *id, int *ret_folder, struct kerr *e)
{
	_cleanup_(export_point_freep) struct export_point *p = NULL;
	_cleanup_close_ int folder = -1;
	int error;

	if (!answers_find(&x->answers, id))
		return kerr_set(e, -ENOENT, "remove export", id->run, "it is not exported");
	error = pseudo_root_unbind(&x->root, id, &folder, e);
	if (error < 0)
		return error;
	p = answers_take(&x->answers, id);
	fill_list(x);
	if (caches_are_open(&x->caches)) {
		int failed;
		error = renew(x, e);
		failed = retire(x, p, NULL, error < 0 ? NULL : e);
		error = error < 0 ? error : failed;
	}
	if (ret_folder)
		*ret_folder = TAKE_FD(folder);
	return error;
}
