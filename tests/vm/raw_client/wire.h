/* SPDX-License-Identifier: Apache-2.0 */
/* ONC RPC over TCP with nothing between: records, calls and replies as bytes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WIRE_MAX 65536

struct target {
	const char *server; /* an address literal */
	const char *port;
	bool reserved; /* from a port below 1024 */
};

enum reply_kind {
	REPLY_OK,
	REPLY_CLOSED,	   /* hung up on */
	REPLY_SILENCE,	   /* nothing within the time limit */
	REPLY_AUTH_DENIED, /* RFC 5531: MSG_DENIED */
	REPLY_PROGRAM,	   /* PROG_UNAVAIL */
	REPLY_VERSION,	   /* PROG_MISMATCH */
	REPLY_PROCEDURE,   /* PROC_UNAVAIL */
	REPLY_ARGUMENTS,   /* GARBAGE_ARGS */
	REPLY_OTHER,
};

struct call {
	uint32_t program, version, procedure;
	uint32_t uid; /* of AUTH_SYS, the gid is the same; UINT32_MAX: AUTH_NONE */
};

/* Negative errno of socket(2), bind(2) or connect(2). */
int wire_connect(const struct target *target);
/* One record; false when the peer hung up. */
bool wire_send(int fd, const void *data, size_t size);
/* One reply record into data; its length, 0 when closed, -1 for silence. */
long wire_receive(int fd, void *data, size_t size);

/* args: encoded; *ret_body and *ret_size: the results, inside reply (WIRE_MAX bytes). */
enum reply_kind wire_call(int fd, const struct call *call, const void *args, size_t size,
	void *reply, const char **ret_body, size_t *ret_size);
const char *reply_name(enum reply_kind kind);
