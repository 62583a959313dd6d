/* SPDX-License-Identifier: Apache-2.0 */
/* What the tombstone says to one call: a pure function of the call. */
#include "nfs/tombstone.h"

#include <errno.h>
#include <rpc/xdr.h>
#include <stdbool.h>
#include <string.h>

enum {
	RPC_CALL = 0,
	RPC_REPLY = 1,
	RPC_VERSION = 2,
	NFS_PROGRAM = 100003,
	NFS_V4 = 4,
	PROC_NULL = 0,
	PROC_COMPOUND = 1,
	AUTH_BODY_MAX = 400, /* RFC 5531, section 8.2 */
	TAG_MAX = 64,	     /* enough for Linux, whose tags are empty or short */
};

enum { /* RFC 8881, section 16.2 */
	OP_BIND_CONN_TO_SESSION = 41,
	OP_EXCHANGE_ID = 42,
	OP_CREATE_SESSION = 43,
	OP_DESTROY_SESSION = 44,
	OP_SEQUENCE = 53,
	OP_DESTROY_CLIENTID = 57,
	OP_RECLAIM_COMPLETE = 58,
};

enum {
	NFS4_OK = 0,
	NFS4ERR_STALE = 70,
	NFS4ERR_STALE_CLIENTID = 10022,
	NFS4ERR_BADSESSION = 10052,
	EXCHGID4_FLAG_USE_NON_PNFS = 0x10000,
	SP4_NONE = 0,
	SESSION_ID_SIZE = 16,
};

/*
 * A tombstone is a server that has just started and has no files, and keeps no state: the one
 * client and the one session that it gives away are known by their numbers. The lost server's are
 * not taken over, since it would refuse the sequence numbers that were used up here in its absence,
 * and the client would wait for them to fit.
 */
static const uint32_t CLIENT_ID[2] = {0x746f6d62, 0x73746f6e};
static const char SESSION_ID[SESSION_ID_SIZE] = "kora tombstone";

struct call {
	uint32_t xid, program, version, procedure;
	char tag[TAG_MAX];
	uint32_t tag_length, minor_version, n_operations, first;
};

struct sequence {
	char session[SESSION_ID_SIZE];
	uint32_t sequence, slot, highest_slot;
};

static bool get(XDR *in, uint32_t *value)
{
	return xdr_uint32_t(in, value);
}

static bool put(XDR *out, uint32_t value)
{
	return xdr_uint32_t(out, &value);
}

/* Credentials and verifiers: a flavour and a body that is passed over unread. */
static bool skip_auth(XDR *in)
{
	char body[AUTH_BODY_MAX];
	uint32_t flavor, length;

	return get(in, &flavor) && get(in, &length) && length <= sizeof body &&
	       xdr_opaque(in, body, length);
}

static bool get_call(XDR *in, struct call *call)
{
	uint32_t type, rpc_version;

	if (!get(in, &call->xid) || !get(in, &type) || type != RPC_CALL || !get(in, &rpc_version) ||
		rpc_version != RPC_VERSION || !get(in, &call->program) ||
		!get(in, &call->version) || !get(in, &call->procedure) || !skip_auth(in) ||
		!skip_auth(in))
		return false;
	if (call->program != NFS_PROGRAM || call->version != NFS_V4)
		return false;
	if (call->procedure == PROC_NULL)
		return true;
	return call->procedure == PROC_COMPOUND && get(in, &call->tag_length) &&
	       call->tag_length <= sizeof call->tag &&
	       xdr_opaque(in, call->tag, call->tag_length) && get(in, &call->minor_version) &&
	       get(in, &call->n_operations) && call->n_operations > 0 && get(in, &call->first);
}

static bool put_reply_header(XDR *out, uint32_t xid)
{
	/* accepted, verifier AUTH_NONE of no length, success */
	return put(out, xid) && put(out, RPC_REPLY) && put(out, 0) && put(out, 0) && put(out, 0) &&
	       put(out, 0);
}

static bool put_compound(XDR *out, struct call *call, uint32_t status, uint32_t n_results)
{
	return put(out, status) && put(out, call->tag_length) &&
	       xdr_opaque(out, call->tag, call->tag_length) && put(out, n_results);
}

static bool put_sequence(XDR *out, struct sequence *s)
{
	return put(out, OP_SEQUENCE) && put(out, NFS4_OK) &&
	       xdr_opaque(out, s->session, sizeof s->session) && put(out, s->sequence) &&
	       put(out, s->slot) && put(out, s->highest_slot) && put(out, s->highest_slot) &&
	       put(out, 0);
}

/* The operation that the whole answer consists of. */
static bool put_only(XDR *out, struct call *call, uint32_t status)
{
	return put_compound(out, call, status, 1) && put(out, call->first) && put(out, status);
}

static bool is_ours(const char session[SESSION_ID_SIZE])
{
	return memcmp(session, SESSION_ID, SESSION_ID_SIZE) == 0;
}

static bool answer_sequence(XDR *in, XDR *out, struct call *call)
{
	struct sequence s;
	uint32_t cache_this, second, status;

	if (!xdr_opaque(in, s.session, sizeof s.session) || !get(in, &s.sequence) ||
		!get(in, &s.slot) || !get(in, &s.highest_slot) || !get(in, &cache_this))
		return false;
	if (!is_ours(s.session))
		return put_only(out, call, NFS4ERR_BADSESSION);
	if (call->n_operations == 1)
		return put_compound(out, call, NFS4_OK, 1) && put_sequence(out, &s);
	if (!get(in, &second))
		return false;
	status = second == OP_RECLAIM_COMPLETE || second == OP_DESTROY_SESSION ? NFS4_OK
									       : NFS4ERR_STALE;
	return put_compound(out, call, status, 2) && put_sequence(out, &s) && put(out, second) &&
	       put(out, status);
}

static bool answer_bind_connection(XDR *in, XDR *out, struct call *call)
{
	char session[SESSION_ID_SIZE];
	uint32_t direction;

	/* Asked for one or both channels, all that is asked for is granted: 3 and 7 are "or both".
	 */
	if (!xdr_opaque(in, session, sizeof session) || !get(in, &direction))
		return false;
	return is_ours(session)
		       ? put_only(out, call, NFS4_OK) && xdr_opaque(out, session, sizeof session) &&
				 put(out, direction & 3) && put(out, 0)
		       : put_only(out, call, NFS4ERR_BADSESSION);
}

/*
 * RFC 8881, section 18.35. The owner is the server's address: a client takes two servers of one
 * owner for one.
 */
static bool answer_exchange_id(XDR *out, struct call *call, const struct addr *server)
{
	char owner[ADDR_TEXT_SIZE] = {0};
	u_int length;

	addr_format(server, owner);
	length = (u_int)strlen(owner);
	return put_only(out, call, NFS4_OK) && put(out, CLIENT_ID[0]) && put(out, CLIENT_ID[1]) &&
	       put(out, 1) && put(out, EXCHGID4_FLAG_USE_NON_PNFS) && put(out, SP4_NONE) &&
	       put(out, 0) && put(out, 0) && put(out, length) && xdr_opaque(out, owner, length) &&
	       put(out, length) && xdr_opaque(out, owner, length) && put(out, 0);
}

/* The attributes of a channel, granted as asked for: six numbers and at most one for RDMA. */
static bool grant_channel(XDR *in, XDR *out)
{
	uint32_t value, n_rdma;

	for (int i = 0; i < 6; i++)
		if (!get(in, &value) || !put(out, value))
			return false;
	if (!get(in, &n_rdma) || n_rdma > 1 || !put(out, n_rdma))
		return false;
	return n_rdma == 0 || (get(in, &value) && put(out, value));
}

/* RFC 8881, section 18.36; nobody is called back. */
static bool answer_create_session(XDR *in, XDR *out, struct call *call)
{
	char session[SESSION_ID_SIZE];
	uint32_t client[2], sequence, flags;

	if (!get(in, &client[0]) || !get(in, &client[1]) || !get(in, &sequence) || !get(in, &flags))
		return false;
	if (memcmp(client, CLIENT_ID, sizeof client) != 0)
		return put_only(out, call, NFS4ERR_STALE_CLIENTID);
	memcpy(session, SESSION_ID, sizeof session);
	return put_only(out, call, NFS4_OK) && xdr_opaque(out, session, sizeof session) &&
	       put(out, sequence) && put(out, 0) && grant_channel(in, out) &&
	       grant_channel(in, out);
}

static bool answer_compound(XDR *in, XDR *out, struct call *call, const struct addr *server)
{
	switch (call->first) {
	case OP_SEQUENCE:
		return answer_sequence(in, out, call);
	case OP_BIND_CONN_TO_SESSION:
		return answer_bind_connection(in, out, call);
	case OP_EXCHANGE_ID:
		return answer_exchange_id(out, call, server);
	case OP_CREATE_SESSION:
		return answer_create_session(in, out, call);
	case OP_DESTROY_SESSION:
	case OP_DESTROY_CLIENTID:
		return put_only(out, call, NFS4_OK);
	default:
		return put_only(out, call, NFS4ERR_STALE);
	}
}

int tombstone_answer(const struct addr *server, const unsigned char *call_bytes, size_t length,
	unsigned char reply[TOMBSTONE_REPLY_MAX])
{
	struct call call = {0};
	XDR in, out;

	if (length > TOMBSTONE_CALL_MAX)
		return -EBADMSG;
	/* Decoding never writes to its buffer; the interface just predates const. */
	xdrmem_create(&in, (char *)(uintptr_t)call_bytes, (u_int)length, XDR_DECODE);
	xdrmem_create(&out, (char *)reply, TOMBSTONE_REPLY_MAX, XDR_ENCODE);
	if (!get_call(&in, &call) || !put_reply_header(&out, call.xid))
		return -EBADMSG;
	if (call.procedure == PROC_COMPOUND && !answer_compound(&in, &out, &call, server))
		return -EBADMSG;
	return (int)xdr_getpos(&out);
}
