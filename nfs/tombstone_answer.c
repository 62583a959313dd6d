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
	OP_DESTROY_SESSION = 44,
	OP_SEQUENCE = 53,
	OP_DESTROY_CLIENTID = 57,
	OP_RECLAIM_COMPLETE = 58,
};

enum {
	NFS4_OK = 0,
	NFS4ERR_STALE = 70,
	SESSION_ID_SIZE = 16,
};

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

static bool answer_sequence(XDR *in, XDR *out, struct call *call)
{
	struct sequence s;
	uint32_t cache_this, second, status;

	if (!xdr_opaque(in, s.session, sizeof s.session) || !get(in, &s.sequence) ||
		!get(in, &s.slot) || !get(in, &s.highest_slot) || !get(in, &cache_this))
		return false;
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
	return put_compound(out, call, NFS4_OK, 1) && put(out, OP_BIND_CONN_TO_SESSION) &&
	       put(out, NFS4_OK) && xdr_opaque(out, session, sizeof session) &&
	       put(out, direction & 3) && put(out, 0);
}

static bool answer_compound(XDR *in, XDR *out, struct call *call)
{
	uint32_t status = NFS4ERR_STALE;

	if (call->first == OP_SEQUENCE)
		return answer_sequence(in, out, call);
	if (call->first == OP_BIND_CONN_TO_SESSION)
		return answer_bind_connection(in, out, call);
	if (call->first == OP_DESTROY_SESSION || call->first == OP_DESTROY_CLIENTID)
		status = NFS4_OK;
	return put_compound(out, call, status, 1) && put(out, call->first) && put(out, status);
}

int tombstone_answer(
	const unsigned char *call_bytes, size_t length, unsigned char reply[TOMBSTONE_REPLY_MAX])
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
	if (call.procedure == PROC_COMPOUND && !answer_compound(&in, &out, &call))
		return -EBADMSG;
	return (int)xdr_getpos(&out);
}
