/* SPDX-License-Identifier: Apache-2.0 */
/* What nfsd asks about clients, and the answers. Pure, but for the names on disk it acts on. */
#pragma once

#include <linux/nfsd/cld.h>

#include "nfs/cld_names.h"

#define CLD_MESSAGE_MAX sizeof(struct cld_msg_v2)

/* Sends one message to the kernel; returns 0 or negative errno. */
typedef int cld_send_fn(const void *message, size_t size, void *data);

/*
 * Acts on one message as it was read and sends what answers it, in the request's own layout
 * (version 1 or 2, told by its size). -EPROTO: no message of either kind, nothing was sent.
 * Another error is told to the kernel as the message's status, then returned.
 */
int cld_answer(const struct cld_names *names, const void *message, size_t size, cld_send_fn *send,
	void *data);
