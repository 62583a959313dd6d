/* SPDX-License-Identifier: Apache-2.0 */
/* Generic netlink, as much of it as nfsd and sunrpc need: one socket to one family. */
#include "nfs/genl.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/genetlink.h>
#include <netlink/genl/genl.h>
#include <netlink/socket.h>
#include <stdlib.h>
#include <string.h>

#include "mountd/base/cleanup.h"

#define GROUPS_MAX 8

struct group {
	char name[GENL_NAMSIZ];
	uint32_t id;
};

struct genl {
	struct nl_sock *sock;
	uint16_t family;
	uint8_t version;
	uint64_t ops[4]; /* bit set of the commands the family knows */
	struct group groups[GROUPS_MAX];
	size_t n_groups;
};

/* One request under way: libnl's own error numbers would lose the kernel's. */
struct request {
	genl_fn *fn;
	void *data;
	int error;
	bool done;
};

static int on_valid(struct nl_msg *m, void *arg)
{
	struct request *r = arg;
	int error = r->fn && !r->error ? r->fn(nlmsg_hdr(m), r->data) : 0;

	if (error < 0)
		r->error = error;
	return NL_OK;
}

static int on_end(struct nl_msg *m, void *arg)
{
	struct request *r = arg;

	(void)m;
	r->done = true;
	return NL_STOP;
}

static int on_error(struct sockaddr_nl *from, struct nlmsgerr *error, void *arg)
{
	struct request *r = arg;

	(void)from;
	if (!r->error)
		r->error = error->error;
	r->done = true;
	return NL_STOP;
}

static int any_sequence(struct nl_msg *m, void *arg)
{
	(void)m;
	(void)arg;
	return NL_OK;
}

/* What libnl itself makes of a failed receive; the rest cannot come out of recvmsg(2) here. */
static int receive_error(int nl)
{
	switch (-nl) {
	case NLE_AGAIN:
		return -EAGAIN;
	case NLE_INTR:
		return -EINTR;
	case NLE_NOMEM: /* ENOBUFS as well: the socket's buffer overflowed */
		return -ENOBUFS;
	default:
		return -EIO;
	}
}

static int request_callbacks(struct request *r, struct nl_cb **ret)
{
	struct nl_cb *cb = nl_cb_alloc(NL_CB_CUSTOM);

	if (!cb)
		return -ENOMEM;
	(void)nl_cb_set(cb, NL_CB_VALID, NL_CB_CUSTOM, on_valid, r);
	(void)nl_cb_set(cb, NL_CB_FINISH, NL_CB_CUSTOM, on_end, r);
	(void)nl_cb_set(cb, NL_CB_ACK, NL_CB_CUSTOM, on_end, r);
	(void)nl_cb_err(cb, NL_CB_CUSTOM, on_error, r);
	*ret = cb;
	return 0;
}

int genl_request(struct genl *g, struct nl_msg *message, genl_fn *fn, void *data)
{
	struct request r = {.fn = fn, .data = data};
	struct nl_cb *cb = NULL;
	int error;

	if (!message)
		return -ENOMEM;
	error = request_callbacks(&r, &cb);
	if (error == 0 && nl_send_auto(g->sock, message) < 0)
		error = -EIO;
	nlmsg_free(message);
	while (error == 0 && !r.done) {
		int nl = nl_recvmsgs(g->sock, cb);
		if (nl < 0 && !r.done && nl != -NLE_INTR)
			error = receive_error(nl);
	}
	if (cb)
		nl_cb_put(cb);
	return error < 0 ? error : r.error;
}

struct nl_msg *genl_message(const struct genl *g, uint8_t command, int flags)
{
	struct nl_msg *message = nlmsg_alloc();

	if (message && !genlmsg_put(message, NL_AUTO_PORT, NL_AUTO_SEQ, g->family, 0, flags,
			       command, g->version)) {
		nlmsg_free(message);
		return NULL;
	}
	return message;
}

static void learn_ops(struct genl *g, struct nlattr *list)
{
	struct nlattr *op;
	int rest;

	nla_for_each_nested(op, list, rest)
	{
		struct nlattr *id = nla_find(nla_data(op), nla_len(op), CTRL_ATTR_OP_ID);
		if (id && nla_get_u32(id) < 256)
			g->ops[nla_get_u32(id) / 64] |= UINT64_C(1) << nla_get_u32(id) % 64;
	}
}

static void learn_groups(struct genl *g, struct nlattr *list)
{
	struct nlattr *group;
	int rest;

	nla_for_each_nested(group, list, rest)
	{
		struct nlattr *name =
			nla_find(nla_data(group), nla_len(group), CTRL_ATTR_MCAST_GRP_NAME);
		struct nlattr *id =
			nla_find(nla_data(group), nla_len(group), CTRL_ATTR_MCAST_GRP_ID);
		if (!name || !id || g->n_groups == GROUPS_MAX)
			continue;
		struct group *to = &g->groups[g->n_groups++];
		(void)nla_strlcpy(to->name, name, sizeof to->name);
		to->id = nla_get_u32(id);
	}
}

static int learn_family(struct nlmsghdr *m, void *data)
{
	struct genl *g = data;
	struct nlattr *a[CTRL_ATTR_MAX + 1];

	if (genlmsg_parse(m, 0, a, CTRL_ATTR_MAX, NULL) < 0 || !a[CTRL_ATTR_FAMILY_ID])
		return -EPROTO;
	g->family = nla_get_u16(a[CTRL_ATTR_FAMILY_ID]);
	if (a[CTRL_ATTR_VERSION])
		g->version = (uint8_t)nla_get_u32(a[CTRL_ATTR_VERSION]);
	if (a[CTRL_ATTR_OPS])
		learn_ops(g, a[CTRL_ATTR_OPS]);
	if (a[CTRL_ATTR_MCAST_GROUPS])
		learn_groups(g, a[CTRL_ATTR_MCAST_GROUPS]);
	return 0;
}

/* Asks the controller; g's own numbers are still the controller's then. */
static int resolve(struct genl *g, const char *family)
{
	struct nl_msg *message;

	g->family = GENL_ID_CTRL;
	g->version = 1;
	message = genl_message(g, CTRL_CMD_GETFAMILY, 0);
	if (!message)
		return -ENOMEM;
	if (nla_put_string(message, CTRL_ATTR_FAMILY_NAME, family) < 0) {
		nlmsg_free(message);
		return -ENOMEM;
	}
	return genl_request(g, message, learn_family, g);
}

int genl_open(const char *family, struct genl **ret)
{
	_cleanup_(genl_closep) struct genl *g = calloc(1, sizeof *g);
	int error;

	if (!g || !(g->sock = nl_socket_alloc()))
		return -ENOMEM;
	if (nl_connect(g->sock, NETLINK_GENERIC) < 0)
		return -EPROTONOSUPPORT;
	(void)fcntl(nl_socket_get_fd(g->sock), F_SETFD, FD_CLOEXEC);
	error = resolve(g, family);
	if (error < 0)
		return error;
	*ret = TAKE_PTR(g);
	return 0;
}

void genl_close(struct genl *g)
{
	if (!g)
		return;
	nl_socket_free(g->sock);
	free(g);
}

bool genl_has_op(const struct genl *g, uint8_t command)
{
	return g->ops[command / 64] >> command % 64 & 1;
}

int genl_join(struct genl *g, const char *group)
{
	for (size_t i = 0; i < g->n_groups; i++)
		if (strcmp(g->groups[i].name, group) == 0)
			return nl_socket_add_membership(g->sock, (int)g->groups[i].id) < 0 ? -EIO
											   : 0;
	return -ENOENT;
}

int genl_get_fd(const struct genl *g)
{
	return nl_socket_get_fd(g->sock);
}

int genl_dispatch(struct genl *g, genl_fn *fn, void *data)
{
	struct request r = {.fn = fn, .data = data};
	struct nl_cb *cb;
	int nl, error = request_callbacks(&r, &cb);

	if (error < 0)
		return error;
	/* Notifications carry no request's sequence number. */
	(void)nl_cb_set(cb, NL_CB_SEQ_CHECK, NL_CB_CUSTOM, any_sequence, NULL);
	(void)nl_socket_set_nonblocking(g->sock);
	do
		nl = nl_recvmsgs(g->sock, cb);
	while (nl >= 0);
	nl_cb_put(cb);
	if (r.error)
		return r.error;
	return nl == -NLE_AGAIN ? 0 : receive_error(nl);
}
