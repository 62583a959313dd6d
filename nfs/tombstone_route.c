/* SPDX-License-Identifier: Apache-2.0 */
/* Turning the flow to one server's port to this node, by two rules and a local route. */
#include "nfs/tombstone.h"

#include <errno.h>
#include <linux/fib_rules.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netlink/netlink.h>
#include <netlink/route/route.h>
#include <netlink/route/rule.h>
#include <string.h>

#include "mountd/base/cleanup.h"

/*
 * Ours alone: the kernel reserves routing protocols below 5 and iproute2 names none of this
 * number; the sweep takes what carries it, and nothing else.
 */
enum { TOMBSTONE_PROTOCOL = 75, TOMBSTONE_TABLE = 20490, TOMBSTONE_PRIORITY = 20490 };

static void cleanup_nl_socket(struct nl_sock **sk)
{
	if (*sk)
		nl_socket_free(*sk);
}
static void cleanup_nl_addr(struct nl_addr **addr)
{
	if (*addr)
		nl_addr_put(*addr);
}
static void cleanup_rule(struct rtnl_rule **rule)
{
	if (*rule)
		rtnl_rule_put(*rule);
}
static void cleanup_route(struct rtnl_route **route)
{
	if (*route)
		rtnl_route_put(*route);
}
static void cleanup_cache(struct nl_cache **cache)
{
	if (*cache)
		nl_cache_free(*cache);
}

static int errno_of(int nl_error)
{
	switch (-nl_error) {
	case NLE_SUCCESS:
		return 0;
	case NLE_EXIST:
		return -EEXIST;
	case NLE_OBJ_NOTFOUND:
	case NLE_NOADDR:
		return -ENOENT;
	case NLE_PERM:
		return -EPERM;
	case NLE_NOMEM:
		return -ENOMEM;
	case NLE_OPNOTSUPP:
	case NLE_AF_NOSUPPORT:
		return -EOPNOTSUPP;
	default:
		return -EIO;
	}
}

static int connect_rtnetlink(struct nl_sock **ret, struct kerr *e)
{
	_cleanup_(cleanup_nl_socket) struct nl_sock *sk = nl_socket_alloc();
	int r;

	if (!sk)
		return kerr_set(e, -ENOMEM, "open rtnetlink", NULL, NULL);
	r = nl_connect(sk, NETLINK_ROUTE);
	if (r < 0)
		return kerr_set(e, errno_of(r), "open rtnetlink", NULL, "%s", nl_geterror(r));
	*ret = TAKE_PTR(sk);
	return 0;
}

static struct nl_addr *build_addr(const struct addr *addr)
{
	size_t size = addr->family == AF_INET ? 4 : 16;
	struct nl_addr *built = nl_addr_build(addr->family, addr->bytes, size);

	if (built)
		nl_addr_set_prefixlen(built, (int)size * 8);
	return built;
}

enum direction { TO_SERVER, FROM_SERVER };

static int make_rule(
	const struct addr *server, uint16_t port, enum direction direction, struct rtnl_rule **ret)
{
	_cleanup_(cleanup_nl_addr) struct nl_addr *addr = build_addr(server);
	_cleanup_(cleanup_rule) struct rtnl_rule *rule = rtnl_rule_alloc();
	int r;

	if (!addr || !rule)
		return -NLE_NOMEM;
	rtnl_rule_set_family(rule, server->family);
	rtnl_rule_set_table(rule, TOMBSTONE_TABLE);
	rtnl_rule_set_action(rule, FR_ACT_TO_TBL);
	rtnl_rule_set_prio(rule, TOMBSTONE_PRIORITY);
	(void)rtnl_rule_set_protocol(rule, TOMBSTONE_PROTOCOL);
	(void)rtnl_rule_set_ipproto(rule, IPPROTO_TCP);
	if (direction == TO_SERVER) {
		(void)rtnl_rule_set_sport_range(rule, 1, IPPORT_RESERVED - 1);
		r = rtnl_rule_set_dst(rule, addr);
		(void)rtnl_rule_set_dport(rule, port);
	} else {
		r = rtnl_rule_set_src(rule, addr);
		(void)rtnl_rule_set_sport(rule, port);
	}
	if (r < 0)
		return r;
	*ret = TAKE_PTR(rule);
	return 0;
}

/* The address this node speaks to server from, so that the turned route keeps it. */
static int own_address(const struct addr *server, uint16_t port, struct addr *ret)
{
	struct sockaddr_storage sa;
	socklen_t length = addr_to_sockaddr(server, port, &sa);
	_cleanup_close_ int fd = socket(server->family, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || connect(fd, (struct sockaddr *)&sa, length) < 0)
		return -errno;
	length = sizeof sa;
	if (getsockname(fd, (struct sockaddr *)&sa, &length) < 0)
		return -errno;
	return addr_from_sockaddr((struct sockaddr *)&sa, ret);
}

static int make_route(const struct addr *server, const struct addr *own, struct rtnl_route **ret)
{
	_cleanup_(cleanup_nl_addr) struct nl_addr *dst = build_addr(server);
	_cleanup_(cleanup_nl_addr) struct nl_addr *src = own->family ? build_addr(own) : NULL;
	_cleanup_(cleanup_route) struct rtnl_route *route = rtnl_route_alloc();
	struct rtnl_nexthop *hop = rtnl_route_nh_alloc();

	if (!dst || !route || !hop || (own->family && !src)) {
		if (hop)
			rtnl_route_nh_free(hop);
		return -NLE_NOMEM;
	}
	rtnl_route_nh_set_ifindex(hop, (int)if_nametoindex("lo"));
	rtnl_route_add_nexthop(route, hop);
	(void)rtnl_route_set_family(route, (uint8_t)server->family);
	rtnl_route_set_table(route, TOMBSTONE_TABLE);
	rtnl_route_set_protocol(route, TOMBSTONE_PROTOCOL);
	rtnl_route_set_scope(route, RT_SCOPE_HOST);
	(void)rtnl_route_set_type(route, RTN_LOCAL);
	(void)rtnl_route_set_dst(route, dst);
	if (src)
		(void)rtnl_route_set_pref_src(route, src);
	*ret = TAKE_PTR(route);
	return 0;
}

static int add_rule(
	struct nl_sock *sk, const struct addr *server, uint16_t port, enum direction direction)
{
	_cleanup_(cleanup_rule) struct rtnl_rule *rule = NULL;
	int r = make_rule(server, port, direction, &rule);

	if (r == 0)
		r = rtnl_rule_add(sk, rule, NLM_F_CREATE | NLM_F_EXCL);
	return r == -NLE_EXIST ? 0 : r;
}

static int delete_rule(
	struct nl_sock *sk, const struct addr *server, uint16_t port, enum direction direction)
{
	_cleanup_(cleanup_rule) struct rtnl_rule *rule = NULL;
	int r = make_rule(server, port, direction, &rule);

	if (r == 0)
		r = rtnl_rule_delete(sk, rule, 0);
	return r == -NLE_OBJ_NOTFOUND ? 0 : r;
}

int tombstone_route_turn(const struct addr *server, uint16_t port, struct kerr *e)
{
	_cleanup_(cleanup_nl_socket) struct nl_sock *sk = NULL;
	_cleanup_(cleanup_route) struct rtnl_route *route = NULL;
	struct addr own = {0};
	char text[ADDR_TEXT_SIZE];
	int r = connect_rtnetlink(&sk, e);

	if (r < 0)
		return r;
	addr_format(server, text);
	(void)own_address(server, port, &own); /* without a route to it the kernel chooses */
	r = make_route(server, &own, &route);
	if (r == 0)
		r = rtnl_route_add(sk, route, NLM_F_CREATE | NLM_F_REPLACE);
	if (r == 0)
		r = add_rule(sk, server, port, FROM_SERVER);
	if (r == 0)
		r = add_rule(sk, server, port, TO_SERVER);
	if (r < 0) {
		(void)tombstone_route_restore(server, port, NULL);
		return kerr_set(e, errno_of(r), "turn the flow to", text, "%s", nl_geterror(r));
	}
	return 0;
}

int tombstone_route_restore(const struct addr *server, uint16_t port, struct kerr *e)
{
	_cleanup_(cleanup_nl_socket) struct nl_sock *sk = NULL;
	_cleanup_(cleanup_route) struct rtnl_route *route = NULL;
	struct addr none = {0};
	char text[ADDR_TEXT_SIZE];
	int r = connect_rtnetlink(&sk, e), first, second, third;

	if (r < 0)
		return r;
	addr_format(server, text);
	first = delete_rule(sk, server, port, TO_SERVER);
	second = delete_rule(sk, server, port, FROM_SERVER);
	third = make_route(server, &none, &route);
	if (third == 0)
		third = rtnl_route_delete(sk, route, 0);
	if (third == -NLE_OBJ_NOTFOUND)
		third = 0;
	r = first < 0 ? first : second < 0 ? second : third;
	if (r < 0)
		return kerr_set(
			e, errno_of(r), "turn the flow back to", text, "%s", nl_geterror(r));
	return 0;
}

struct sweep {
	struct nl_sock *sk;
	int error; /* of libnl; the last failure */
};

static void sweep_rule(struct nl_object *object, void *context)
{
	struct sweep *sweep = context;
	struct rtnl_rule *rule = (struct rtnl_rule *)object;
	uint8_t protocol = 0;
	int r;

	if (rtnl_rule_get_protocol(rule, &protocol) < 0 || protocol != TOMBSTONE_PROTOCOL ||
		rtnl_rule_get_table(rule) != TOMBSTONE_TABLE)
		return;
	r = rtnl_rule_delete(sweep->sk, rule, 0);
	if (r < 0 && r != -NLE_OBJ_NOTFOUND)
		sweep->error = r;
}

static void sweep_route(struct nl_object *object, void *context)
{
	struct sweep *sweep = context;
	struct rtnl_route *route = (struct rtnl_route *)object;
	int r;

	if (rtnl_route_get_protocol(route) != TOMBSTONE_PROTOCOL ||
		rtnl_route_get_table(route) != TOMBSTONE_TABLE)
		return;
	r = rtnl_route_delete(sweep->sk, route, 0);
	if (r < 0 && r != -NLE_OBJ_NOTFOUND)
		sweep->error = r;
}

int tombstone_sweep(struct kerr *e)
{
	_cleanup_(cleanup_nl_socket) struct nl_sock *sk = NULL;
	_cleanup_(cleanup_cache) struct nl_cache *rules = NULL;
	_cleanup_(cleanup_cache) struct nl_cache *routes = NULL;
	struct sweep sweep = {0};
	int r = connect_rtnetlink(&sk, e);

	if (r < 0)
		return r;
	r = rtnl_rule_alloc_cache(sk, AF_UNSPEC, &rules);
	if (r == 0)
		r = rtnl_route_alloc_cache(sk, AF_UNSPEC, 0, &routes);
	if (r < 0)
		return kerr_set(e, errno_of(r), "list routing rules", NULL, "%s", nl_geterror(r));
	sweep.sk = sk;
	nl_cache_foreach(rules, sweep_rule, &sweep);
	nl_cache_foreach(routes, sweep_route, &sweep);
	if (sweep.error < 0)
		return kerr_set(e, errno_of(sweep.error), "remove a tombstone's routes", NULL, "%s",
			nl_geterror(sweep.error));
	return 0;
}
