/* SPDX-License-Identifier: Apache-2.0 */
/* A client and its session: made, and taken back. */
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <rpc/rpc.h>

#include "tests/vm/raw_client/nfs4.h"

/* The status, and where the results of the first operation begin. */
static const char *first_results(const char *body, size_t size, size_t need, struct result *r)
{
	const size_t head = 5 * 4; /* status, empty tag, number, operation, its status */

	compound_decode(body, size, r);
	return r->status == 0 && size >= head + need ? body + head : NULL;
}

static void encode_exchange_id(struct compound *c)
{
	char owner[64];

	(void)snprintf(owner, sizeof owner, "raw client %d %ld", getpid(), (long)time(NULL));
	op_bare(c, OP_EXCHANGE_ID);
	compound_put64(c, (uint64_t)getpid() << 32 | (uint32_t)time(NULL)); /* verifier */
	compound_put_opaque(c, owner, strlen(owner));
	compound_put32(c, 0); /* flags */
	compound_put32(c, 0); /* SP4_NONE */
	compound_put32(c, 0); /* no implementation id */
}

static bool exchange_id(struct session *s, struct result *r, uint32_t *ret_sequence)
{
	static struct compound c;
	const char *body, *at;
	uint32_t words[3];
	size_t size;

	compound_begin(&c, s->minor);
	encode_exchange_id(&c);
	*r = (struct result){.reply = compound_send(s->fd, s->uid, &c, &body, &size)};
	if (r->reply != REPLY_OK || !(at = first_results(body, size, sizeof words, r)))
		return false;
	memcpy(words, at, sizeof words);
	s->client = (uint64_t)ntohl(words[0]) << 32 | ntohl(words[1]);
	*ret_sequence = ntohl(words[2]);
	return true;
}

static void put_channel(struct compound *c, uint32_t operations)
{
	compound_put32(c, 0);	     /* header padding */
	compound_put32(c, WIRE_MAX); /* largest request */
	compound_put32(c, WIRE_MAX); /* largest answer */
	compound_put32(c, 4096);     /* largest cached answer */
	compound_put32(c, operations);
	compound_put32(c, 1); /* requests at a time */
	compound_put32(c, 0); /* no RDMA */
}

static bool create_session(struct session *s, struct result *r, uint32_t sequence)
{
	static struct compound c;
	const char *body, *at;
	size_t size;

	compound_begin(&c, s->minor);
	op_bare(&c, OP_CREATE_SESSION);
	compound_put64(&c, s->client);
	compound_put32(&c, sequence);
	compound_put32(&c, 0); /* flags: no way back */
	put_channel(&c, 64);
	put_channel(&c, 2);
	compound_put32(&c, 0x40000000); /* callback program */
	compound_put32(&c, 1);
	compound_put32(&c, 0); /* callbacks come with AUTH_NONE */
	*r = (struct result){.reply = compound_send(s->fd, s->uid, &c, &body, &size)};
	if (r->reply != REPLY_OK || !(at = first_results(body, size, sizeof s->id, r)))
		return false;
	memcpy(s->id, at, sizeof s->id);
	s->sequence = 0;
	return true;
}

static bool reclaim_complete(struct session *s, struct result *r)
{
	static struct compound c;

	compound_begin(&c, s->minor);
	op_sequence(&c, s);
	op_bare(&c, OP_RECLAIM_COMPLETE);
	compound_put32(&c, 0); /* of everything */
	compound_call(s->fd, s->uid, &c, r);
	return r->reply == REPLY_OK && r->status == 0;
}

bool session_begin(const struct target *t, uint32_t uid, uint32_t minor, struct session *ret,
	struct result *ret_refused)
{
	uint32_t sequence;

	*ret = (struct session){.fd = wire_connect(t), .uid = uid, .minor = minor};
	*ret_refused = (struct result){.reply = REPLY_CLOSED};
	return ret->fd >= 0 && exchange_id(ret, ret_refused, &sequence) &&
	       create_session(ret, ret_refused, sequence);
}

bool session_open(const struct target *t, uint32_t uid, uint32_t minor, struct session *ret,
	struct result *ret_refused)
{
	return session_begin(t, uid, minor, ret, ret_refused) && reclaim_complete(ret, ret_refused);
}

void session_close(struct session *s)
{
	static struct compound c;
	struct result r;

	if (s->fd < 0)
		return;
	compound_begin(&c, s->minor);
	op_bare(&c, OP_DESTROY_SESSION);
	compound_put_fixed(&c, s->id, sizeof s->id);
	compound_call(s->fd, s->uid, &c, &r);
	compound_begin(&c, s->minor);
	op_bare(&c, OP_DESTROY_CLIENTID);
	compound_put64(&c, s->client);
	compound_call(s->fd, s->uid, &c, &r);
	(void)close(s->fd);
}
