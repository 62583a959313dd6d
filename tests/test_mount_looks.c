/* SPDX-License-Identifier: Apache-2.0 */
/* A mount is refused when its server has said so twice; what a worker did not come to is not known.
 */
#include "mountd/mount_looks.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define RUNS 4
#define ONCE 1000000 /* longer than any test */

static struct runs runs;
static struct addr server;
static struct run *list[RUNS];
static char refused[64];  /* names, one after the other */
static int answers[RUNS]; /* to mount 1 … */

static struct run *add(const char *name, const char *more)
{
	char text[256];
	struct spec spec;
	struct spec_fault fault;
	struct run *run = runs_find_or_add(&runs, name, ROLE_MOUNT);

	(void)snprintf(text, sizeof text,
		"{\"kind\":\"mount\",\"run\":\"%s\",\"incarnation\":\"1\",\"volume\":\"/w\","
		"\"uid\":1,\"gid\":1,%s}",
		name, more);
	cr_assert_eq(spec_parse(text, strlen(text), &spec, &fault), 0, "%s", fault.message);
	cr_assert_eq(run_hold_mount(run, &spec.mount), 0);
	spec_clear(&spec);
	run->in_force = true;
	run->mount_id = runs.n;
	run->mounted_at = strdup(name);
	run_event(run, EVENT_WISH);
	run_event(run, EVENT_DONE);
	cr_assert_eq(run->state, RUN_READY);
	return run;
}

static void set_up(void)
{
	cr_assert_eq(addr_parse("10.0.0.1", &server), 0);
	for (int i = 0; i < RUNS; i++) {
		char name[2] = {(char)('a' + i)};
		list[i] = add(name, "\"server\":\"10.0.0.1\"");
	}
}

static void tear_down(void)
{
	while (runs.n)
		runs_drop(&runs, runs.list[0]);
	free(runs.list);
}

TestSuite(mount_looks, .init = set_up, .fini = tear_down, .timeout = 60);

static void on_refused(struct run *run)
{
	(void)strncat(refused, run->name, sizeof refused - strlen(refused) - 1);
}

static int look(const char *path, uint64_t mount_id)
{
	(void)path;
	return answers[mount_id - 1];
}

static int look_and_hang_at_c(const char *path, uint64_t mount_id)
{
	if (strcmp(path, "c") == 0)
		_exit(0); /* as a worker that is killed there */
	return look(path, mount_id);
}

static void begin(bool doubted, const char *after, struct mount_looks *looks)
{
	cr_assert_eq(mount_looks_new(&runs, &server, 20490, doubted, after, looks), 0);
}

/* A round whose worker has seen those. */
static struct looks_seen go_round(mount_look_fn *fn, bool doubted, const char *after)
{
	struct mount_looks looks;
	struct looks_seen seen;
	static char last[2], hung[2];
	pid_t pid;

	begin(doubted, after, &looks);
	pid = fork();
	if (pid == 0) {
		mount_looks_run(&looks, fn, loop_clock_ms() + ONCE);
		_exit(0);
	}
	cr_assert_eq(waitpid(pid, NULL, 0), pid);
	refused[0] = '\0';
	seen = mount_looks_take(&looks, &runs, on_refused);
	(void)snprintf(last, sizeof last, "%s", seen.last ? seen.last : "");
	(void)snprintf(hung, sizeof hung, "%s", seen.hung ? seen.hung : "");
	seen.last = last;
	seen.hung = hung;
	mount_looks_clear(&looks);
	return seen;
}

Test(mount_looks, refused_twice_in_a_row_is_refused)
{
	answers[1] = -ESTALE;
	cr_expect(go_round(look, false, "").doubts);
	cr_expect_str_eq(refused, "");
	cr_expect(list[1]->doubted);
	cr_expect_not(go_round(look, true, "").doubts);
	cr_expect_str_eq(refused, "b");
}

Test(mount_looks, refused_once_is_nothing)
{
	for (int i = 0; i < 3; i++) {
		answers[1] = -ESTALE;
		cr_expect(go_round(look, false, "").doubts);
		answers[1] = 0;
		cr_expect_not(go_round(look, false, "").doubts);
		cr_expect_str_eq(refused, "");
	}
}

Test(mount_looks, other_errors_say_nothing)
{
	for (int i = 0; i < RUNS; i++)
		answers[i] = (int[]){-EIO, -EAGAIN, -EACCES, -ENOENT}[i];
	for (int i = 0; i < 3; i++)
		cr_expect_not(go_round(look, false, "").doubts);
	cr_expect_str_eq(refused, "");
}

Test(mount_looks, what_a_killed_worker_did_not_come_to_is_not_known)
{
	struct looks_seen seen;

	answers[0] = answers[3] = -ESTALE;
	for (int i = 0; i < 3; i++) {
		seen = go_round(look_and_hang_at_c, false, "");
		cr_expect_not(seen.all);
		cr_expect_str_eq(seen.hung, "c");
		cr_expect_str_eq(seen.last, "c");
		cr_expect_eq(seen.looked, 3);
		cr_expect_str_eq(refused, i == 1 ? "a" : "");
	}
	cr_expect_not(list[2]->doubted || list[3]->doubted);
}

Test(mount_looks, the_next_round_begins_behind_it)
{
	struct mount_looks looks;

	begin(false, "c", &looks);
	cr_assert_eq(looks.n, RUNS);
	for (int i = 0; i < RUNS; i++)
		cr_expect_eq(looks.list[i].run[0], "dabc"[i]);
	mount_looks_clear(&looks);
}

Test(mount_looks, time_that_is_over_leaves_the_rest)
{
	struct mount_looks looks;
	struct looks_seen seen;

	begin(false, "", &looks);
	mount_looks_run(&looks, look, 0);
	seen = mount_looks_take(&looks, &runs, on_refused);
	cr_expect_not(seen.all);
	cr_expect_null(seen.hung);
	cr_expect_null(seen.last);
	mount_looks_clear(&looks);
}

Test(mount_looks, another_mount_by_now_is_not_judged)
{
	struct mount_looks looks;

	answers[0] = answers[1] = answers[2] = -ESTALE;
	(void)go_round(look, false, "");
	begin(false, "", &looks);
	mount_looks_run(&looks, look, loop_clock_ms() + ONCE);
	list[0]->mount_id = 99;
	list[1]->in_force = false;
	runs_drop(&runs, list[2]);
	(void)mount_looks_take(&looks, &runs, on_refused);
	cr_expect_str_eq(refused, "");
	mount_looks_clear(&looks);
}

Test(mount_looks, only_the_servers_own_that_are_in_force)
{
	struct mount_looks looks;

	(void)add("e", "\"server\":\"10.0.0.2\"");
	(void)add("f", "\"server\":\"10.0.0.1\",\"port\":1");
	list[0]->in_force = false;
	list[1]->busy = BUSY_BUILDING;
	run_event(list[2], EVENT_LOST);
	begin(false, "", &looks);
	cr_assert_eq(looks.n, 1);
	cr_expect_str_eq(looks.list[0].run, "d");
	mount_looks_clear(&looks);
	begin(true, "", &looks);
	cr_expect_eq(looks.n, 0, "none is in doubt");
	mount_looks_clear(&looks);
}
