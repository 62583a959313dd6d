/* SPDX-License-Identifier: Apache-2.0 */
/* What nfsd asks about clients, and the answers. Pure, but for the names on disk it acts on. */
#pragma once

#include <linux/nfsd/cld.h>

#include "nfs/cld_names.h"

/* Sends one message to the kernel, in the layout that it speaks; returns 0 or negative errno. */
typedef int cld_send_fn(const struct cld_msg_v2 *m, void *data);

/*
 * Acts on one question and makes *m its answer, which is not sent; what is sent are the names that
 * may reclaim. What it does can be done again. Returns the answer's status.
 */
int cld_answer(const struct cld_names *names, struct cld_msg_v2 *m, cld_send_fn *send, void *data);
