/* SPDX-License-Identifier: Apache-2.0 */
/* Taking away what clients hold in a folder that is no longer exported. */
#include <errno.h>
#include <netlink/attr.h>
#include <stdio.h>

#include "mountd/base/cleanup.h"
#include "nfs/client_expire.h"
#include "nfs/genl.h"
#include "nfs/holding.h"
#include "nfs/nfsd_abi.h"
#include "nfs/nfsdfs.h"
#include "nfs/server_rungs.h"

struct revocation {
	struct holding of;
	unsigned masked;
	bool former; /* clients may hold something by a mount of an earlier process */
};

static void revocation_clear(struct revocation *r)
{
	holding_clear(&r->of);
}

static int unlock_export(struct revocation *r, const char *path)
{
	_cleanup_(genl_closep) struct genl *g = NULL;
	struct nl_msg *message;

	if (r->masked & EXPORT_RUNG_UNLOCK_EXPORT || genl_open("nfsd", &g) < 0 ||
		!genl_has_op(g, NFSD_UNLOCK_EXPORT))
		return -EOPNOTSUPP;
	message = genl_message(g, NFSD_UNLOCK_EXPORT, 0);
	if (!message)
		return -ENOMEM;
	if (nla_put_string(message, NFSD_UNLOCK_PATH, path) < 0) {
		nlmsg_free(message);
		return -ENOMEM;
	}
	return genl_request(g, message, NULL, NULL);
}

/* 1: something is held yet; negative errno: that cannot be told. */
static int look_again(struct holding *h)
{
	int error = holding_count(h, holding_collect);

	if (error < 0)
		return error;
	return h->held.n > 0 &&
	       (!h->shared || !holding_search(h, NULL) || held_any_inside(&h->held));
}

/* The rungs say whether something is left for the next one: see look_again(). */
static int by_export(struct revocation *r, const char *path)
{
	if (unlock_export(r, path) < 0)
		return 1;
	return r->former ? look_again(&r->of) : 0;
}

/* Before 6.9 it only takes NLM locks, so what it did is looked at. */
static int by_filesystem(struct revocation *r, const char *path)
{
	char line[64];

	if (r->masked & EXPORT_RUNG_UNLOCK_FS || r->of.shared)
		return 1;
	(void)snprintf(line, sizeof line, "%s\n", path);
	if (nfsdfs_write(r->of.fs, "unlock_filesystem", line, NULL) < 0)
		return 1;
	return look_again(&r->of);
}

/* Whoever was expired for another run meanwhile holds nothing here. Unknown is held. */
static bool still_holds(int fs, const char *client, const void *data)
{
	struct holding h = *(const struct holding *)data; /* borrowed */

	(void)fs;
	h.e = NULL;
	return holding_of_client(&h, client, holding_inside) != 0;
}

static int expire_holder(const char *client, const char *states, struct holding *h)
{
	return held_states_inside(&h->held, states)
		       ? client_expire(h->fs, client, still_holds, h, h->e)
		       : 0;
}

static int expire_own_holder(const char *client, const char *states, struct holding *h)
{
	return client_is_of(h->fs, client, h->export) ? expire_holder(client, states, h) : 0;
}

/*
 * The bluntest: a client loses what it holds in other runs as well, so it must hold something
 * here. Where the folder cannot be searched to its end, and its owner can see to that, whatever
 * the export's own clients hold on the filesystem counts as held here.
 */
static int expire_holders(struct holding *h, const char **ret_rung)
{
	bool searched = h->shared && holding_search(h, NULL), any;
	int error = 0;

	if (!h->shared)
		held_mark_all(&h->held);
	any = held_any_inside(&h->held);
	if (any)
		error = holding_each_client(h, expire_holder);
	if (error == 0 && h->shared && !searched) {
		any = true;
		held_mark_all(&h->held);
		error = holding_each_client(h, expire_own_holder);
	}
	if (error < 0)
		return error;
	*ret_rung = any ? "expire-client" : "none";
	return 0;
}

static int revoked(struct holding *h, const char *rung, const char **ret_rung)
{
	bool expired;
	int error = client_expire_revoked(h->fs, h->export, &expired, h->e);

	if (error == 0)
		*ret_rung = expired ? "expire-client" : rung;
	return error;
}

static int climb_down(struct revocation *r, const char **ret_rung)
{
	char path[sizeof "/proc/self/fd//." + 10];
	const char *rung = "unlock-export";
	int left;

	/* The kernel does not follow a last link, but a "." after it. */
	(void)snprintf(path, sizeof path, "/proc/self/fd/%d/.", r->of.folder);
	left = by_export(r, path);
	if (left > 0) {
		rung = "unlock-filesystem";
		left = by_filesystem(r, path);
	}
	if (left > 0)
		return expire_holders(&r->of, ret_rung);
	return left < 0 ? left : revoked(&r->of, rung, ret_rung);
}

int export_revoke(const struct exporter_config *config, const struct export *gone, int folder,
	bool former, const struct other_exports *others, const char **ret_rung, struct kerr *e)
{
	_cleanup_(revocation_clear) struct revocation r = {
		HOLDING(gone, e), config->masked_rungs, former};
	int error = holding_look(&r.of, config, folder, others, holding_collect);

	if (error < 0)
		return error;
	*ret_rung = "none";
	if (error > 0)
		return 0;
	if (r.of.held.n > 0)
		error = climb_down(&r, ret_rung);
	return error < 0 ? error : client_expire_idle(r.of.fs, gone, others->list, others->n, e);
}

static int expire_dropped(struct holding *h, const char **ret_rung)
{
	if (h->held.n > 0 && !holding_search(h, NULL))
		held_mark_all(&h->held);
	if (!held_any_inside(&h->held))
		return 0;
	*ret_rung = "expire-client";
	return holding_each_client(h, expire_own_holder);
}

int export_drop_clients(const struct exporter_config *config, const struct export *dropped,
	int folder, const struct other_exports *others, const char **ret_rung, struct kerr *e)
{
	_cleanup_(holding_clear) struct holding h = HOLDING(dropped, e);
	int error = holding_look(&h, config, folder, others, holding_collect_own);

	if (error < 0)
		return error;
	*ret_rung = "none";
	if (error > 0)
		return 0;
	error = expire_dropped(&h, ret_rung);
	return error < 0 ? error : client_expire_idle(h.fs, dropped, others->list, others->n, e);
}

const char *revoke_best_rung(unsigned masked)
{
	_cleanup_(genl_closep) struct genl *g = NULL;

	if (genl_open("nfsd", &g) < 0)
		return "expire-client";
	if (!(masked & EXPORT_RUNG_UNLOCK_EXPORT) && genl_has_op(g, NFSD_UNLOCK_EXPORT))
		return "unlock-export";
	/* The family's thread command came with 6.10, the revocation with 6.9. */
	return !(masked & EXPORT_RUNG_UNLOCK_FS) && genl_has_op(g, NFSD_THREADS_SET)
		       ? "unlock-filesystem"
		       : "expire-client";
}
