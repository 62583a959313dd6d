/* SPDX-License-Identifier: Apache-2.0 */
/* Workers: results, descriptors, failures, deadlines, deaths; and what a worker does not hold. */
#include "mountd/job.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "mountd/base/cleanup.h"

#define PATIENCE_MS 20000

struct outcome {
	struct loop *loop;
	struct job_end end;
	int number;
	unsigned done, gone;
};

static void on_done(void *data, struct job_end *end)
{
	struct outcome *o = data;

	o->end = *end;
	if (end->result)
		memcpy(&o->number, end->result, sizeof o->number);
	end->fd = -1;
	o->done++;
	loop_stop(o->loop);
}

static void on_gone(void *data)
{
	struct outcome *o = data;

	o->gone++;
	loop_stop(o->loop);
}

static void on_patience_over(void *data)
{
	(void)data;
	cr_assert_fail("nothing came back");
}

static struct loop_timer *patience;

static struct outcome begin(void)
{
	struct outcome o = {.end.fd = -1};

	cr_assert_eq(loop_new(&o.loop), 0);
	cr_assert_eq(loop_timer_new(o.loop, on_patience_over, NULL, &patience), 0);
	loop_timer_set(patience, PATIENCE_MS);
	return o;
}

static void finish(struct outcome *o)
{
	loop_timer_free(patience);
	cleanup_close(&o->end.fd);
	loop_free(o->loop);
}

static struct job *start(struct outcome *o, job_fn *fn, const void *arg, uint64_t deadline_ms)
{
	struct job *job;

	cr_assert_eq(job_start(o->loop,
			     &(struct job_call){.name = "test",
				     .fn = fn,
				     .arg = arg,
				     .result_size = sizeof(int),
				     .deadline_ms = deadline_ms,
				     .waits_for = "godot",
				     .done = on_done,
				     .gone = on_gone,
				     .data = o},
			     &job),
		0);
	return job;
}

static int add_one(const void *arg, void *result, int *ret_fd, struct kerr *e)
{
	(void)ret_fd;
	(void)e;
	*(int *)result = *(const int *)arg + 1;
	return 0;
}

Test(job, gives_its_result)
{
	struct outcome o = begin();
	int arg = 41;

	(void)start(&o, add_one, &arg, PATIENCE_MS);
	loop_run(o.loop);
	cr_expect_eq(o.done, 1);
	cr_expect_eq(o.end.error, 0);
	cr_expect_eq(o.number, 42);
	cr_expect_eq(o.end.fd, -1);
	cr_expect_eq(o.gone, 0, "only a worker that outlives its report is told of");
	cr_expect_lt(waitpid(-1, NULL, WNOHANG), 0, "no child is left");
	finish(&o);
}

static int give_fd(const void *arg, void *result, int *ret_fd, struct kerr *e)
{
	(void)arg;
	(void)result;
	(void)e;
	*ret_fd = memfd_create("gift", 0);
	return write(*ret_fd, "gift", 4) == 4 ? 0 : -EIO;
}

Test(job, hands_a_descriptor_over)
{
	struct outcome o = begin();
	char text[5] = "";

	(void)start(&o, give_fd, NULL, PATIENCE_MS);
	loop_run(o.loop);
	cr_assert_geq(o.end.fd, 0);
	cr_expect(fcntl(o.end.fd, F_GETFD) & FD_CLOEXEC);
	cr_expect_eq(pread(o.end.fd, text, 4, 0), 4);
	cr_expect_str_eq(text, "gift");
	finish(&o);
}

static int fail(const void *arg, void *result, int *ret_fd, struct kerr *e)
{
	(void)arg;
	*(int *)result = 7;
	*ret_fd = open("/dev/null", O_RDONLY);
	return kerr_set(e, -ELOOP, "open target", "/x", "symlink below %s", "/");
}

Test(job, brings_a_failure_and_nothing_else)
{
	struct outcome o = begin();

	(void)start(&o, fail, NULL, PATIENCE_MS);
	loop_run(o.loop);
	cr_expect_eq(o.end.error, -ELOOP);
	cr_expect_str_eq(o.end.e.stage, "open target");
	cr_expect_str_eq(o.end.e.detail, "symlink below /");
	cr_expect_eq(o.number, 0);
	cr_expect_eq(o.end.fd, -1);
	finish(&o);
}

static int sleep_for_ever(const void *arg, void *result, int *ret_fd, struct kerr *e)
{
	(void)arg;
	(void)result;
	(void)ret_fd;
	(void)e;
	while (pause() < 0)
		;
	return 0;
}

Test(job, deadline_kills)
{
	struct outcome o = begin();

	(void)start(&o, sleep_for_ever, NULL, 50);
	loop_run(o.loop);
	cr_expect_eq(o.end.error, -ETIMEDOUT);
	cr_expect(o.end.expired);
	cr_expect_not(o.end.stuck);
	cr_expect_str_eq(o.end.e.subject, "godot");
	cr_expect(strstr(o.end.e.detail, "50 ms"));
	cr_expect_geq(o.end.ms, 50);
	cr_expect_lt(waitpid(-1, NULL, WNOHANG), 0);
	finish(&o);
}

static int crash(const void *arg, void *result, int *ret_fd, struct kerr *e)
{
	(void)arg;
	(void)result;
	(void)ret_fd;
	(void)e;
	(void)raise(SIGKILL);
	return 0;
}

Test(job, death_is_a_failure)
{
	struct outcome o = begin();

	(void)start(&o, crash, NULL, PATIENCE_MS);
	loop_run(o.loop);
	cr_expect_eq(o.end.error, -EIO);
	cr_expect_not(o.end.expired);
	cr_expect(strstr(o.end.e.detail, "signal 9"), "%s", o.end.e.detail);
	finish(&o);
}

Test(job, cancelled_reports_nothing_but_its_end)
{
	struct outcome o = begin();

	job_cancel(start(&o, sleep_for_ever, NULL, PATIENCE_MS));
	loop_run(o.loop);
	cr_expect_eq(o.done, 0);
	cr_expect_eq(o.gone, 1);
	cr_expect_lt(waitpid(-1, NULL, WNOHANG), 0);
	finish(&o);
}

/* Open descriptors beyond the standard ones; the listing itself has one. */
static int count_fds(const void *arg, void *result, int *ret_fd, struct kerr *e)
{
	DIR *list = opendir("/proc/self/fd");
	int n = 0;

	(void)arg;
	(void)ret_fd;
	(void)e;
	if (!list)
		return -errno;
	for (struct dirent *entry; (entry = readdir(list));)
		n += entry->d_name[0] != '.' && atoi(entry->d_name) > STDERR_FILENO;
	*(int *)result = n - 1;
	return 0;
}

Test(job, worker_holds_nothing_of_its_parent)
{
	struct outcome o = begin();
	int others[] = {open("/dev/null", O_RDONLY), open("/dev/null", O_RDONLY)};

	(void)start(&o, count_fds, NULL, PATIENCE_MS);
	loop_run(o.loop);
	cr_expect_eq(o.end.error, 0);
	cr_expect_eq(o.number, 1, "the channel alone, not %d", o.number);
	(void)close(others[0]);
	(void)close(others[1]);
	finish(&o);
}

static int look_at_kept(const void *arg, void *result, int *ret_fd, struct kerr *e)
{
	const int *fds = arg;

	(void)ret_fd;
	(void)e;
	*(int *)result = fcntl(fds[0], F_GETFD) < 0 && fcntl(fds[1], F_GETFD) >= 0;
	return 0;
}

Test(job, worker_keeps_what_it_is_told_to)
{
	struct outcome o = begin();
	int fds[] = {open("/dev/null", O_RDONLY), open("/dev/null", O_RDONLY)};
	struct job *job;

	cr_assert_eq(job_start(o.loop,
			     &(struct job_call){.name = "test",
				     .fn = look_at_kept,
				     .arg = fds,
				     .result_size = sizeof(int),
				     .keep = fds[1],
				     .deadline_ms = PATIENCE_MS,
				     .done = on_done,
				     .data = &o},
			     &job),
		0);
	loop_run(o.loop);
	cr_expect_eq(o.number, 1);
	(void)close(fds[0]);
	(void)close(fds[1]);
	finish(&o);
}

static int signal_state(const void *arg, void *result, int *ret_fd, struct kerr *e)
{
	struct sigaction action;
	sigset_t mask;
	int death = 0;

	(void)arg;
	(void)ret_fd;
	(void)e;
	(void)sigaction(SIGTERM, NULL, &action);
	(void)sigprocmask(SIG_BLOCK, NULL, &mask);
	(void)prctl(PR_GET_PDEATHSIG, &death);
	*(int *)result =
		action.sa_handler == SIG_DFL && !sigismember(&mask, SIGTERM) && death == SIGKILL;
	return 0;
}

static void on_signal(void *data)
{
	(void)data;
}

Test(job, worker_has_default_signals_and_dies_with_its_parent)
{
	struct outcome o = begin();
	struct loop_signal *term;

	cr_assert_eq(loop_signal_new(o.loop, SIGTERM, on_signal, NULL, &term), 0);
	(void)start(&o, signal_state, NULL, PATIENCE_MS);
	loop_run(o.loop);
	cr_expect_eq(o.number, 1);
	loop_signal_free(term);
	finish(&o);
}

static struct job *start_flat(struct outcome *o, job_fn *fn, int arg, int keep)
{
	struct job *job;

	cr_assert_eq(job_start(o->loop,
			     &(struct job_call){.name = "flat",
				     .fn = fn,
				     .arg = &arg,
				     .arg_size = sizeof arg,
				     .keep = keep,
				     .result_size = sizeof(int),
				     .deadline_ms = PATIENCE_MS,
				     .waits_for = "godot",
				     .done = on_done,
				     .gone = on_gone,
				     .data = o},
			     &job),
		0);
	return job;
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

Test(job, one_that_is_all_in_its_bytes_is_done_by_a_worker_that_waits)
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
Test(job, a_worker_that_waits_holds_what_the_next_call_is_given)
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

Test(job, a_worker_that_has_failed_or_has_children_ends_before_it_is_reported)
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

Test(job, one_that_dies_while_it_waits_costs_no_call)
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

Test(job, deadline_kills_one_that_had_waited)
{
	struct outcome o = begin();
	struct job *job;
	int first = do_flat(&o, pid_plus, 0, 0);

	cr_assert_eq(job_start(o.loop,
			     &(struct job_call){.name = "flat",
				     .fn = sleep_for_ever,
				     .arg = &first,
				     .arg_size = sizeof first,
				     .deadline_ms = 50,
				     .waits_for = "godot",
				     .done = on_done,
				     .gone = on_gone,
				     .data = &o},
			     &job),
		0);
	loop_run(o.loop);
	cr_expect_eq(o.done, 2);
	cr_expect_eq(o.end.error, -ETIMEDOUT);
	cr_expect_str_eq(o.end.e.subject, "godot");
	cr_expect_eq(o.gone, 0);
	cr_expect_lt(kill(first / 16, 0), 0);
	finish(&o);
}

Test(job, cancelled_where_it_had_waited)
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

Test(job, many_that_wait_are_as_many_as_were_needed_at_once)
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
Test(job, a_worker_is_replaced_after_many_calls)
{
	struct outcome o = begin();
	int first = do_flat(&o, pid_plus, 0, 0), last = first;

	for (int i = 0; i < 1000 && last == first; i++)
		last = do_flat(&o, pid_plus, 0, 0);
	cr_expect_neq(last, first);
	job_abandon_all();
	finish(&o);
}

static atomic_bool *begun;

static int tell_that_it_began(const void *arg, void *result, int *ret_fd, struct kerr *e)
{
	(void)arg;
	(void)result;
	(void)ret_fd;
	(void)e;
	*begun = true;
	return 0;
}

/* Gives a worker that does not wait to be watched all the time that it could need to begin. */
static void refuse_late(int signal, siginfo_t *info, void *context)
{
	ucontext_t *c = context;

	(void)signal;
	(void)info;
	for (unsigned i = 0; i < 200 && !*begun; i++)
		(void)nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
#ifdef __aarch64__
	c->uc_mcontext.regs[0] = (unsigned long long)-EMFILE;
#else
	c->uc_mcontext.gregs[REG_RAX] = -EMFILE;
#endif
}

static void refuse_pidfds(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pidfd_open, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof code / sizeof *code, code};
	struct sigaction action = {.sa_sigaction = refuse_late, .sa_flags = SA_SIGINFO};

	cr_assert_eq(sigaction(SIGSYS, &action, NULL), 0);
	cr_assert_eq(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	cr_assert_eq(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
}

/* One that has begun may sit in the kernel, out of reach of any signal, until we do something. */
Test(job, one_that_cannot_be_watched_does_not_begin)
{
	struct outcome o = begin();
	struct job *job;

	begun = mmap(
		NULL, sizeof *begun, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	cr_assert_neq(begun, MAP_FAILED);
	refuse_pidfds();
	cr_expect_eq(job_start(o.loop,
			     &(struct job_call){.name = "test",
				     .fn = tell_that_it_began,
				     .deadline_ms = PATIENCE_MS,
				     .done = on_done,
				     .data = &o},
			     &job),
		-EMFILE);
	cr_expect_not(*begun);
	finish(&o);
}

Test(job, many_at_once)
{
	struct outcome o = begin();
	int arg = 1;

	for (int i = 0; i < 100; i++)
		(void)start(&o, add_one, &arg, PATIENCE_MS);
	while (o.done < 100)
		loop_run(o.loop);
	cr_expect_lt(waitpid(-1, NULL, WNOHANG), 0);
	finish(&o);
}
