/* SPDX-License-Identifier: Apache-2.0 */
/* What a former daemon has left is looked for until all of it is asked. */
#include "mountd/prober_state.h"

#include <criterion/criterion.h>
#include <stdio.h>

#include "nfs/client_left.h"

static struct daemon d;
static struct prober prober = {.daemon = &d};
static struct peer peers[2];
static struct peer *list[2];
static size_t room; /* for as many peers there is memory */
static unsigned looks;

/* In place of those that ask the kernel, and take memory. */
int client_left_read(client_left_asked *asked, const void *data, struct client_left *ret)
{
	struct addr addr;

	looks++;
	*ret = (struct client_left){.n = 0};
	for (unsigned char i = 1; i <= 2; i++) {
		addr = (struct addr){.family = AF_INET, .bytes = {10, 20, 0, i}};
		if (!asked(data, &addr, 20490))
			continue;
		ret->server[ret->n].addr = addr;
		ret->server[ret->n++].port = 20490;
	}
	return 0;
}

struct peer *peer_add(struct prober *p, const struct mount *m)
{
	if (p->n == room)
		return NULL;
	peers[p->n] = (struct peer){.prober = p, .server = m->server, .port = m->port};
	p->list[p->n] = &peers[p->n];
	/* Whatever the kernel says of it: it stays. */
	p->list[p->n]->tombstone = (struct tombstone_job *)&peers[p->n];
	return p->list[p->n++];
}

void peer_free(struct peer *peer)
{
	cr_assert_fail("%u goes", peer->server.bytes[3]);
}

const char *peer_text(const struct peer *peer, char *text, size_t size)
{
	(void)snprintf(text, size, "%u", peer->server.bytes[3]);
	return text;
}

static void match(size_t has_room)
{
	room = has_room;
	d.options.port = 20490;
	prober.list = list;
	prober_match(&prober);
}

Test(prober_match, what_is_left_is_looked_for_once)
{
	match(2);
	cr_expect_eq(prober.n, 2);
	match(2);
	cr_expect_eq(looks, 1);
}

Test(prober_match, who_is_left_and_finds_no_memory_is_looked_for_again)
{
	match(1);
	cr_expect_eq(prober.n, 1);
	match(1);
	cr_expect_eq(looks, 2);
	match(2);
	cr_expect_eq(prober.n, 2, "it is forgotten");
	match(2);
	cr_expect_eq(looks, 3);
}
