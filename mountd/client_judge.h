/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Is a client of this node's NFS server in the way? Seen by a recall that nfsd did not get
 * answered, by whether its node answers at all, and by what it does with revoked state. Pure.
 *
 * A dead client holds delegations, and whoever opens, makes or deletes such a file on this node
 * waits for it: up to a lease from there on. So one that holds somebody up goes as soon as its node
 * is silent. Any other one keeps what it has, also when its lease is over: the network may come
 * back, and nfsd itself lets go of what such a client holds once somebody wants it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "nfs/nfsd_text.h"

#define CLIENT_QUIET_S		 2 /* one at work renews its lease with every call */
#define CLIENT_SILENCES		 2 /* questions in a row that its node has to leave unanswered */
#define CLIENT_REVOKED_LOOKS	 4 /* at which it has called, and holds still what was revoked */
#define CLIENT_UNRECLAIMED_LOOKS 5 /* at which it has a lease, and did not say what it had */
#define CLIENT_EVERY_MS		 10000
#define CLIENT_BUSY_MS		 2000 /* while somebody works through a mount: to see its end soon */
#define CLIENT_SOON_MS		 1000

/* What was seen of one client. */
struct client_signs {
	struct nfsd_client last;
	bool answers;	   /* its node has answered a question once: where a firewall drops them */
	unsigned silences; /* … questions in a row that it did not answer since */
	unsigned revoked_looks, unreclaimed_looks;
};

enum client_verdict {
	CLIENT_FINE,
	CLIENT_ASK,	 /* its node should be asked now */
	CLIENT_HOLDS_UP, /* dead: a recall waits for it */
	/* nfsd tells it with every answer; it no longer knows the state, and asks without an end */
	CLIENT_KEEPS_REVOKED,
	/*
	 * nfsd refuses it every open until it has said that it reclaimed all it had: RFC 8881,
	 * section 18.51.3. Linux 6.1.176 and 6.12.117 forget to say so, where they were expired
	 * while a call was under way, and then wait for ever.
	 */
	CLIENT_UNRECLAIMED,
};

/*
 * Takes in another look. A client that is new has all signs zero. unreclaimed: it holds nothing,
 * and has not said that it reclaimed all.
 */
enum client_verdict client_judge(
	struct client_signs *signs, const struct nfsd_client *now, bool unreclaimed);

/* Takes in what its node said to a question. */
void client_heard(struct client_signs *signs, bool answered);

/* In how many milliseconds this client wants to be looked at again. */
uint64_t client_look_ms(const struct client_signs *signs);

const char *client_why(enum client_verdict verdict); /* of those to be expired; static */
