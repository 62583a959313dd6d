/* SPDX-License-Identifier: Apache-2.0 */
/* What ids alone tell of a change of mounts, and what they do not. */
#include "mountd/known_mounts.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static struct runs runs;
static struct known_mounts known;
static struct run *last_lost;

static void lost(struct run *run)
{
	run->in_force = false;
	last_lost = run;
}

static struct run *mounted(const char *name, uint64_t id)
{
	struct run *run = runs_find_or_add(&runs, name, ROLE_MOUNT);

	run->in_force = true;
	run->mount_id = id;
	run->unique_id = 1000 + id;
	return run;
}

static struct mount_ids ids(size_t n, const uint64_t *list)
{
	struct mount_ids ids = {malloc((n + 1) * sizeof *list), n};

	memcpy(ids.list, list, n * sizeof *list);
	return ids;
}
#define IDS(...) \
	ids(sizeof((uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t), (uint64_t[]){__VA_ARGS__})

static void table(const char *text, struct mount_ids now)
{
	struct actual_mounts mounts;

	cr_assert_eq(actual_mounts_parse(text, strlen(text), &mounts), 0);
	known_mounts_read(&known, &now, &mounts, &runs);
	actual_mounts_clear(&mounts);
}

static enum known_look look(struct mount_ids now)
{
	enum known_look seen = known_mounts_look(&known, &now, &runs, lost);

	mount_ids_clear(&now);
	return seen;
}

static uint64_t only(const struct run *run, struct mount_ids now)
{
	uint64_t id = known_mounts_only(&known, &now, &runs, run);

	mount_ids_clear(&now);
	return id;
}

#define ROOT "1 0 0:1 / / rw - ext4 src rw\n"
#define NFS(id, run, place) \
	id " 1 0:2 / /w/" place " rw - nfs4 10.0.0.1:/workspaces/" run "/i rw,port=20490\n"

static void tear_down(void)
{
	known_mounts_clear(&known);
	while (runs.n)
		runs_drop(&runs, runs.list[0]);
	free(runs.list);
}

TestSuite(known_mounts, .fini = tear_down);

Test(known_mounts, what_a_run_mounts_and_unmounts_is_told_by_ids)
{
	struct run *a = mounted("a", 5), *b;

	a->looked_at = true;
	table(ROOT NFS("5", "a", "a/sandbox"), IDS(1, 1005));
	b = mounted("b", 6);
	cr_expect_eq(look(IDS(1, 1005, 1006)), KNOWN_ALL);
	cr_expect(b->looked_at);
	cr_expect_null(last_lost);
	b->in_force = false;
	cr_expect_eq(look(IDS(1, 1005)), KNOWN_ALL);
	cr_expect_null(last_lost);
	cr_expect_eq(look(IDS(1)), KNOWN_ALL);
	cr_expect_eq(last_lost, a);
}

Test(known_mounts, a_stranger_is_no_runs_or_not_yet)
{
	struct run *a = mounted("a", 5), *b;

	a->looked_at = true;
	table(ROOT NFS("5", "a", "a/sandbox"), IDS(1, 1005));
	cr_expect_eq(look(IDS(1, 1005, 1006)), KNOWN_STRANGER);
	b = mounted("b", 6);
	cr_expect_eq(look(IDS(1, 1005, 1006)), KNOWN_ALL, "its worker has told of it");
	cr_expect(b->looked_at);
	cr_expect_eq(look(IDS(1, 1006, 1007)), KNOWN_STRANGER);
	cr_expect_eq(last_lost, a, "a loss does not wait for the stranger's worker");
}

Test(known_mounts, ids_do_not_tell_everything)
{
	struct run *a = mounted("a", 5);

	cr_expect_eq(look(IDS(1, 1005)), KNOWN_NOTHING, "the table was never read");
	table(ROOT NFS("5", "a", "a/sandbox"), IDS(1, 1005));
	cr_expect_eq(look(IDS(1, 1005, 1006)), KNOWN_NOTHING,
		"it came before its worker told of it, and may be covered since");
	a->looked_at = true;
	cr_expect_eq(look(IDS(1, 1005)), KNOWN_NOTHING, "moved");
	cr_expect_eq(look((struct mount_ids){0}), KNOWN_NOTHING, "an older kernel");
	a->unique_id = 0;
	cr_expect_eq(look(IDS(1)), KNOWN_NOTHING);
	cr_expect_null(last_lost);
}

Test(known_mounts, only_what_stands_alone_is_known_to)
{
	struct run *a = mounted("a", 5), *b = mounted("b", 6);

	cr_expect_eq(only(a, IDS(1, 1005, 1006)), 0, "the table was never read");
	table(ROOT NFS("5", "a", "a/sandbox") NFS("6", "b", "b/sandbox")
			NFS("7", "b", "renamed/sandbox"),
		IDS(1, 1005, 1006, 1007));
	cr_expect_eq(only(a, IDS(1, 1005, 1006, 1007)), 1005);
	cr_expect_eq(only(b, IDS(1, 1005, 1006, 1007)), 0, "another is of the same run");
	cr_expect_eq(only(a, IDS(1, 1005, 1006, 1007, 1008)), 0, "a stranger may be of any");
	(void)mounted("c", 8);
	cr_expect_eq(only(a, IDS(1, 1005, 1006, 1007, 1008)), 1005);
	cr_expect_eq(only(a, (struct mount_ids){0}), 0);
	cr_expect_eq(known_mounts_only(&known, NULL, &runs, a), 1005, "nothing has changed");
	cr_expect_eq(known_mounts_only(&known, NULL, &runs, b), 0);
}

Test(known_mounts, what_comes_and_goes_between_two_looks_is_its_runs_matter)
{
	struct run *a = mounted("a", 5);

	table(ROOT, IDS(1));
	cr_expect_eq(only(a, IDS(1, 1005)), 1005);
	a->in_force = false;
	cr_expect_eq(look(IDS(1)), KNOWN_ALL);
	cr_expect_eq(look(IDS(1)), KNOWN_NOTHING);
}

Test(known_mounts, what_was_lost_or_replaced_may_be_elsewhere)
{
	struct run *run = mounted("a", 5);
	struct mount mount = {.kind = MOUNT_NFS, .volume = (char *)"/w"};

	run->in_force = false;
	table(ROOT NFS("5", "a", "renamed/sandbox"), IDS(1, 1005));
	(void)mounted("a", 6);
	cr_expect_eq(only(run, IDS(1, 1005, 1006)), 0, "lost");
	run->looked_at = true;
	table(ROOT NFS("6", "a", "a/sandbox"), IDS(1, 1006));
	cr_expect_eq(only(run, IDS(1, 1006)), 1006);
	cr_assert_eq(run_hold_mount(run, &mount), 0);
	(void)mounted("a", 7);
	cr_expect_eq(only(run, IDS(1, 1006, 1007)), 0, "replaced, and nobody has looked");
	table(ROOT NFS("7", "a", "a/sandbox"), IDS(1, 1007));
	cr_expect_eq(only(run, IDS(1, 1007)), 1007);
}

Test(known_mounts, what_came_between_ids_and_table_is_lost_like_any_other)
{
	struct run *a = mounted("a", 5), *b;

	a->looked_at = true; /* by the table, which has it */
	table(ROOT NFS("5", "a", "a/sandbox"), IDS(1));
	cr_expect_eq(look(IDS(1, 1005)), KNOWN_ALL);
	a->looked_at = true;
	run_rest(a);
	table(ROOT NFS("5", "a", "a/sandbox"), IDS(1));
	cr_expect(a->awake);
	b = mounted("b", 6);
	cr_expect_eq(look(IDS(1, 1006)), KNOWN_NOTHING, "the table is to tell of a");
	cr_expect(b->in_force);
}

#define MANY 200

/* list: MANY + 1 ids. Returns the last run. */
static struct run *mounted_many(uint64_t *list)
{
	struct run *run = NULL;
	char name[8];

	list[0] = 1;
	for (unsigned i = 1; i <= MANY; i++) {
		(void)snprintf(name, sizeof name, "r%u", i);
		run = mounted(name, i);
		run->looked_at = true;
		run_rest(run);
		list[i] = 1000 + i;
	}
	table(ROOT, ids(MANY + 1, list));
	return run;
}

Test(known_mounts, one_of_many_goes)
{
	uint64_t list[MANY + 1];
	const struct run *last = mounted_many(list);

	for (size_t gone = 1; gone <= MANY; gone += 33) {
		memmove(list + gone, list + gone + 1, (MANY - gone) * sizeof *list);
		cr_expect_eq(look(ids(MANY, list)), KNOWN_ALL);
		cr_assert(last_lost, "%zu", gone);
		cr_expect_eq(last_lost->unique_id, 1000 + gone);
		last_lost->in_force = true;
		last_lost = NULL;
		for (size_t i = 0; i <= MANY; i++)
			list[i] = i ? 1000 + i : 1;
		table(ROOT, ids(MANY + 1, list));
	}
	cr_expect_eq(look(ids(MANY, list)), KNOWN_ALL);
	cr_expect_eq(last_lost, last);
}

Test(known_mounts, any_number_may_go_at_once)
{
	uint64_t list[MANY + 1];
	const struct run *kept = mounted_many(list);

	cr_expect_eq(look(IDS(1, 1000 + MANY)), KNOWN_ALL);
	for (size_t i = 0; i < runs.n; i++)
		cr_expect_eq(runs.list[i]->in_force, runs.list[i] == kept);
}

/* A worker that was just forked shares the memory of all runs: each page written to is copied. */
Test(known_mounts, runs_that_stay_as_they_are_are_not_written_to)
{
	struct run *a = mounted("a", 5), *stays;

	a->looked_at = true;
	run_rest(a);
	stays = mmap(
		NULL, sizeof *stays, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	cr_assert_neq(stays, MAP_FAILED);
	*stays = *a;
	runs.list[0] = stays;
	cr_assert_eq(mprotect(stays, sizeof *stays, PROT_READ), 0);
	table(ROOT NFS("5", "a", "a/sandbox"), IDS(1, 1005));
	(void)mounted("b", 6);
	cr_expect_eq(look(IDS(1, 1005, 1006)), KNOWN_ALL);
	runs.list[0] = a;
}
