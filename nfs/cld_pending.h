/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers to client tracking that the kernel has perhaps not got. It waits for each without end,
 * with a thread of nfsd that nothing can kill, and does not ask a second time once a question was
 * read to its end. So an answer is kept beyond the end of this process before that.
 */
#pragma once

#include <linux/nfsd/cld.h>
#include <stdbool.h>

#define CLD_PENDING_MAX 16

struct cld_pending {
	int file; /* below the state folder; -1: none, and nothing outlives the process */
	struct cld_msg_v2 list[CLD_PENDING_MAX]; /* free where cm_vers is 0 */
};

/* With what a former process has left. */
void cld_pending_open(const char *state_dir, struct cld_pending *ret);
void cld_pending_close(struct cld_pending *p);

bool cld_pending_any(const struct cld_pending *p);
/* Replaces one to the same question. More than there is room for are not kept. */
void cld_pending_keep(struct cld_pending *p, const struct cld_msg_v2 *answer);
void cld_pending_drop(struct cld_pending *p, __u32 xid);
/* Of an nfsd that has ended. */
void cld_pending_clear(struct cld_pending *p);
