/* SPDX-License-Identifier: Apache-2.0 */
/* When this kernel counts as stuck with a server that answers: by its lease, and not too soon. */
#include "mountd/prober_state.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define S	     1000ULL
#define BEGIN_MS     (1000 * S)
#define EVERY_MS     (10 * S) /* how often it is asked */
#define SOON_ENOUGH  (60 * S)
#define SUSPENDED_MS (3600 * S)

static struct daemon d;
static struct prober prober = {.daemon = &d};
static struct peer peer = {.prober = &prober, .port = 20490};
static const struct client_lease over = {30, 500};

static struct run *add_mount(const char *name, const char *more)
{
	char text[256];
	struct spec spec;
	struct spec_fault fault;
	struct run *run = runs_find_or_add(&d.runs, name, ROLE_MOUNT);

	(void)snprintf(text, sizeof text,
		"{\"kind\":\"%s\",\"run\":\"%s\",\"incarnation\":\"1\",\"volume\":\"/w\","
		"\"uid\":1,\"gid\":1,%s}",
		strstr(more, "server") ? "mount" : "bind", name, more);
	cr_assert_eq(spec_parse(text, strlen(text), &spec, &fault), 0, "%s", fault.message);
	cr_assert_eq(run_hold_mount(run, &spec.mount), 0);
	spec_clear(&spec);
	run->in_force = true;
	return run;
}

static void set_up(void)
{
	cr_assert_eq(addr_parse("10.20.0.1", &peer.server), 0);
	(void)add_mount("demo", "\"server\":\"10.20.0.1\"");
	peer_heard(&peer, BEGIN_MS);
}

static void tear_down(void)
{
	while (d.runs.n)
		runs_drop(&d.runs, d.runs.list[0]);
	free(d.runs.list);
}

TestSuite(prober_judge, .init = set_up, .fini = tear_down);

/* Asked as usual, it answers each time from then until then. */
static void answers(uint64_t from_ms, uint64_t to_ms)
{
	for (uint64_t now = from_ms; now <= to_ms; now += EVERY_MS)
		peer_heard(&peer, now);
}

static bool is_stuck(const struct client_lease *lease, uint64_t now_ms)
{
	peer_heard(&peer, now_ms);
	return peer_is_stuck(&peer, lease, now_ms);
}

Test(prober_judge, a_lease_that_is_over_for_its_own_length)
{
	answers(BEGIN_MS, BEGIN_MS + SOON_ENOUGH);
	cr_expect(is_stuck(&over, BEGIN_MS + SOON_ENOUGH));
	cr_expect(is_stuck(&(struct client_lease){30, 30}, BEGIN_MS + SOON_ENOUGH));
	cr_expect_not(is_stuck(&(struct client_lease){30, 29}, BEGIN_MS + SOON_ENOUGH));
	cr_expect_not(is_stuck(&(struct client_lease){0, 0}, BEGIN_MS + SOON_ENOUGH), "none told");
}

Test(prober_judge, a_server_has_answered_for_a_while)
{
	struct client_lease lease = {90, 500};

	answers(BEGIN_MS, BEGIN_MS + SOON_ENOUGH - 1);
	cr_expect_not(is_stuck(&over, BEGIN_MS + SOON_ENOUGH - 1));
	cr_expect(is_stuck(&over, BEGIN_MS + SOON_ENOUGH));
	answers(BEGIN_MS + SOON_ENOUGH, BEGIN_MS + 180 * S - 1);
	cr_expect_not(is_stuck(&lease, BEGIN_MS + 180 * S - 1), "two leases are longer");
	cr_expect(is_stuck(&lease, BEGIN_MS + 180 * S));
}

Test(prober_judge, a_server_that_is_back_has_a_while)
{
	uint64_t back_ms = BEGIN_MS + SOON_ENOUGH + EVERY_MS;

	answers(BEGIN_MS, BEGIN_MS + SOON_ENOUGH);
	peer.answer = SILENT;
	peer_heard(&peer, back_ms);
	peer.answer = ANSWERS;
	cr_expect_not(is_stuck(&over, back_ms));
	answers(back_ms, back_ms + SOON_ENOUGH);
	cr_expect(is_stuck(&over, back_ms + SOON_ENOUGH));
}

Test(prober_judge, a_mount_that_is_not_in_force_is_not_judged)
{
	struct run *run = runs_find(&d.runs, "demo", ROLE_MOUNT);

	answers(BEGIN_MS, BEGIN_MS + SOON_ENOUGH);
	run->in_force = false;
	cr_expect_not(is_stuck(&over, BEGIN_MS + SOON_ENOUGH));
	(void)add_mount("a", "\"server\":\"10.20.0.2\"");
	(void)add_mount("b", "\"server\":\"10.20.0.1\",\"port\":2049");
	(void)add_mount("c", "\"source_volume\":\"/s\",\"source_folder\":\"f\"");
	cr_expect_not(is_stuck(&over, BEGIN_MS + SOON_ENOUGH), "others' mounts");
	run->in_force = true;
	cr_expect(is_stuck(&over, BEGIN_MS + SOON_ENOUGH));
}

/* The lease was over when the node slept, as it could not be renewed, and so it is at its waking.
 */
Test(prober_judge, a_node_that_slept_is_not_judged_by_its_sleep)
{
	uint64_t awake_ms = BEGIN_MS + SOON_ENOUGH + SUSPENDED_MS;

	answers(BEGIN_MS, BEGIN_MS + SOON_ENOUGH - 1);
	cr_expect_not(is_stuck(&over, awake_ms));
	answers(awake_ms, awake_ms + SOON_ENOUGH - 1);
	cr_expect_not(is_stuck(&over, awake_ms + SOON_ENOUGH - 1));
	cr_expect(is_stuck(&over, awake_ms + SOON_ENOUGH));
}

/* For want of descriptors, say: the server may have been away meanwhile. */
Test(prober_judge, a_server_that_could_not_be_asked_is_not_known_to_have_answered)
{
	uint64_t now = BEGIN_MS, heard_ms = BEGIN_MS + SUSPENDED_MS;

	answers(BEGIN_MS, BEGIN_MS + SOON_ENOUGH);
	for (; now < heard_ms; now += EVERY_MS)
		peer.asked_ms = now;
	cr_expect_not(is_stuck(&over, heard_ms));
	answers(heard_ms, heard_ms + SOON_ENOUGH);
	cr_expect(is_stuck(&over, heard_ms + SOON_ENOUGH));
}

static struct client_lease read_lease(const char *const *lines, size_t n)
{
	struct client_lease_walk walk = {.server = &peer.server, .port = peer.port};

	for (size_t i = 0; i < n; i++)
		client_lease_line(&walk, lines[i]);
	return walk.best;
}

Test(prober_judge, a_lease_that_was_renewed_clears_it)
{
	static const char *const lines[] = {
		"device 10.20.0.1:/workspaces/a/i mounted on /a with fstype nfs4 statvers=1.1\n",
		"\topts:\trw,vers=4.2,port=20490,timeo=600\n",
		"\tnfsv4:\tbm0=0xfd,sessions,pnfs=not configured,lease_time=30,lease_expired=500\n",
		"device 10.20.0.1:/workspaces/b/i mounted on /b with fstype nfs4 statvers=1.1\n",
		"\topts:\trw,vers=4.2,port=20490,timeo=600\n",
		"\tnfsv4:\tbm0=0xfd,sessions,pnfs=not configured,lease_time=30,lease_expired=0\n",
		"device 10.20.0.1:/workspaces/c/i mounted on /c with fstype nfs4 statvers=1.1\n",
		"\topts:\trw,vers=4.2,port=20490,timeo=600\n",
		"\tnfsv4:\tbm0=0xfd,sessions,pnfs=not configured,lease_time=30,lease_expired=500\n",
	};
	struct client_lease lease = read_lease(lines, 3);

	answers(BEGIN_MS, BEGIN_MS + SOON_ENOUGH);
	cr_expect(is_stuck(&lease, BEGIN_MS + SOON_ENOUGH));
	lease = read_lease(lines, sizeof lines / sizeof *lines);
	cr_expect_eq(lease.length_s, 30);
	cr_expect_eq(lease.over_s, 0);
	cr_expect_not(is_stuck(&lease, BEGIN_MS + SOON_ENOUGH));
}
