/* SPDX-License-Identifier: Apache-2.0 */
/* NFSv4.1 and 4.2 (RFC 8881): one COMPOUND, put together operation by operation. */
#pragma once

#include "tests/vm/raw_client/wire.h"

#define HANDLE_MAX 128 /* NFS4_FHSIZE */

struct handle {
	uint32_t size;
	unsigned char data[HANDLE_MAX];
};

struct compound {
	uint32_t minor;
	uint32_t n; /* operations */
	size_t size;
	char ops[WIRE_MAX - 1024];
};

struct session {
	int fd;
	uint32_t uid;
	uint32_t minor;
	uint64_t client;
	char id[16];
	uint32_t sequence;
};

/* What came back: of the RPC, then of the compound, whose last operation has the same status. */
struct result {
	enum reply_kind reply;
	uint32_t status, last_op, n;
	struct handle handle; /* of GETFH */
	unsigned names;	      /* how many READDIR showed */
	char data[256];	      /* of READ, as a string */
};

void compound_begin(struct compound *c, uint32_t minor);
void op_sequence(struct compound *c, struct session *s);
void op_putrootfh(struct compound *c);
void op_putfh(struct compound *c, const struct handle *h);
void op_lookup(struct compound *c, const char *name);
void op_path(struct compound *c, const char *path); /* PUTROOTFH and a LOOKUP for each name */
void op_getfh(struct compound *c);
void op_readdir(struct compound *c);
void op_read(struct compound *c, uint64_t offset, uint32_t count); /* anonymous state */
void op_write(struct compound *c, const char *text);		   /* anonymous state */
void op_bare(struct compound *c, uint32_t op);			   /* no arguments */

void compound_call(int fd, uint32_t uid, const struct compound *c, struct result *ret);
/* "OK", "ACCESS", …, or the RPC's refusal. */
const char *result_name(const struct result *r);

/* EXCHANGE_ID, CREATE_SESSION, RECLAIM_COMPLETE; false: *ret tells what was refused. */
bool session_begin(const struct target *t, uint32_t uid, uint32_t minor, struct session *ret,
	struct result *ret_refused); /* it has not said that it reclaimed all */
bool session_open(const struct target *t, uint32_t uid, uint32_t minor, struct session *ret,
	struct result *ret_refused);
void session_close(struct session *s);
