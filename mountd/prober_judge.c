/* SPDX-License-Identifier: Apache-2.0 */
/* Does a server that answers answer this kernel as well? */
#include "mountd/prober_state.h"

/* At most that long a server is not heard, and still counts as having answered all along. */
#define UNHEARD_MS 30000
#define STUCK_MS   60000 /* or two leases: a client would have renewed one thrice */

bool peer_serves(const struct peer *peer, const struct mount *m)
{
	return m->kind == MOUNT_NFS && m->port == peer->port &&
	       addr_equal(&m->server, &peer->server);
}

void peer_heard(struct peer *peer, uint64_t now_ms)
{
	if (peer->answer != ANSWERS || now_ms > peer->heard_ms + UNHEARD_MS)
		peer->answers_ms = now_ms;
	peer->answered_ms = peer->asked_ms = peer->heard_ms = now_ms;
}

static bool has_mount_in_force(const struct peer *peer)
{
	const struct runs *runs = &peer->prober->daemon->runs;

	for (size_t i = 0; i < runs->n; i++)
		if (runs->list[i]->role == ROLE_MOUNT && runs->list[i]->in_force &&
			peer_serves(peer, &runs->list[i]->held_mount))
			return true;
	return false;
}

bool peer_is_stuck(const struct peer *peer, const struct client_lease *lease, uint64_t now_ms)
{
	uint64_t two_ms = lease->length_s * 2000ULL;

	return lease->length_s && lease->over_s >= lease->length_s &&
	       now_ms >= peer->answers_ms + (two_ms > STUCK_MS ? two_ms : STUCK_MS) &&
	       has_mount_in_force(peer);
}
