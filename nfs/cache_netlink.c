/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel's export caches through generic netlink. A notification says in which cache requests
 * wait; a dump lists them; answers are set one by one. Three sockets a family, since an answer is
 * given while its dump still runs.
 */
#include "nfs/cache_netlink.h"

#include <errno.h>
#include <netlink/attr.h>
#include <netlink/genl/genl.h>
#include <string.h>

#include "mountd/base/cleanup.h"
#include "nfs/genl.h"
#include "nfs/nfsd_abi.h"

enum family {
	FAMILY_NFSD,
	FAMILY_SUNRPC,
	FAMILIES,
};

struct sockets {
	struct genl *events;
	struct genl *dump;
	struct genl *set;
};

struct cache_netlink {
	struct sockets family[FAMILIES];
	bool waiting[UPCALL_CACHES];
};

static const struct {
	enum family family;
	uint32_t type; /* in a notification */
	uint8_t get;
	uint8_t set;
} caches[UPCALL_CACHES] = {
	[UPCALL_IP] = {FAMILY_SUNRPC, SUNRPC_CACHE_IP_MAP, SUNRPC_IP_MAP_GET_REQS,
		SUNRPC_IP_MAP_SET_REQS},
	[UPCALL_KEY] = {FAMILY_NFSD, NFSD_CACHE_EXPKEY, NFSD_EXPKEY_GET_REQS, NFSD_EXPKEY_SET_REQS},
	[UPCALL_EXPORT] = {FAMILY_NFSD, NFSD_CACHE_SVC_EXPORT, NFSD_SVC_EXPORT_GET_REQS,
		NFSD_SVC_EXPORT_SET_REQS},
};

static const char *const family_names[FAMILIES] = {
	[FAMILY_NFSD] = NFSD_FAMILY,
	[FAMILY_SUNRPC] = SUNRPC_FAMILY,
};

void cache_netlink_close(struct cache_netlink *n)
{
	if (!n)
		return;
	for (int f = 0; f < FAMILIES; f++) {
		genl_close(n->family[f].events);
		genl_close(n->family[f].dump);
		genl_close(n->family[f].set);
	}
	free(n);
}

static void cache_netlink_closep(struct cache_netlink **n)
{
	cache_netlink_close(*n);
}

static int open_family(struct sockets *s, const char *name)
{
	int error;

	if ((error = genl_open(name, &s->set)) < 0 || (error = genl_open(name, &s->dump)) < 0 ||
		(error = genl_open(name, &s->events)) < 0)
		return error;
	return genl_join(s->events, EXPORTD_GROUP);
}

int cache_netlink_open(struct cache_netlink **ret, struct kerr *e)
{
	_cleanup_(cache_netlink_closep) struct cache_netlink *n = calloc(1, sizeof *n);

	if (!n)
		return kerr_set(e, -ENOMEM, "open netlink", NULL, NULL);
	for (int f = 0; f < FAMILIES; f++) {
		int error = open_family(&n->family[f], family_names[f]);
		if (error < 0)
			return kerr_set(e, error == -ENOENT ? -EOPNOTSUPP : error, "open netlink",
				family_names[f], NULL);
	}
	for (int c = 0; c < UPCALL_CACHES; c++)
		if (!genl_has_op(n->family[caches[c].family].set, caches[c].get) ||
			!genl_has_op(n->family[caches[c].family].set, caches[c].set))
			return kerr_set(e, -EOPNOTSUPP, "open netlink", upcall_cache_name(c), NULL);
	*ret = TAKE_PTR(n);
	return 0;
}

void cache_netlink_fds(const struct cache_netlink *n, int ret[CACHE_NETLINK_FDS])
{
	_Static_assert((int)CACHE_NETLINK_FDS == (int)FAMILIES, "one socket a family");
	for (int f = 0; f < FAMILIES; f++)
		ret[f] = genl_get_fd(n->family[f].events);
}

struct event_context {
	struct cache_netlink *n;
	enum family family;
};

static int on_event(struct nlmsghdr *m, void *data)
{
	const struct event_context *c = data;
	struct nlattr *type = nla_find(genlmsg_attrdata(nlmsg_data(m), 0),
		genlmsg_attrlen(nlmsg_data(m), 0), CACHE_NOTIFY_TYPE);

	for (int i = 0; type && i < UPCALL_CACHES; i++)
		if (caches[i].family == c->family && (nla_get_u32(type) & caches[i].type))
			c->n->waiting[i] = true;
	return 0;
}

static bool copy_string(struct nlattr *from, char *to, size_t size)
{
	return from && nla_len(from) > 0 && nla_strlcpy(to, from, size) < size;
}

static bool read_ip(struct nlattr *nest, struct upcall_request *q)
{
	struct nlattr *a[SUNRPC_IP_END];
	char class[8], address[ADDR_TEXT_SIZE];

	return nla_parse_nested(a, SUNRPC_IP_END - 1, nest, NULL) == 0 &&
	       copy_string(a[SUNRPC_IP_CLASS], class, sizeof class) && strcmp(class, "nfsd") == 0 &&
	       copy_string(a[SUNRPC_IP_ADDR], address, sizeof address) &&
	       upcall_address(address, &q->address) == 0;
}

static bool read_key(struct nlattr *nest, struct upcall_request *q)
{
	struct nlattr *a[NFSD_KEY_END];

	if (nla_parse_nested(a, NFSD_KEY_END - 1, nest, NULL) < 0 ||
		!copy_string(a[NFSD_KEY_CLIENT], q->domain, sizeof q->domain) ||
		!a[NFSD_KEY_FSIDTYPE] || !a[NFSD_KEY_FSID] ||
		nla_len(a[NFSD_KEY_FSID]) > UPCALL_FSID_MAX)
		return false;
	q->fsid.type = nla_get_u8(a[NFSD_KEY_FSIDTYPE]);
	q->fsid.size = (size_t)nla_len(a[NFSD_KEY_FSID]);
	memcpy(q->fsid.bytes, nla_data(a[NFSD_KEY_FSID]), q->fsid.size);
	return true;
}

static bool read_export(struct nlattr *nest, struct upcall_request *q)
{
	struct nlattr *a[NFSD_EXP_END];

	return nla_parse_nested(a, NFSD_EXP_END - 1, nest, NULL) == 0 &&
	       copy_string(a[NFSD_EXP_CLIENT], q->domain, sizeof q->domain) &&
	       copy_string(a[NFSD_EXP_PATH], q->path, sizeof q->path);
}

struct dump_context {
	enum upcall_cache cache;
	cache_request_fn *fn;
	void *data;
};

static int on_requests(struct nlmsghdr *m, void *data)
{
	static bool (*const readers[UPCALL_CACHES])(struct nlattr *, struct upcall_request *) = {
		[UPCALL_IP] = read_ip,
		[UPCALL_KEY] = read_key,
		[UPCALL_EXPORT] = read_export,
	};
	const struct dump_context *c = data;
	struct nlattr *nest;
	int rest;

	nla_for_each_attr(
		nest, genlmsg_attrdata(nlmsg_data(m), 0), genlmsg_attrlen(nlmsg_data(m), 0), rest)
	{
		struct upcall_request q = {.cache = c->cache};
		if (nla_type(nest) == CACHE_REQUESTS && readers[c->cache](nest, &q))
			c->fn(&q, c->data);
	}
	return 0;
}

static int dump(struct cache_netlink *n, enum upcall_cache cache, cache_request_fn *fn, void *data)
{
	struct dump_context context = {.cache = cache, .fn = fn, .data = data};
	struct genl *g = n->family[caches[cache].family].dump;

	return genl_request(
		g, genl_message(g, caches[cache].get, NLM_F_DUMP), on_requests, &context);
}

int cache_netlink_dispatch(
	struct cache_netlink *n, bool all, cache_request_fn *fn, void *data, struct kerr *e)
{
	int first_error = 0;

	for (int f = 0; f < FAMILIES; f++) {
		struct event_context context = {.n = n, .family = f};
		/* What was lost may have been about any cache. */
		if (genl_dispatch(n->family[f].events, on_event, &context) < 0)
			all = true;
	}
	for (int c = 0; c < UPCALL_CACHES; c++) {
		int error = 0;
		if (all || n->waiting[c])
			error = dump(n, c, fn, data);
		n->waiting[c] = false;
		if (error < 0 && first_error == 0)
			first_error =
				kerr_set(e, error, "list requests", upcall_cache_name(c), NULL);
	}
	return first_error;
}

static bool put_flag_if(struct nl_msg *m, bool flag, int attribute)
{
	return !flag || nla_put_flag(m, attribute) == 0;
}

static bool put_ip(struct nl_msg *m, const struct upcall_entry *e)
{
	char address[ADDR_TEXT_SIZE];

	addr_format(&e->address, address);
	return nla_put_string(m, SUNRPC_IP_CLASS, "nfsd") == 0 &&
	       nla_put_string(m, SUNRPC_IP_ADDR, address) == 0 &&
	       nla_put_u64(m, SUNRPC_IP_EXPIRY, (uint64_t)e->expiry) == 0 &&
	       put_flag_if(m, e->negative, SUNRPC_IP_NEGATIVE) &&
	       (e->negative || nla_put_string(m, SUNRPC_IP_DOMAIN, e->domain) == 0);
}

static bool put_key(struct nl_msg *m, const struct upcall_entry *e)
{
	return nla_put_string(m, NFSD_KEY_CLIENT, e->domain) == 0 &&
	       nla_put_u8(m, NFSD_KEY_FSIDTYPE, (uint8_t)e->fsid.type) == 0 &&
	       nla_put(m, NFSD_KEY_FSID, (int)e->fsid.size, e->fsid.bytes) == 0 &&
	       nla_put_u64(m, NFSD_KEY_EXPIRY, (uint64_t)e->expiry) == 0 &&
	       put_flag_if(m, e->negative, NFSD_KEY_NEGATIVE) &&
	       (e->negative || nla_put_string(m, NFSD_KEY_PATH, e->path) == 0);
}

static bool put_export(struct nl_msg *m, const struct upcall_entry *e)
{
	if (nla_put_string(m, NFSD_EXP_CLIENT, e->domain) < 0 ||
		nla_put_string(m, NFSD_EXP_PATH, e->path) < 0 ||
		nla_put_u64(m, NFSD_EXP_EXPIRY, (uint64_t)e->expiry) < 0)
		return false;
	if (e->negative)
		return nla_put_flag(m, NFSD_EXP_NEGATIVE) == 0;
	return nla_put_u32(m, NFSD_EXP_FLAGS, e->flags) == 0 &&
	       nla_put_u32(m, NFSD_EXP_ANON_UID, e->uid) == 0 &&
	       nla_put_u32(m, NFSD_EXP_ANON_GID, e->gid) == 0 &&
	       (!e->uuid || nla_put(m, NFSD_EXP_UUID, UPCALL_UUID_SIZE, e->uuid) == 0);
}

int cache_netlink_write(struct cache_netlink *n, const struct upcall_entry *entry)
{
	static bool (*const putters[UPCALL_CACHES])(
		struct nl_msg *, const struct upcall_entry *) = {
		[UPCALL_IP] = put_ip,
		[UPCALL_KEY] = put_key,
		[UPCALL_EXPORT] = put_export,
	};
	struct genl *g = n->family[caches[entry->cache].family].set;
	struct nl_msg *m = genl_message(g, caches[entry->cache].set, 0);
	struct nlattr *nest = m ? nla_nest_start(m, CACHE_REQUESTS) : NULL;

	if (!nest || !putters[entry->cache](m, entry)) {
		nlmsg_free(m);
		return m ? -ENAMETOOLONG : -ENOMEM;
	}
	(void)nla_nest_end(m, nest);
	return genl_request(g, m, NULL, NULL);
}
