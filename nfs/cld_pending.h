/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Questions of client tracking whose answer the kernel has perhaps not got. It waits for each
 * without end, with a thread of nfsd that nothing can kill, and does not ask a second time once a
 * question was read to its end. So they are kept beyond the end of this process, for as long as
 * the nfsd that asked them lives: numbers and names begin anew with each.
 */
#pragma once

#include <linux/nfsd/cld.h>
#include <stdbool.h>

/* Each is answered before the next is read; only answers that the kernel does not take stay. */
#define CLD_PENDING_MAX 64
#define CLD_BOOT_SIZE	64

enum cld_pending_state {
	CLD_FREE,
	CLD_ASKED,    /* message is the question: what there is to do is perhaps not done */
	CLD_ANSWERED, /* message is the answer */
};

/*
 * A file below the runtime folder (a tmpfs, where a store cannot fail), in memory: no call that
 * could fail, or be the last one, lies between the kernel's question and its being kept. Its pages
 * outlive the process.
 */
struct cld_pending {
	struct cld_pending_item {
		__u32 state;
		struct cld_msg_v2 message;
	} * list; /* mapped; CLD_PENDING_MAX */
};

/*
 * With what a former process has left, if it was of the same boot: any text that tells it from
 * others, of which CLD_BOOT_SIZE bytes count. Negative errno: of opening, making or mapping the
 * file; *ret is untouched.
 */
int cld_pending_open(const char *runtime_dir, const char *boot, struct cld_pending *ret);
void cld_pending_close(struct cld_pending *p);

bool cld_pending_any(const struct cld_pending *p);
/* Replaces one of the same xid. -ENOBUFS: there are too many, and it is not kept. */
int cld_pending_keep(
	struct cld_pending *p, const struct cld_msg_v2 *message, enum cld_pending_state state);
void cld_pending_drop(struct cld_pending *p, __u32 xid);
/* Those of an nfsd that has ended: all; or all but xid, which is the next one's first. */
void cld_pending_clear(struct cld_pending *p);
void cld_pending_clear_but(struct cld_pending *p, __u32 xid);
