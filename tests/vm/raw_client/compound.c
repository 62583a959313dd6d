/* SPDX-License-Identifier: Apache-2.0 */
/* NFSv4.1 and 4.2 (RFC 8881): one COMPOUND, put together operation by operation. */
#include "tests/vm/raw_client/compound.h"

#include <rpc/rpc.h>
#include <stdio.h>
#include <string.h>

#include "tests/vm/raw_client/nfs4.h"

static void put(struct compound *c, const void *data, size_t size)
{
	static const char zeros[4];
	size_t padded = (size + 3) & ~(size_t)3;

	if (padded > sizeof c->ops - c->size)
		return;
	memcpy(c->ops + c->size, data, size);
	memcpy(c->ops + c->size + size, zeros, padded - size);
	c->size += padded;
}

void compound_put32(struct compound *c, uint32_t value)
{
	value = htonl(value);
	put(c, &value, sizeof value);
}

void compound_put64(struct compound *c, uint64_t value)
{
	compound_put32(c, (uint32_t)(value >> 32));
	compound_put32(c, (uint32_t)value);
}

void compound_put_opaque(struct compound *c, const void *data, size_t size)
{
	compound_put32(c, (uint32_t)size);
	put(c, data, size);
}

void compound_put_fixed(struct compound *c, const void *data, size_t size)
{
	put(c, data, size);
}

void compound_begin(struct compound *c, uint32_t minor)
{
	c->minor = minor;
	c->n = 0;
	c->size = 0;
}

void op_bare(struct compound *c, uint32_t op)
{
	compound_put32(c, op);
	c->n++;
}

void op_sequence(struct compound *c, struct session *s)
{
	op_bare(c, OP_SEQUENCE);
	put(c, s->id, sizeof s->id);
	compound_put32(c, ++s->sequence);
	compound_put32(c, 0); /* slot */
	compound_put32(c, 0); /* highest slot */
	compound_put32(c, 0); /* not to be cached */
}

void op_putrootfh(struct compound *c)
{
	op_bare(c, OP_PUTROOTFH);
}

void op_putfh(struct compound *c, const struct handle *h)
{
	op_bare(c, OP_PUTFH);
	compound_put_opaque(c, h->data, h->size);
}

void op_lookup(struct compound *c, const char *name)
{
	op_bare(c, OP_LOOKUP);
	compound_put_opaque(c, name, strlen(name));
}

void op_path(struct compound *c, const char *path)
{
	char name[256];
	int length;

	op_putrootfh(c);
	while (sscanf(path, "/%255[^/]%n", name, &length) == 1) {
		op_lookup(c, name);
		path += length;
	}
}

void op_getfh(struct compound *c)
{
	op_bare(c, OP_GETFH);
}

void op_readdir(struct compound *c)
{
	op_bare(c, OP_READDIR);
	compound_put64(c, 0); /* cookie */
	compound_put64(c, 0); /* verifier */
	compound_put32(c, 4096);
	compound_put32(c, 16384);
	compound_put32(c, 0); /* no attributes */
}

static void put_anonymous(struct compound *c)
{
	for (int i = 0; i < 4; i++)
		compound_put32(c, 0);
}

void op_read(struct compound *c, uint64_t offset, uint32_t count)
{
	op_bare(c, OP_READ);
	put_anonymous(c);
	compound_put64(c, offset);
	compound_put32(c, count);
}

void op_write(struct compound *c, const char *text)
{
	op_bare(c, OP_WRITE);
	put_anonymous(c);
	compound_put64(c, 0);
	compound_put32(c, 2); /* FILE_SYNC4 */
	compound_put_opaque(c, text, strlen(text));
}

static bool take_handle(XDR *x, struct handle *h)
{
	return xdr_uint32_t(x, &h->size) && h->size <= HANDLE_MAX &&
	       xdr_opaque(x, (char *)h->data, h->size);
}

static bool skip(XDR *x, uint32_t size)
{
	return xdr_setpos(x, xdr_getpos(x) + ((size + 3) & ~3U));
}

static bool take_names(XDR *x, unsigned *names)
{
	uint32_t follows, length, words;

	if (!skip(x, 8))
		return false;
	while (xdr_uint32_t(x, &follows) && follows) {
		if (!skip(x, 8) || !xdr_uint32_t(x, &length) || !skip(x, length) ||
			!xdr_uint32_t(x, &words) || !skip(x, 4 * words) ||
			!xdr_uint32_t(x, &length) || !skip(x, length))
			return false;
		++*names;
	}
	return xdr_uint32_t(x, &follows);
}

static bool take_data(XDR *x, char data[256])
{
	uint32_t eof, length;

	if (!xdr_uint32_t(x, &eof) || !xdr_uint32_t(x, &length))
		return false;
	if (length > 255)
		return skip(x, length);
	data[length] = '\0';
	return xdr_opaque(x, data, length);
}

static bool take_results(XDR *x, uint32_t op, struct result *r)
{
	switch (op) {
	case OP_SEQUENCE:
		return skip(x, 16 + 5 * 4);
	case OP_GETFH:
		return take_handle(x, &r->handle);
	case OP_READDIR:
		return take_names(x, &r->names);
	case OP_READ:
		return take_data(x, r->data);
	default:
		return true; /* without results, or the last one */
	}
}

void compound_decode(const char *body, size_t size, struct result *r)
{
	XDR x;
	uint32_t tag, n, status;

	xdrmem_create(&x, (char *)body, (u_int)size, XDR_DECODE);
	if (!xdr_uint32_t(&x, &r->status) || !xdr_uint32_t(&x, &tag) || !skip(&x, tag) ||
		!xdr_uint32_t(&x, &n)) {
		r->reply = REPLY_OTHER;
		return;
	}
	for (r->n = 0; r->n < n; r->n++)
		if (!xdr_uint32_t(&x, &r->last_op) || !xdr_uint32_t(&x, &status) || status ||
			!take_results(&x, r->last_op, r))
			return;
}

static size_t finish(const struct compound *c, char *args)
{
	uint32_t head[3] = {htonl(0), htonl(c->minor), htonl(c->n)}; /* the tag is empty */

	memcpy(args, head, sizeof head);
	memcpy(args + sizeof head, c->ops, c->size);
	return sizeof head + c->size;
}

enum reply_kind compound_send(
	int fd, uint32_t uid, const struct compound *c, const char **ret_body, size_t *ret_size)
{
	static char args[WIRE_MAX], reply[WIRE_MAX];
	struct call call = {NFS_PROGRAM, 4, NFSPROC4_COMPOUND, uid};

	return wire_call(fd, &call, args, finish(c, args), reply, ret_body, ret_size);
}

void compound_call(int fd, uint32_t uid, const struct compound *c, struct result *ret)
{
	const char *body;
	size_t size;

	*ret = (struct result){.reply = compound_send(fd, uid, c, &body, &size)};
	if (ret->reply == REPLY_OK)
		compound_decode(body, size, ret);
}

const char *result_name(const struct result *r)
{
	static const struct {
		uint32_t status;
		const char *name;
	} names[] = {{0, "OK"}, {1, "PERM"}, {2, "NOENT"}, {5, "IO"}, {13, "ACCESS"},
		{20, "NOTDIR"}, {21, "ISDIR"}, {22, "INVAL"}, {30, "ROFS"}, {70, "STALE"},
		{10001, "BADHANDLE"}, {10004, "NOTSUPP"}, {10006, "SERVERFAULT"}, {10008, "DELAY"},
		{10013, "GRACE"}, {10016, "WRONGSEC"}, {10018, "RESOURCE"}, {10020, "NOFILEHANDLE"},
		{10021, "MINOR_VERS_MISMATCH"}, {10036, "BADXDR"}, {10041, "BADNAME"},
		{10044, "OP_ILLEGAL"}, {10052, "BADSESSION"}, {10063, "SEQ_MISORDERED"},
		{10065, "REQ_TOO_BIG"}, {10066, "REP_TOO_BIG"}, {10068, "RETRY_UNCACHED_REP"},
		{10070, "TOO_MANY_OPS"}, {10071, "OP_NOT_IN_SESSION"}};
	static char number[16];

	if (r->reply != REPLY_OK)
		return reply_name(r->reply);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (names[i].status == r->status)
			return names[i].name;
	(void)snprintf(number, sizeof number, "%u", r->status);
	return number;
}
