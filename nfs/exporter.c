/* SPDX-License-Identifier: Apache-2.0 */
/* The answering half of the export engine: the set of exports, and its life in the caller's loop.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "mountd/base/cleanup.h"
#include "nfs/cld.h"
#include "nfs/export.h"
#include "nfs/node_key.h"
#include "nfs/publication.h"

enum source {
	SOURCE_CLD,
	SOURCE_CACHES,
	SOURCES,
};

struct exporter {
	const struct exporter_config *config;
	struct fsid_key *key;
	struct publication pub; /* its caches are open while serving */
	struct cld *cld;
	int epoll;
};

static void exporter_freep(struct exporter **x)
{
	exporter_free(*x);
}

static void export_point_freep(struct export_point **p)
{
	export_point_free(*p);
}

static int load_key(struct exporter *x, struct kerr *e)
{
	unsigned char key[FSID_KEY_SIZE];
	int error = node_key_load(x->config->state_dir, key, e);

	if (error < 0)
		return error;
	error = fsid_key_new(key, &x->key);
	explicit_bzero(key, sizeof key);
	return error < 0 ? kerr_set(e, error, "prepare node key", NULL, NULL) : 0;
}

/*
 * A new one for each pseudo-root: inodes mean something in the one that they are of, and a handle
 * from before must not lead to whatever has its inode now. Mounts hold none.
 */
static int identify_pseudo_root(struct exporter *x, struct kerr *e)
{
	struct answers *a = &x->pub.answers;

	if (getrandom(a->pseudo_uuid, sizeof a->pseudo_uuid, 0) != sizeof a->pseudo_uuid)
		return kerr_set(e, -errno, "make pseudo-root's uuid", NULL, NULL);
	return pseudo_root_inode(&x->pub.root, "/workspaces", &a->workspaces_inode, e);
}

static int watch_cld(struct exporter *x, struct kerr *e)
{
	struct epoll_event event = {.events = EPOLLIN, .data.u64 = SOURCE_CLD};
	int error = cld_new(x->config->state_dir, x->config->runtime_dir, &x->cld, e);

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
	x->pub.root = PSEUDO_ROOT_NONE;
	x->epoll = epoll_create1(EPOLL_CLOEXEC);
	x->pub.caches = CACHES_CLOSED(x->epoll);
	if (x->epoll < 0)
		return kerr_set(e, -errno, "make epoll", NULL, NULL);
	if ((error = load_key(x, e)) < 0 || (error = pseudo_root_new(&x->pub.root, e)) < 0 ||
		(error = identify_pseudo_root(x, e)) < 0 || (error = watch_cld(x, e)) < 0)
		return error;
	*ret = TAKE_PTR(x);
	return 0;
}

void exporter_free(struct exporter *x)
{
	if (!x)
		return;
	caches_close(&x->pub.caches);
	cld_free(x->cld);
	answers_clear(&x->pub.answers);
	pseudo_root_close(&x->pub.root);
	cleanup_close(&x->epoll);
	fsid_key_free(x->key);
	free(x);
}

int exporter_namespace(const struct exporter *x)
{
	return x->pub.root.own;
}

int exporter_get_fd(const struct exporter *x)
{
	return x->epoll;
}

const char *exporter_cache_rung(const struct exporter *x)
{
	return caches_rung(&x->pub.caches);
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
	if (ready[SOURCE_CACHES] && caches_are_open(&x->pub.caches)) {
		int failed = publication_answer(&x->pub, false, error < 0 ? NULL : e);
		if (error == 0)
			error = failed;
	}
	return error;
}

bool exporter_sees_server(const struct exporter *x)
{
	return cld_is_open(x->cld);
}

int exporter_knows_client(const struct exporter *x, const char *name)
{
	return cld_knows(x->cld, name);
}

int exporter_serve(struct exporter *x, struct kerr *e)
{
	bool netlink = !(x->config->masked_rungs & EXPORT_RUNG_NETLINK_CACHE);
	int error, failed, served;

	caches_close(&x->pub.caches);
	error = caches_open(&x->pub.caches, netlink, SOURCE_CACHES, e);
	if (error < 0)
		return error;
	error = publication_forget(&x->pub, e);
	failed = publication_preload(&x->pub, error < 0 ? NULL : e);
	served = publication_answer(&x->pub, true, error < 0 || failed < 0 ? NULL : e);
	if (error == 0)
		error = served;
	return error < 0 ? error : failed < 0;
}

void exporter_pause(struct exporter *x)
{
	caches_close(&x->pub.caches);
}

static int new_point(struct exporter *x, const struct export *export, int tree, bool root,
	struct export_point **ret, struct kerr *e)
{
	_cleanup_(export_point_freep) struct export_point *p = calloc(1, sizeof *p);
	struct statx st;
	int error;

	if (!p || export_copy(export, &p->export) < 0)
		return kerr_set(e, -ENOMEM, "copy export", export->id.run, NULL);
	/* Of what the kernel has in memory: the loop must not wait for shared storage. */
	if (statx(tree, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE | STATX_INO, &st) < 0)
		return kerr_set(e, -errno, "look at folder", export->id.run, NULL);
	if (!S_ISDIR(st.stx_mode))
		return kerr_set(e, -ENOTDIR, "look at folder", export->id.run, NULL);
	p->inode = st.stx_ino;
	p->root = root;
	p->device = makedev(st.stx_dev_major, st.stx_dev_minor);
	error = fsid_of_export(x->key, &export->id, p->uuid);
	if (error < 0)
		return kerr_set(e, error, "derive fsid", export->id.run, NULL);
	*ret = TAKE_PTR(p);
	return 0;
}

static void unbind_point(struct exporter *x, const struct export_point *p)
{
	_cleanup_close_ int folder = -1;

	(void)pseudo_root_unbind(&x->pub.root, &p->export.id, &folder, NULL);
}

static int bind_point(struct exporter *x, struct export_point *p, int tree, struct kerr *e)
{
	char run[PSEUDO_PATH_SIZE];
	int error = pseudo_root_bind(&x->pub.root, &p->export.id, tree, e);

	if (error < 0)
		return error;
	(void)snprintf(run, sizeof run, "/workspaces/%s", p->export.id.run);
	error = pseudo_root_inode(&x->pub.root, run, &p->run_inode, e);
	if (error < 0)
		unbind_point(x, p);
	return error;
}

/* What a removal before could not make the kernel forget. */
static int forget_rest(struct exporter *x, struct kerr *e)
{
	return x->pub.stale && caches_are_open(&x->pub.caches) ? publication_renew(&x->pub, e) : 0;
}

/* Whom the kernel cannot be made to refuse, it forgets with all others. */
static int retire(struct exporter *x, const struct export_point *gone,
	const struct export_point *stays, struct kerr *e)
{
	if (publication_retire(&x->pub, gone, stays, NULL) == 0)
		return 0;
	return publication_renew(&x->pub, e);
}

/* An export that is only described anew keeps its mount, and the clients their open files. */
static int replace_point(struct exporter *x, struct export_point **p, struct kerr *e)
{
	struct export_point *old = answers_find(&x->pub.answers, &(*p)->export.id);
	struct export_point fresh = **p;
	bool shrinks = false;
	int error = 0;

	fresh.run_inode = old->run_inode;
	for (size_t i = 0; i < old->export.n_clients; i++)
		shrinks |= !export_lists_client(&fresh.export, &old->export.clients[i]);
	**p = *old; /* the former one, to be freed by the caller */
	*old = fresh;
	if (!caches_are_open(&x->pub.caches))
		return 0;
	error = publication_preload_point(&x->pub, old, e);
	if (shrinks) {
		int failed = retire(x, *p, old, error < 0 ? NULL : e);
		error = error < 0 ? error : failed;
	}
	return error;
}

static int add_point(struct exporter *x, struct export_point **p, int tree, struct kerr *e)
{
	struct export_point *added = *p;
	int error = bind_point(x, added, tree, e);

	if (error < 0)
		return error;
	error = answers_insert(&x->pub.answers, added);
	if (error < 0) {
		unbind_point(x, added);
		return kerr_set(e, error, "add export", added->export.id.run, NULL);
	}
	*p = NULL;
	if (!caches_are_open(&x->pub.caches))
		return 0;
	error = publication_preload_point(&x->pub, added, e);
	if (error == -EOPNOTSUPP)
		(void)exporter_remove(x, &added->export.id, NULL, NULL);
	return error;
}

int exporter_add(
	struct exporter *x, const struct export *export, int tree, bool root, struct kerr *e)
{
	_cleanup_close_ int owned = tree;
	_cleanup_(export_point_freep) struct export_point *p = NULL;
	const struct export_point *old;
	int error = new_point(x, export, tree, root, &p, e);

	if (!p)
		return error;
	if ((error = forget_rest(x, e)) < 0)
		return error;
	old = answers_find(&x->pub.answers, &export->id);
	if (old && old->inode == p->inode && old->device == p->device)
		return replace_point(x, &p, e);
	if (old)
		return kerr_set(e, -EEXIST, "add export", export->id.run,
			"another folder is exported as it");
	return add_point(x, &p, owned, e);
}

int exporter_quiesce(struct exporter *x, const struct run_id *id, struct kerr *e)
{
	struct export_point *p = answers_find(&x->pub.answers, id);

	if (!p)
		return kerr_set(e, -ENOENT, "quiesce export", id->run, "it is not exported");
	p->quiesced = true;
	return caches_are_open(&x->pub.caches) ? publication_preload_point(&x->pub, p, e) : 0;
}

/* Where another export lies on the same filesystem, that one keeps it in use anyway. */
static int let_go(struct exporter *x, const struct export_point *gone, struct kerr *e)
{
	for (size_t i = 0; i < x->pub.answers.n; i++)
		if (x->pub.answers.points[i]->device == gone->device)
			return 0;
	return publication_renew(&x->pub, e);
}

int exporter_remove(struct exporter *x, const struct run_id *id, int *ret_folder, struct kerr *e)
{
	_cleanup_(export_point_freep) struct export_point *p = NULL;
	struct export_point *gone = answers_find(&x->pub.answers, id);
	bool told = caches_are_open(&x->pub.caches);
	_cleanup_close_ int folder = -1;
	int error, failed = 0;

	if (!gone && (error = forget_rest(x, e)) < 0)
		return error;
	if (!gone)
		return kerr_set(e, -ENOENT, "remove export", id->run, "it is not exported");
	if (told)
		failed = publication_retire(&x->pub, gone, NULL, NULL);
	error = pseudo_root_unbind(&x->pub.root, id, &folder, e);
	if (error < 0) {
		if (told)
			(void)publication_preload_point(&x->pub, gone, NULL);
		return error;
	}
	p = answers_take(&x->pub.answers, id);
	if (told)
		error = failed < 0 || x->pub.stale ? publication_renew(&x->pub, e)
						   : let_go(x, p, e);
	if (ret_folder)
		*ret_folder = TAKE_FD(folder);
	return error;
}
