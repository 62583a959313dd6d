/* SPDX-License-Identifier: Apache-2.0 */
/* Workers: results, descriptors, failures, deadlines, deaths; and what a worker does not hold. */
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>

#include "tests/job_run.h"

static struct job *start(struct outcome *o, job_fn *fn, const void *arg, uint64_t deadline_ms)
{
	return start_call(o, (struct job_call){.fn = fn, .arg = arg, .deadline_ms = deadline_ms});
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
