/* SPDX-License-Identifier: Apache-2.0 */
/* Generic netlink, as much of it as nfsd and sunrpc need: one socket to one family. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <netlink/msg.h>

struct genl;

/*
 * A blocking socket to the family's kernel side. -ENOENT: this kernel (or its loaded modules)
 * has no such family.
 */
int genl_open(const char *family, struct genl **ret);
void genl_close(struct genl *g);
static inline void genl_closep(struct genl **g)
{
	genl_close(*g);
}

/* Does the family know this command? */
bool genl_has_op(const struct genl *g, uint8_t command);

/* Subscribes to a multicast group of the family. -ENOENT: it has no group of that name. */
int genl_join(struct genl *g, const char *group);

/*
 * A new message for a command, to be filled with nla_put*(). NULL: out of memory. flags:
 * NLM_F_DUMP or 0.
 */
struct nl_msg *genl_message(const struct genl *g, uint8_t command, int flags);

/* One message of an answer; its attributes are at genlmsg_attrdata(nlmsg_data(m), 0). */
typedef int genl_fn(struct nlmsghdr *m, void *data);

/*
 * Sends message (taken over, also on failure; NULL is -ENOMEM) and waits for the kernel's
 * acknowledgement or the end of the dump; fn (may be NULL) sees every answer, and a negative
 * return of it ends the request with that error. Returns 0 or the kernel's negative errno.
 */
int genl_request(struct genl *g, struct nl_msg *message, genl_fn *fn, void *data);

/*
 * For a socket that has joined a group, never used for requests: readable when a notification
 * waits. genl_dispatch hands fn all that wait and returns; -ENOBUFS: some were lost.
 */
int genl_get_fd(const struct genl *g);
int genl_dispatch(struct genl *g, genl_fn *fn, void *data);
