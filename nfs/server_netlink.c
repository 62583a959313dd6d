/* SPDX-License-Identifier: Apache-2.0 */
/* Starting nfsd through generic netlink. */
#include <errno.h>
#include <netlink/attr.h>
#include <string.h>

#include "mountd/base/cleanup.h"
#include "nfs/genl.h"
#include "nfs/nfsd_abi.h"
#include "nfs/server_rungs.h"

static bool has_commands(const struct genl *g)
{
	return genl_has_op(g, NFSD_THREADS_SET) && genl_has_op(g, NFSD_VERSION_SET) &&
	       genl_has_op(g, NFSD_LISTENER_SET);
}

bool server_has_netlink(void)
{
	_cleanup_(genl_closep) struct genl *g = NULL;

	return genl_open("nfsd", &g) == 0 && has_commands(g);
}

/* Sends message if everything could be put into it. */
static int send_whole(
	struct genl *g, struct nl_msg *message, int put, const char *stage, struct kerr *e)
{
	int error;

	if (put < 0) {
		nlmsg_free(message);
		return kerr_set(e, -ENOMEM, stage, NULL, NULL);
	}
	error = genl_request(g, message, NULL, NULL);
	return error < 0 ? kerr_set(e, error, stage, NULL, NULL) : 0;
}

static int set_version(struct genl *g, struct kerr *e)
{
	struct nl_msg *message = genl_message(g, NFSD_VERSION_SET, 0);
	struct nlattr *nest = message ? nla_nest_start(message, NFSD_PROTO_VERSION) : NULL;
	int put = nest ? 0 : -ENOMEM;

	if (nest) {
		put |= nla_put_u32(message, NFSD_VERSION_MAJOR, 4);
		put |= nla_put_u32(message, NFSD_VERSION_MINOR, 2);
		put |= nla_put_flag(message, NFSD_VERSION_ENABLED);
		put |= nla_nest_end(message, nest);
	}
	return send_whole(g, message, put, "set NFS versions", e);
}

static int put_listener(struct nl_msg *message, const struct addr *addr, uint16_t port)
{
	struct nlattr *nest = nla_nest_start(message, NFSD_SERVER_SOCK);
	struct sockaddr_storage sa;
	int put;

	if (!nest)
		return -ENOMEM;
	(void)addr_to_sockaddr(addr, port, &sa);
	put = nla_put(message, NFSD_SOCK_ADDR, sizeof sa, &sa);
	put |= nla_put_string(message, NFSD_SOCK_TRANSPORT_NAME, "tcp");
	put |= nla_nest_end(message, nest);
	return put;
}

/*
 * The kernel does not say which address it could not listen on, and then already has those before
 * it: each is tried here before.
 */
static int try_listeners(const struct exporter_config *config, struct kerr *e)
{
	int error = 0;

	for (size_t i = 0; i < config->n_listen && error == 0; i++) {
		_cleanup_close_ int fd = -1;
		error = server_listen(&config->listen[i], config->port, &fd, e);
	}
	return error;
}

static int set_listeners(struct genl *g, const struct exporter_config *config, struct kerr *e)
{
	int put, error = try_listeners(config, e);
	struct nl_msg *message;

	if (error < 0)
		return error;
	message = genl_message(g, NFSD_LISTENER_SET, 0);
	put = message ? 0 : -ENOMEM;
	for (size_t i = 0; i < config->n_listen && put == 0; i++)
		put = put_listener(message, &config->listen[i], config->port);
	return send_whole(g, message, put, "set listeners", e);
}

static int set_threads(struct genl *g, const struct exporter_config *config, struct kerr *e)
{
	struct nl_msg *message = genl_message(g, NFSD_THREADS_SET, 0);
	int put = message ? 0 : -ENOMEM;

	if (message) {
		put |= nla_put_u32(message, NFSD_SERVER_THREADS, config->threads);
		put |= nla_put_u32(message, NFSD_SERVER_GRACETIME, config->grace_seconds);
		put |= nla_put_u32(message, NFSD_SERVER_LEASETIME, config->lease_seconds);
		put |= nla_put_string(message, NFSD_SERVER_SCOPE, config->server_scope);
	}
	return send_whole(g, message, put, "start nfsd threads", e);
}

int server_start_netlink(const struct exporter_config *config, struct kerr *e)
{
	_cleanup_(genl_closep) struct genl *g = NULL;
	int error = genl_open("nfsd", &g);

	if (error == -ENOENT || error == -EPROTONOSUPPORT || (error == 0 && !has_commands(g)))
		return -ENOENT;
	if (error < 0)
		return kerr_set(e, error, "open netlink family", "nfsd", NULL);
	error = set_version(g, e);
	if (error == 0)
		error = set_listeners(g, config, e);
	if (error == 0)
		error = set_threads(g, config, e);
	return error;
}
