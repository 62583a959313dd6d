/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Questions of client tracking whose answer the kernel has perhaps not got. It waits for each
 * without end, with a thread of nfsd that nothing can kill, and does not ask a second time once a
 * question was read to its end. So they are kept beyond the end of this process.
 */
#pragma once

#include <linux/nfsd/cld.h>
#include <stdbool.h>

#define CLD_PENDING_MAX 16

enum cld_pending_state {
	CLD_FREE,
	CLD_ASKED,    /* message is the question: what there is to do is perhaps not done */
	CLD_ANSWERED, /* message is the answer */
};

struct cld_pending {
	int file; /* below the state folder; -1: none, and nothing outlives the process */
	struct cld_pending_item {
		__u32 state;
		struct cld_msg_v2 message;
	} list[CLD_PENDING_MAX];
};

/* With what a former process has left. */
void cld_pending_open(const char *state_dir, struct cld_pending *ret);
void cld_pending_close(struct cld_pending *p);

bool cld_pending_any(const struct cld_pending *p);
/* Replaces one of the same xid. More than there is room for are not kept. */
void cld_pending_keep(
	struct cld_pending *p, const struct cld_msg_v2 *message, enum cld_pending_state state);
void cld_pending_drop(struct cld_pending *p, __u32 xid);
/* Of an nfsd that has ended. */
void cld_pending_clear(struct cld_pending *p);
