/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of RFC 8881, and what compound.c and session.c share. */
#pragma once

#include "tests/vm/raw_client/compound.h"

enum { NFS_PROGRAM = 100003, NFSPROC4_COMPOUND = 1 };

enum {
	OP_GETFH = 10,
	OP_LOOKUP = 15,
	OP_PUTFH = 22,
	OP_PUTROOTFH = 24,
	OP_READ = 25,
	OP_READDIR = 26,
	OP_WRITE = 38,
	OP_EXCHANGE_ID = 42,
	OP_CREATE_SESSION = 43,
	OP_DESTROY_SESSION = 44,
	OP_SEQUENCE = 53,
	OP_DESTROY_CLIENTID = 57,
	OP_RECLAIM_COMPLETE = 58,
};

void compound_put32(struct compound *c, uint32_t value);
void compound_put64(struct compound *c, uint64_t value);
void compound_put_opaque(struct compound *c, const void *data, size_t size); /* with its length */
void compound_put_fixed(struct compound *c, const void *data, size_t size);

/* *ret_body is good until the next call. */
enum reply_kind compound_send(
	int fd, uint32_t uid, const struct compound *c, const char **ret_body, size_t *ret_size);
void compound_decode(const char *body, size_t size, struct result *r);
