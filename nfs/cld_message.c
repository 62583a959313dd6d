/* SPDX-License-Identifier: Apache-2.0 */
/* What nfsd asks about clients, and the answers. */
#include "nfs/cld_message.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#define VERSION 2 /* the newest layout that we speak; nfsd takes the lower one of both */

/* Command, xid and name are at the same place in both layouts; the second only appends to them. */
static_assert(offsetof(struct cld_msg, cm_u) == offsetof(struct cld_msg_v2, cm_u), "cld layouts");
static_assert(sizeof(struct cld_msg) == 1034 && sizeof(struct cld_msg_v2) == 1067, "cld sizes");
static_assert(NFS4_OPAQUE_LIMIT == CLD_NAME_SIZE, "client name");

struct names {
	struct cld_msg_v2 m;
	cld_send_fn *send;
	void *data;
};

static int send_name(const void *name, size_t size, void *data)
{
	struct names *n = data;

	memset(&n->m.cm_u, 0, sizeof n->m.cm_u);
	n->m.cm_u.cm_name.cn_len = (__u16)size;
	memcpy(n->m.cm_u.cm_name.cn_id, name, size);
	n->m.cm_status = -EINPROGRESS;
	return n->send(&n->m, n->data);
}

static int start_grace(const struct cld_names *names, struct names *n)
{
	int error = cld_names_begin_grace(names);

	return error < 0 ? error : cld_names_recoverable(names, send_name, n);
}

static int act(const struct cld_names *names, struct cld_msg_v2 *m, struct names *n)
{
	const struct cld_name name = m->cm_u.cm_name;

	switch (m->cm_cmd) {
	case Cld_GetVersion:
		m->cm_u.cm_version = VERSION;
		return 0;
	case Cld_GraceStart:
		return start_grace(names, n);
	case Cld_Create:
		return cld_names_add(names, name.cn_id, name.cn_len);
	case Cld_Remove:
		return name.cn_len > CLD_NAME_SIZE
			       ? -EINVAL
			       : cld_names_remove(names, name.cn_id, name.cn_len);
	case Cld_GraceDone:
		return cld_names_end_grace(names);
	default:
		return -EOPNOTSUPP;
	}
}

int cld_answer(const struct cld_names *names, struct cld_msg_v2 *m, cld_send_fn *send, void *data)
{
	struct names n = {.m = *m, .send = send, .data = data};
	int error = act(names, m, &n);

	m->cm_status = (__s16)error;
	return error;
}
