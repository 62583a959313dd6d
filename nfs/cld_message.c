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

struct answer {
	struct cld_msg_v2 m;
	size_t size;
	cld_send_fn *send;
	void *data;
};

static int send_status(struct answer *a, int status)
{
	a->m.cm_status = (__s16)status;
	return a->send(&a->m, a->size, a->data);
}

static int send_name(const void *name, size_t size, void *data)
{
	struct answer *a = data;

	memset(&a->m.cm_u, 0, sizeof a->m.cm_u);
	a->m.cm_u.cm_name.cn_len = (__u16)size;
	memcpy(a->m.cm_u.cm_name.cn_id, name, size);
	return send_status(a, -EINPROGRESS);
}

static int start_grace(const struct cld_names *names, struct answer *a)
{
	int error = cld_names_begin_grace(names);

	return error < 0 ? error : cld_names_recoverable(names, send_name, a);
}

static int act(const struct cld_names *names, struct answer *a)
{
	const struct cld_name name = a->m.cm_u.cm_name;

	switch (a->m.cm_cmd) {
	case Cld_GetVersion:
		a->m.cm_u.cm_version = VERSION;
		return 0;
	case Cld_GraceStart:
		return start_grace(names, a);
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

int cld_answer(const struct cld_names *names, const void *message, size_t size, cld_send_fn *send,
	void *data)
{
	struct answer a = {.size = size, .send = send, .data = data};
	int error, sent;

	if (size != sizeof(struct cld_msg) && size != sizeof(struct cld_msg_v2))
		return -EPROTO;
	memcpy(&a.m, message, size);
	error = act(names, &a);
	sent = send_status(&a, error);
	return error < 0 ? error : sent;
}
