/* SPDX-License-Identifier: Apache-2.0 */
/* Workers that wait for the next call: what they leave behind, and when they end. */
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "tests/job_run.h"

static struct job *start_flat(struct outcome *o, job_fn *fn, int arg, int keep)
{
	return start_call(
		o, (struct job_call){.fn = fn, .arg = &arg, .arg_size = sizeof arg, .keep = keep});
}

static int pid_plus(const void *arg, void *result, int *ret_fd, struct kerr *e)
{
	(void)ret_fd;
	(void)e;
	*(int *)result = (int)getpid() * 16 + *(const int *)arg;
	return 0;
}

static int is_open(const void *arg, void *result, int *ret_fd, struct kerr *e)
{
	(void)ret_fd;
	(void)e;
	*(int *)result = fcntl(*(const int *)arg, F_GETFD) >= 0;
	return 0;
}

static int leave_child(const void *arg, void *result, int *ret_fd, struct kerr *e)
{
	(void)arg;
	(void)ret_fd;
	(void)e;
	*(int *)result = (int)getpid();
	if (fork() == 0) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		while (pause() < 0)
			;
	}
	return 0;
}

static int do_flat(struct outcome *o, job_fn *fn, int arg, int keep)
{
	unsigned done = o->done;

	(void)start_flat(o, fn, arg, keep);
	loop_run(o->loop);
	cr_assert_eq(o->done, done + 1);
	cr_assert_eq(o->end.error, 0, "%s", o->end.e.detail);
	return o->number;
}

Test(job_waits, one_that_is_all_in_its_bytes_is_done_by_a_worker_that_waits)
{
	struct outcome o = begin();
	int first = do_flat(&o, pid_plus, 1, 0), second = do_flat(&o, pid_plus, 2, 0);

	cr_expect_eq(first % 16, 1);
	cr_expect_eq(second % 16, 2);
	cr_expect_eq(first / 16, second / 16, "the same process");
	job_abandon_all();
	finish(&o);
}

/* Of the call before nothing is left, of the next its descriptor is there, under any number. */
Test(job_waits, a_worker_that_waits_holds_what_the_next_call_is_given)
{
	struct outcome o = begin();
	int n = do_flat(&o, count_fds, 0, 0);

	for (int number = 3; number < 40; number++) {
		int fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, number);

		cr_expect_eq(do_flat(&o, is_open, fd, fd), 1, "as %d", fd);
		cr_expect_eq(do_flat(&o, count_fds, 0, fd), n + 1, "as %d", fd);
		cr_expect_eq(do_flat(&o, count_fds, 0, 0), n, "after %d", fd);
		(void)close(fd);
	}
	job_abandon_all();
	finish(&o);
}

Test(job_waits, a_worker_that_has_failed_or_has_children_ends_before_it_is_reported)
{
	struct outcome o = begin();
	int first = do_flat(&o, pid_plus, 0, 0);

	(void)start_flat(&o, fail, 0, 0);
	loop_run(o.loop);
	cr_expect_eq(o.end.error, -ELOOP);
	cr_expect_lt(kill(first / 16, 0), 0, "it is no more");
	first = do_flat(&o, pid_plus, 0, 0);
	cr_expect_eq(do_flat(&o, leave_child, 0, 0), first / 16);
	cr_expect_lt(kill(first / 16, 0), 0);
	cr_expect_neq(do_flat(&o, pid_plus, 0, 0), first);
	job_abandon_all();
	finish(&o);
}

Test(job_waits, one_that_dies_while_it_waits_costs_no_call)
{
	struct outcome o = begin();
	int first = do_flat(&o, pid_plus, 0, 0);

	cr_assert_eq(kill(first / 16, SIGKILL), 0);
	while (waitid(P_PID, (id_t)(first / 16), &(siginfo_t){0}, WEXITED | WNOWAIT) < 0)
		cr_assert_eq(errno, EINTR);
	cr_expect_neq(do_flat(&o, pid_plus, 0, 0), first);
	job_abandon_all();
	finish(&o);
}

Test(job_waits, deadline_kills_one_that_had_waited)
{
	struct outcome o = begin();
	int first = do_flat(&o, pid_plus, 0, 0);

	(void)start_call(&o, (struct job_call){.fn = sleep_for_ever,
				     .arg = &first,
				     .arg_size = sizeof first,
				     .deadline_ms = 50});
	loop_run(o.loop);
	cr_expect_eq(o.done, 2);
	cr_expect_eq(o.end.error, -ETIMEDOUT);
	cr_expect_str_eq(o.end.e.subject, "godot");
	cr_expect_eq(o.gone, 0);
	cr_expect_lt(kill(first / 16, 0), 0);
	finish(&o);
}

Test(job_waits, cancelled_where_it_had_waited)
{
	struct outcome o = begin();

	(void)do_flat(&o, pid_plus, 0, 0);
	job_cancel(start_flat(&o, sleep_for_ever, 0, 0));
	loop_run(o.loop);
	cr_expect_eq(o.done, 1);
	cr_expect_eq(o.gone, 1);
	cr_expect_lt(waitpid(-1, NULL, WNOHANG), 0);
	finish(&o);
}

Test(job_waits, many_that_wait_are_as_many_as_were_needed_at_once)
{
	struct outcome o = begin();
	int used[20] = {0};
	size_t n = 0;

	for (int i = 0; i < 5; i++)
		(void)start_flat(&o, pid_plus, 0, 0);
	while (o.done < 5)
		loop_run(o.loop);
	for (int i = 0; i < 20; i++) {
		int pid = do_flat(&o, pid_plus, 0, 0);
		size_t k = 0;

		while (k < n && used[k] != pid)
			k++;
		if (k == n)
			used[n++] = pid;
	}
	cr_expect_leq(n, 5);
	job_abandon_all();
	finish(&o);
}

/* Whatever a library loses for each call, it is not for ever. */
Test(job_waits, a_worker_is_replaced_after_many_calls)
{
	struct outcome o = begin();
	int first = do_flat(&o, pid_plus, 0, 0), last = first;

	for (int i = 0; i < 1000 && last == first; i++)
		last = do_flat(&o, pid_plus, 0, 0);
	cr_expect_neq(last, first);
	job_abandon_all();
	finish(&o);
}
