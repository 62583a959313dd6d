/* SPDX-License-Identifier: Apache-2.0 */
/* Which servers are asked: those of the runs. */
#include "mountd/prober_state.h"

#include <string.h>

#include "nfs/client_ending.h"
#include "nfs/client_left.h"
#include "nfs/client_state.h"
#include "nfs/mount.h"

#define NFS_PORT 2049

/* Attached and proven, or left by a former daemon: more than an attempt. */
bool prober_is_perhaps_shown(const struct run *run)
{
	return run->holds_mount && (run->in_force || run->inherited);
}

struct peer *prober_find(const struct prober *p, const struct addr *server, uint16_t port)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->list[i]->port == port && addr_equal(&p->list[i]->server, server))
			return p->list[i];
	return NULL;
}

bool prober_has_shutdown(const struct prober *p)
{
	return mount_rungs() & ~p->daemon->mount_config.masked_rungs & MOUNT_RUNG_SHUTDOWN;
}

/*
 * Detaching frees nobody who is on a mount: its server is asked on, and when it is lost they are
 * cut off.
 */
static bool may_hold_up(const struct peer *peer)
{
	return peer->tombstone || client_state_holds(&peer->server, peer->port) != 0 ||
	       client_ending_gives_back_session(&peer->server, peer->port);
}

/* Not yet let go by the kernel. */
static bool is_attempting(const struct run *run)
{
	return run->trying.role == ROLE_MOUNT && run->trying.mount.kind == MOUNT_NFS &&
	       (run->busy == BUSY_BUILDING || run->stuck);
}

static void mark_used(struct prober *p, const struct mount *m)
{
	struct peer *peer = prober_find(p, &m->server, m->port);

	if (peer)
		peer->used = true;
}

/* What a former daemon cut off shows nowhere, but whoever is on it waits for that server still. */
static bool is_left(const struct prober *p, const struct mount *want)
{
	return !p->matched && !prober_find(p, &want->server, want->port) &&
	       client_state_holds(&want->server, want->port) > 0;
}

static struct peer *add(struct prober *p, const struct mount *m)
{
	struct peer *peer = peer_add(p, m);

	if (!peer)
		p->incomplete = true;
	return peer;
}

/* Asked is who serves, or perhaps serves, a mount; and then for as long as one is wanted of it. */
static void use(struct prober *p, const struct run *run)
{
	const struct mount *want = run->possible ? &run->want.mount : NULL;

	if (prober_is_perhaps_shown(run) && run->held_mount.kind == MOUNT_NFS) {
		if (!prober_find(p, &run->held_mount.server, run->held_mount.port))
			(void)add(p, &run->held_mount);
		mark_used(p, &run->held_mount);
	}
	if (!want || want->kind != MOUNT_NFS)
		return;
	if (is_left(p, want))
		(void)add(p, want);
	mark_used(p, want);
}

static bool are_all_used(const struct prober *p)
{
	for (size_t i = 0; i < p->n; i++)
		if (!p->list[i]->used)
			return false;
	return true;
}

/* Servers are few: mostly the first runs show that each is in use. */
static void drop_unused(struct prober *p, bool whole)
{
	const struct runs *runs = &p->daemon->runs;

	for (size_t i = 0; i < p->n; i++)
		p->list[i]->used = false;
	for (size_t i = 0; i < runs->n && (whole || !are_all_used(p)); i++)
		if (runs->list[i]->role == ROLE_MOUNT)
			use(p, runs->list[i]);
	p->left = runs->left;
	p->lingering = false;
	for (size_t i = p->n; i-- > 0;) {
		if (p->list[i]->used)
			continue;
		if (may_hold_up(p->list[i])) {
			p->lingering = true;
			continue;
		}
		peer_free(p->list[i]);
		p->list[i] = p->list[--p->n];
	}
}

static void mark_attempted(struct prober *p, const struct mount *m)
{
	struct peer *peer = prober_find(p, &m->server, m->port);

	if (peer)
		peer->attempted = true;
}

static bool is_of_a_run(const struct runs *runs, uint16_t port)
{
	for (size_t i = 0; i < runs->n; i++) {
		const struct run *run = runs->list[i];

		if (run->role == ROLE_MOUNT &&
			((run->wished && run->wish.mount.port == port) ||
				(run->holds_mount && run->held_mount.port == port)))
			return true;
	}
	return false;
}

/* At the port that all NFS servers share, nothing tells ours from another's. */
static bool may_be_ours(const void *data, const struct addr *server, uint16_t port)
{
	const struct prober *p = data;
	const struct daemon *d = p->daemon;

	return port != NFS_PORT && !prober_find(p, server, port) &&
	       (port == d->options.port || is_of_a_run(&d->runs, port));
}

/* What a former daemon took off shows nowhere and is on no record, but somebody may be on it. */
static bool take_left(struct prober *p)
{
	struct client_left left;
	char text[64];
	int r = client_left_read(may_be_ours, p, &left);

	if (r < 0 && r != p->left_error)
		log_event(LOG_LEVEL_WARNING, "servers-left", log_text("error", strerror(-r)),
			log_text("next", "looked for again when something changes"));
	p->left_error = r;
	if (r < 0)
		return false;
	for (size_t i = 0; i < left.n; i++) {
		struct mount m = {.server = left.server[i].addr, .port = left.server[i].port};
		const struct peer *peer = add(p, &m);

		if (peer)
			log_event(LOG_LEVEL_INFO, "server-left",
				log_text("peer", peer_text(peer, text, sizeof text)),
				log_text("next",
					"asked for as long as somebody is on a mount of it"));
		p->lingering = true;
	}
	if (left.more)
		log_event(LOG_LEVEL_WARNING, "servers-left", log_number("asked", left.n),
			log_text("error", "others are not: start anew when these are gone"));
	return !p->incomplete; /* who found no memory is found again */
}

void prober_match(struct prober *p)
{
	bool incomplete = p->incomplete;

	p->incomplete = false;
	for (size_t i = 0; i < p->n; i++)
		p->list[i]->attempted = false;
	for (const struct run *run = p->daemon->runs.first; run; run = run->next) {
		if (run->role != ROLE_MOUNT)
			continue;
		use(p, run);
		if (is_attempting(run))
			mark_attempted(p, &run->trying.mount);
	}
	if (p->left != p->daemon->runs.left || p->lingering || incomplete)
		drop_unused(p, incomplete);
	if (!p->matched)
		p->matched = take_left(p);
}

bool prober_is_silent(const struct prober *p, const struct addr *server, uint16_t port)
{
	const struct peer *peer = prober_find(p, server, port);

	return peer && peer->answer != ANSWERS;
}

bool prober_is_attempted(const struct prober *p, const struct addr *server, uint16_t port)
{
	const struct peer *peer = prober_find(p, server, port);

	return peer && peer->attempted;
}

bool prober_knows(const struct prober *p, const struct addr *server, uint16_t port)
{
	return prober_find(p, server, port);
}

uint64_t prober_lost_ms(const struct prober *p, const struct addr *server, uint16_t port)
{
	const struct peer *peer = prober_find(p, server, port);

	return peer && peer->answer == LOST ? peer->lost_ms : 0;
}
