/* SPDX-License-Identifier: Apache-2.0 */
/* Is a client of this node's NFS server in the way? Pure. */
#include "mountd/client_judge.h"

#include <limits.h>

static bool is_at_work(const struct nfsd_client *now)
{
	return now->quiet_seconds < CLIENT_QUIET_S;
}

static bool is_silent(const struct client_signs *s)
{
	return s->answers && s->silences >= CLIENT_SILENCES;
}

enum client_verdict client_judge(
	struct client_signs *s, const struct nfsd_client *now, bool unreclaimed)
{
	bool called = now->quiet_seconds == 0 || now->quiet_seconds < s->last.quiet_seconds;

	if (called || is_at_work(now))
		s->silences = 0;
	s->revoked_looks = now->holds_revoked ? s->revoked_looks + called : 0;
	s->unreclaimed_looks = unreclaimed ? s->unreclaimed_looks + 1 : 0;
	s->last = *now;
	if (!now->confirmed || now->quiet_seconds == UINT_MAX)
		return CLIENT_FINE;
	if (s->revoked_looks >= CLIENT_REVOKED_LOOKS)
		return CLIENT_KEEPS_REVOKED;
	if (s->unreclaimed_looks >= CLIENT_UNRECLAIMED_LOOKS)
		return CLIENT_UNRECLAIMED;
	if (now->recall_failed && is_silent(s))
		return CLIENT_HOLDS_UP;
	return is_at_work(now) && s->answers ? CLIENT_FINE : CLIENT_ASK;
}

void client_heard(struct client_signs *s, bool answered)
{
	s->answers |= answered;
	s->silences = answered ? 0 : s->silences + 1;
}

static bool should_let_go(const struct client_signs *s)
{
	return s->last.holds_revoked && s->last.quiet_seconds < CLIENT_EVERY_MS / 1000;
}

uint64_t client_look_ms(const struct client_signs *s)
{
	if ((s->answers && s->silences) || should_let_go(s) || s->unreclaimed_looks)
		return CLIENT_SOON_MS;
	return is_at_work(&s->last) || s->last.recall_failed ? CLIENT_BUSY_MS : CLIENT_EVERY_MS;
}

const char *client_why(enum client_verdict verdict)
{
	switch (verdict) {
	case CLIENT_HOLDS_UP:
		return "its node is silent, and it left a recall unanswered that this node waits "
		       "for";
	case CLIENT_UNRECLAIMED:
		return "it has not said that it reclaimed what it had, and is refused every open "
		       "until then";
	default:
		return "it calls on and on, and does not let go of what was revoked";
	}
}
