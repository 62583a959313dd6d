/* SPDX-License-Identifier: Apache-2.0 */
/* Programs at work under the profiles: what must go on working, and what must not. */
#include "tests/seccomp/decide.h"

#include "seccomp/seccomp.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define HIGH (1ull << 32)

/* The errno of a raw call, 0 for success. */
static int result(long nr, uint64_t a, uint64_t b, uint64_t c)
{
	return syscall(nr, a, b, c, 0, 0, 0) < 0 ? errno : 0;
}

static int enter(enum seccomp_profile p)
{
	const struct rlimit none = {0, 0};

	(void)setrlimit(RLIMIT_CORE, &none);
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ? -errno : seccomp_install_profile(p);
}

static void *thread_main(void *arg)
{
	*(int *)arg = 42;
	return NULL;
}

static int threads(enum seccomp_profile p)
{
	pthread_t t;
	int value = 0;

	(void)p;
	if (pthread_create(&t, NULL, thread_main, &value) || pthread_join(t, NULL))
		return 1;
	return value != 42;
}

static int processes(enum seccomp_profile p)
{
	char *argv[] = {(char *)"x", (char *)"--child", NULL};
	int status;

	(void)p;
	pid_t pid = fork();
	if (!pid) {
		(void)execv("/proc/self/exe", argv);
		_exit(1);
	}
	return waitpid(pid, &status, 0) != pid || !WIFEXITED(status) || WEXITSTATUS(status) != 7;
}

static int sockets(enum seccomp_profile p)
{
	(void)p;
	if (result(SYS_socket, AF_UNIX, SOCK_STREAM, 0) ||
		result(SYS_socket, AF_UNIX | HIGH, SOCK_STREAM | HIGH, 0) ||
		result(SYS_socket, AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, 0) == EPERM)
		return 1;
	if (result(SYS_socket, AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0) == EPERM ||
		result(SYS_socket, AF_INET6 | HIGH, SOCK_DGRAM, IPPROTO_UDP | HIGH << 31) == EPERM)
		return 2;
	if (result(SYS_socket, AF_ALG, SOCK_SEQPACKET, 0) != EPERM ||
		result(SYS_socket, AF_ALG | HIGH, SOCK_SEQPACKET, 0) != EPERM ||
		result(SYS_socket, AF_VSOCK | HIGH, SOCK_STREAM, 0) != EPERM ||
		result(SYS_socket, AF_INET, SOCK_STREAM, 262 | HIGH) != EPERM)
		return 3;
	return 0;
}

static int terminals(enum seccomp_profile p)
{
	int fd = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC);
	char c = 'x';

	(void)p;
	if (fd < 0)
		return 0; /* no pty here: the filters' answer is in test_live */
	for (uint64_t bit = 0; bit <= HIGH; bit += HIGH)
		if (result(SYS_ioctl, (uint64_t)fd, TIOCSTI | bit, (uintptr_t)&c) != EPERM ||
			result(SYS_ioctl, (uint64_t)fd, TIOCLINUX | bit, (uintptr_t)&c) != EPERM)
			return 1;
	struct winsize size;
	return result(SYS_ioctl, (uint64_t)fd, TIOCGWINSZ, (uintptr_t)&size) != 0;
}

static int namespaces(enum seccomp_profile p)
{
	(void)p;
	if (result(SYS_clone3, 0, 0, 0) != ENOSYS ||
		result(SYS_unshare, CLONE_NEWUSER, 0, 0) != EPERM)
		return 1;
	for (uint64_t bit = 0; bit <= HIGH; bit += HIGH)
		if (result(SYS_clone, CLONE_NEWUSER | SIGCHLD | bit, 0, 0) != EPERM)
			return 2;
	return 0;
}

static int own_limits(enum seccomp_profile p)
{
	struct rlimit limit;
	cpu_set_t cpus;
	uint64_t parent = (uint64_t)getppid();

	if (getrlimit(RLIMIT_NOFILE, &limit) || setrlimit(RLIMIT_NOFILE, &limit) ||
		setpriority(PRIO_PROCESS, 0, 1) || sched_getaffinity(0, sizeof(cpus), &cpus) ||
		sched_setaffinity(0, sizeof(cpus), &cpus))
		return 1;
	if (result(SYS_prlimit64, parent, RLIMIT_NOFILE, 0) != EPERM ||
		result(SYS_setpriority, PRIO_PROCESS, parent, 19) != EPERM)
		return 2;
	int other = result(SYS_sched_setaffinity, parent, sizeof(cpus), (uintptr_t)&cpus);
	return p == SECCOMP_PROFILE_DEV ? other != 0 : other != EPERM;
}

static int tracing(enum seccomp_profile p)
{
	int allowed = result(SYS_ptrace, PTRACE_TRACEME, 0, 0);

	if (personality(0xffffffff) < 0 || personality(ADDR_NO_RANDOMIZE) < 0)
		return 1;
	return p == SECCOMP_PROFILE_DEV ? allowed != 0 : allowed != EPERM;
}

/* A restricted process may restrict itself further, and the first filters stay. */
static int nesting(enum seccomp_profile p)
{
	return seccomp_install_profile(p) < 0 || result(SYS_keyctl, 0, 0, 0) != EPERM;
}

#if defined(__x86_64__)
static void traced_child(void)
{
	if (ptrace(PTRACE_TRACEME, 0, 0, 0) < 0)
		_exit(1);
	(void)raise(SIGSTOP);
	_exit(result(SYS_getppid, 0, 0, 0) == ENOSYS ? 0 : 2);
}

/* A tracer that skips a call sets its number to -1; that is x32's bit too, and no reason to kill.
 */
static int skipped_call(enum seccomp_profile p)
{
	int status;

	if (p != SECCOMP_PROFILE_DEV)
		return 0; /* nobody can be traced */
	pid_t pid = fork();
	if (!pid)
		traced_child();
	while (waitpid(pid, &status, 0) == pid && WIFSTOPPED(status)) {
		struct user_regs_struct regs;
		if (ptrace(PTRACE_GETREGS, pid, 0, &regs) < 0)
			return 3;
		if (WSTOPSIG(status) == SIGTRAP && regs.orig_rax == SYS_getppid) {
			regs.orig_rax = (unsigned long long)-1;
			if (ptrace(PTRACE_SETREGS, pid, 0, &regs) < 0)
				return 4;
		}
		if (ptrace(PTRACE_SYSCALL, pid, 0, 0) < 0)
			return 5;
	}
	return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}
#endif

static void run(const char *name, int (*test)(enum seccomp_profile), enum seccomp_profile p)
{
	int status = -1;
	pid_t pid = fork();

	if (!pid)
		_exit(enter(p) < 0 ? 99 : test(p));
	if (waitpid(pid, &status, 0) != pid)
		status = -1;
	check(!status, "%s under %s: status %#x", name, seccomp_profile_name(p), status);
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "--child"))
		return 7;
	if (prctl(PR_GET_SECCOMP) < 0) {
		printf("# no seccomp here (%s)\n", strerror(errno));
		return finish();
	}
	for (enum seccomp_profile p = SECCOMP_PROFILE_STRICT; p <= SECCOMP_PROFILE_DEV; p++) {
		run("threads", threads, p);
		run("processes", processes, p);
		run("sockets", sockets, p);
		run("terminals", terminals, p);
		run("namespaces", namespaces, p);
		run("limits", own_limits, p);
		run("tracing", tracing, p);
		run("nesting", nesting, p);
#if defined(__x86_64__)
		run("a skipped call", skipped_call, p);
#endif
	}
	return finish();
}
