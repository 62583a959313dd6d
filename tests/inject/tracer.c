/* SPDX-License-Identifier: Apache-2.0 */
/* The tracer of one daemon and its workers. It ends when they have. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/inject/inject.h"

#define OPTIONS \
	(PTRACE_O_TRACESECCOMP | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE | \
		PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL)

struct tracer {
	struct plan *plan;
	pid_t daemon;
	const struct node *node;
	bool started;  /* the daemon has come to its loop */
	pid_t leaving; /* is in the call after which the victim is killed, or 0 */
	pid_t victim;
};

/* A stop at each call but those that never fail; the tracer sees them before they begin. */
static void install_filter(void)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_TRACE(0));

	if (!filter)
		_exit(126);
	for (int number = 0; number < 512; number++)
		if (call_is_harmless(number))
			(void)seccomp_rule_add(filter, SCMP_ACT_ALLOW, number, 0);
	(void)seccomp_attr_set(filter, SCMP_FLTATR_CTL_NNP, 0);
	if (seccomp_load(filter) < 0)
		_exit(126);
	seccomp_release(filter);
}

static void skip_call(pid_t pid, int error)
{
#ifdef __x86_64__
	struct user_regs_struct regs;

	if (ptrace(PTRACE_GETREGS, pid, NULL, &regs) < 0)
		return;
	regs.orig_rax = (unsigned long long)-1;
	regs.rax = (unsigned long long)-error;
	(void)ptrace(PTRACE_SETREGS, pid, NULL, &regs);
#else
	(void)pid;
	(void)error;
	broken("calls can be made to fail on x86_64 only");
#endif
}

static bool read_call(pid_t pid, struct call *call)
{
	struct __ptrace_syscall_info info;

	if (ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof info, &info) <= 0 ||
		info.op != PTRACE_SYSCALL_INFO_SECCOMP)
		return false;
	*call = (struct call){
		.pid = pid, .number = (int)info.seccomp.nr, .stack = info.stack_pointer};
	memcpy(call->args, info.seccomp.args, sizeof call->args);
	return true;
}

/* Each of a worker's calls meets one end or the other: the worker's own, or the daemon's. */
static bool prefers_daemon(const struct plan *p, const struct shot *shot)
{
	return (p->seed ^ shot->site ^ (uint64_t)shot->mode) & 1;
}

/* Returns how the process goes on. */
static int on_call(struct tracer *t, pid_t pid)
{
	struct plan *p = t->plan;
	char name[SITE_SIZE];
	struct call call;
	struct shot *shot;
	pid_t victim;

	if ((t->started && !plan_waits(p)) || !read_call(pid, &call))
		return PTRACE_CONT;
	t->started |= call.number == SYS_epoll_pwait || call.number == SYS_epoll_wait;
	if (!plan_waits(p) || t->leaving ||
		!site_name(&call, pid != t->daemon, name, sizeof name) ||
		!(shot = plan_meets(p, t->node, name)))
		return PTRACE_CONT;
	if (!shot->times++)
		shot->started = t->started;
	if (shot->mode == FAIL || shot->mode == FAIL_ON) {
		shot->error = call_error(&call, name, p->seed + shot->site);
		if (!call_fails_on(shot->error, name))
			shot->until_ms = 0;
		if (shot->error)
			skip_call(pid, call_is_mute(call.number) ? 0 : shot->error);
		return PTRACE_CONT;
	}
	shot->daemon = pid == t->daemon || prefers_daemon(p, shot);
	shot->victim = victim = shot->daemon ? t->daemon : pid;
	if (shot->mode == KILL_BEFORE) {
		(void)kill(victim, SIGKILL);
		return PTRACE_CONT;
	}
	t->leaving = pid;
	t->victim = victim;
	return PTRACE_SYSCALL;
}

static void on_stop(struct tracer *t, pid_t pid, int status)
{
	int event = status >> 16, signal = WSTOPSIG(status), how = PTRACE_CONT;

	if (event == PTRACE_EVENT_SECCOMP) {
		how = on_call(t, pid);
		signal = 0;
	} else if (event == PTRACE_EVENT_EXEC) {
		site_learn_program(pid);
		signal = 0;
	} else if (event) {
		signal = 0;
	} else if (t->leaving == pid && signal == SIGTRAP) {
		t->leaving = 0;
		(void)kill(t->victim, SIGKILL);
		signal = 0;
	}
	/* Interrupted by a signal, the call is left later. */
	if (t->leaving == pid)
		how = PTRACE_SYSCALL;
	(void)ptrace(how, pid, NULL, signal);
}

_Noreturn static void follow(struct plan *p, const struct node *n, pid_t daemon)
{
	struct tracer t = {.plan = p, .node = n, .daemon = daemon};
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, __WALL)) > 0 || errno == EINTR)
		if (pid > 0 && WIFSTOPPED(status))
			on_stop(&t, pid, status);
		else if (pid == t.leaving)
			t.leaving = 0;
	_exit(0);
}

_Noreturn static void become(const struct node *n, void (*fn)(void *arg), void *arg, int begin)
{
	char byte;

	node_join(n, "net");
	node_join(n, "uts");
	node_join(n, "mnt");
	(void)setsid();
	if (read(begin, &byte, 1) != 1)
		_exit(126);
	(void)close(begin);
	install_filter();
	fn(arg);
	_exit(127);
}

/* Outside of the node, where nobody counts it, and where /proc tells of all processes. */
_Noreturn static void run_tracer(
	struct plan *p, const struct node *n, void (*fn)(void *arg), void *arg, int tell)
{
	int begin[2];
	pid_t pid;

	(void)setsid();
	node_join(n, "pid");
	if (pipe2(begin, O_CLOEXEC) < 0)
		_exit(126);
	pid = fork();
	if (pid == 0)
		become(n, fn, arg, begin[0]);
	if (pid < 0 || ptrace(PTRACE_SEIZE, pid, NULL, OPTIONS) < 0 ||
		write(begin[1], "", 1) != 1 || write(tell, &pid, sizeof pid) != sizeof pid)
		_exit(126);
	(void)close(begin[0]);
	(void)close(begin[1]);
	(void)close(tell);
	follow(p, n, pid);
}

static void begin_tracer(const struct told *t)
{
	if (fork() == 0)
		run_tracer(t->data, t->node, t->fn, t->arg, t->tell);
}

pid_t trace(struct plan *p, const struct node *n, void (*fn)(void *arg), void *arg)
{
	return node_told_pid(n, begin_tracer, &(struct told){.fn = fn, .arg = arg, .data = p});
}
