/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The running kernel under the installed filters, against the interpreter. Every number is called
 * for real in a child whose oldest filter answers EXFULL to any call that carries a mark in its
 * sixth argument: what ours allow ends there, and nothing is executed. What ours refuse, they
 * answer themselves, as the newer filters and with the same kind of action.
 */
#include "tests/seccomp/calls.h"
#include "tests/seccomp/decide.h"

#include "seccomp/seccomp.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define MARK	     0x6b6f7261u
#define MAX_ATTEMPTS 1536

/* Where a child leaves what it saw. */
static struct {
	int numbers[HIGHEST_TRIED + 1];
	int calls[N_CHOSEN][1 + 3 * 2];
	int rules[128][1 + 3 * 2];
	int odd[8];
	int ended[MAX_ATTEMPTS];
} * seen;

static const uint32_t odd_numbers[8] = {
	0x80000000, 0x80000027, 0xbfffffff, 0xffffffff, 100000, 0x3fffffff, 548, 1u << 20};

static int install_marker(void)
{
	const uint32_t sixth = (uint32_t)offsetof(struct seccomp_data, args[5]);
	struct sock_filter insns[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, sixth),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, MARK, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EXFULL),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog prog = {.len = 4, .filter = insns};

	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &prog) < 0 ? -errno : 0;
}

/* In a child, before anything that may be killed: no core files. */
static void enter(enum seccomp_profile p)
{
	const struct rlimit none = {0, 0};

	(void)setrlimit(RLIMIT_CORE, &none);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || install_marker() < 0 ||
		seccomp_install_profile(p) < 0)
		_exit(99);
}

static int try_call(uint32_t nr, const uint64_t args[3])
{
	errno = 0;
	(void)syscall((long)(int)nr, args[0], args[1], args[2], 0, 0, (uint64_t)MARK);
	return errno;
}

/* As it is, then with the lowest and the highest of the upper bits of each argument set. */
static void try_variants(uint32_t nr, const uint64_t args[3], int ret[1 + 3 * 2])
{
	ret[0] = try_call(nr, args);
	for (unsigned i = 0; i < 6; i++) {
		uint64_t set[3] = {args[0], args[1], args[2]};
		set[i / 2] |= i % 2 ? 1ull << 63 : 1ull << 32;
		ret[1 + i] = try_call(nr, set);
	}
}

static void rule_args(const struct seccomp_rule *r, uint64_t args[3])
{
	memset(args, 0, 3 * sizeof(args[0]));
	for (size_t k = 0; k < 3 && r->args[k].mask; k++)
		args[r->args[k].index] = r->args[k].value;
}

/* The kernel lets these two past every filter where it needs them (6.14 on): they would run. */
static bool is_trampoline(uint32_t nr)
{
	const struct syscall_info *s = syscall_by_number(SECCOMP_NATIVE, nr);

	return s && (!strcmp(s->name, "uretprobe") || !strcmp(s->name, "uprobe"));
}

static void child_calls(enum seccomp_profile p)
{
	static const uint64_t none[3];
	uint64_t args[3];

	enter(p);
	for (uint32_t nr = 0; nr <= HIGHEST_TRIED; nr++)
		if (!is_trampoline(nr))
			seen->numbers[nr] = try_call(nr, none);
	for (size_t i = 0; i < N_CHOSEN; i++) {
		int nr = syscall_by_name(chosen_calls[i].name)->nr[SECCOMP_NATIVE];
		try_variants((uint32_t)nr, chosen_calls[i].args, seen->calls[i]);
	}
	for (size_t i = 0; i < seccomp_rule_count; i++) {
		int nr = syscall_by_name(seccomp_rules[i].call)->nr[SECCOMP_NATIVE];
		rule_args(&seccomp_rules[i], args);
		try_variants((uint32_t)nr, args, seen->rules[i]);
	}
	for (size_t i = 0; i < 8; i++)
		seen->odd[i] = try_call(odd_numbers[i], none);
	(void)syscall(
		SYS_exit_group, 0, 0, 0, 0, 0, 0); /* not marked by what is left in a register */
}

static int expected(enum seccomp_profile p, uint32_t nr, const uint64_t args[3])
{
	uint32_t action = decide(SECCOMP_NATIVE, (enum seccomp_filter)(p - 1), nr, args);

	return action == SECCOMP_RET_ALLOW ? EXFULL : (int)(action & SECCOMP_RET_DATA);
}

static int wait_for(pid_t pid)
{
	int status = -1;

	return pid > 0 && waitpid(pid, &status, 0) == pid ? status : -1;
}

static void check_variants(
	enum seccomp_profile p, const char *name, const uint64_t args[3], const int got[1 + 3 * 2])
{
	uint32_t nr = (uint32_t)syscall_by_name(name)->nr[SECCOMP_NATIVE];
	int want = expected(p, nr, args);

	for (unsigned i = 0; i < 7; i++)
		check(got[i] == want, "%s: %s(%#llx, %#llx, %#llx), variant %u: errno %d, not %d",
			seccomp_profile_name(p), name, (unsigned long long)args[0],
			(unsigned long long)args[1], (unsigned long long)args[2], i, got[i], want);
}

static void test_calls(enum seccomp_profile p)
{
	static const uint64_t none[3];
	uint64_t args[3];
	int status;

	memset(seen, 0, sizeof(*seen));
	pid_t pid = fork();
	if (!pid)
		child_calls(p);
	status = wait_for(pid);
	check(!status, "%s: the child ended with status %#x", seccomp_profile_name(p), status);
	for (uint32_t nr = 0; nr <= HIGHEST_TRIED; nr++)
		if (!is_trampoline(nr))
			check(seen->numbers[nr] == expected(p, nr, none),
				"%s: number %u: errno %d, not %d", seccomp_profile_name(p), nr,
				seen->numbers[nr], expected(p, nr, none));
	for (size_t i = 0; i < N_CHOSEN; i++)
		check_variants(p, chosen_calls[i].name, chosen_calls[i].args, seen->calls[i]);
	for (size_t i = 0; i < seccomp_rule_count; i++) {
		rule_args(&seccomp_rules[i], args);
		check_variants(p, seccomp_rules[i].call, args, seen->rules[i]);
	}
	for (size_t i = 0; i < 8; i++)
		check(seen->odd[i] == ENOSYS, "%s: number %#x: errno %d", seccomp_profile_name(p),
			odd_numbers[i], seen->odd[i]);
}

#if defined(__x86_64__)
/* Deadly when the filter works; marked all the same. */
static long call_i386(uint32_t nr, uint32_t first)
{
	long r;

	__asm__ volatile("push %%rbp\n\tmov %[mark], %%ebp\n\tint $0x80\n\tpop %%rbp"
			 : "=a"(r)
			 : "a"(nr), "b"(first), "c"(0), "d"(0), "S"(0), "D"(0), [mark] "i"(MARK)
			 : "memory", "r8", "r9", "r10", "r11");
	return r;
}

struct attempt {
	bool i386;
	uint32_t nr;
	uint64_t args[3];
};

static void make_attempt(const struct attempt *a)
{
	if (a->i386)
		(void)call_i386(a->nr, (uint32_t)a->args[0]);
	else
		(void)try_call(a->nr, a->args);
	(void)syscall(SYS_exit_group, 0, 0, 0, 0, 0, 0);
}

/* Each attempt in a process of its own, all below one that has the filters. */
static void test_attempts(enum seccomp_profile p, const struct attempt *attempts, size_t n)
{
	memset(seen, 0, sizeof(*seen));
	pid_t pid = fork();
	if (!pid) {
		enter(p);
		for (size_t i = 0; i < n; i++) {
			pid_t child = fork();
			if (!child)
				make_attempt(&attempts[i]);
			int status = wait_for(child);
			seen->ended[i] = WIFSIGNALED(status) ? WTERMSIG(status) : -1;
		}
		_exit(0);
	}
	int status = wait_for(pid);
	check(!status, "%s: the parent ended with status %#x", seccomp_profile_name(p), status);
	for (size_t i = 0; i < n; i++)
		check(seen->ended[i] == SIGSYS, "%s: %s call %u: signal %d",
			seccomp_profile_name(p), attempts[i].i386 ? "int 0x80" : "x32",
			attempts[i].nr, seen->ended[i]);
}

/* getpid by int 0x80, without a filter */
static bool has_i386(void)
{
	pid_t pid = fork();

	if (!pid) {
		(void)call_i386(20, 0);
		_exit(0);
	}
	return !wait_for(pid);
}

static void test_foreign(enum seccomp_profile p)
{
	static struct attempt attempts[MAX_ATTEMPTS];
	bool i386 = has_i386();
	size_t n = 0;

	if (!i386)
		printf("# this kernel has no int 0x80: its calls are not tried\n");
	for (uint32_t nr = 0; nr <= 600; nr += nr < 548 ? 1 : 7)
		attempts[n++] = (struct attempt){.nr = nr | SECCOMP_X32_BIT};
	for (uint32_t nr = 0; i386 && nr <= 480; nr++)
		attempts[n++] = (struct attempt){.i386 = true, .nr = nr};
	if (i386) /* socketcall(SOCKET): the call whose arguments no filter can see */
		attempts[n++] = (struct attempt){.i386 = true, .nr = 102, .args = {1}};
	for (size_t i = 0; i < seccomp_rule_count; i++) {
		const struct syscall_info *s = syscall_by_name(seccomp_rules[i].call);
		attempts[n] =
			(struct attempt){.nr = (uint32_t)s->nr[SECCOMP_X86_64] | SECCOMP_X32_BIT};
		rule_args(&seccomp_rules[i], attempts[n++].args);
	}
	test_attempts(p, attempts, n);
}
#else
static void test_foreign(enum seccomp_profile p)
{
	(void)p;
}
#endif

/* EACCES without no_new_privs, unless root: nothing may look as if it were installed. */
static void test_needs_nnp(void)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		if (!geteuid() && setuid(65534) < 0)
			_exit(3);
		_exit(seccomp_install_profile(SECCOMP_PROFILE_STRICT) == -EACCES &&
					prctl(PR_GET_SECCOMP) == 0
				? 0
				: 1);
	}
	status = wait_for(pid);
	check(!status, "without no_new_privs: status %#x", status);
}

int main(void)
{
	if (prctl(PR_GET_SECCOMP) < 0) {
		printf("# no seccomp here (%s): nothing to compare with\n", strerror(errno));
		return finish();
	}
	seen = mmap(NULL, sizeof(*seen), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (seen == MAP_FAILED || seccomp_rule_count > 128)
		return 1;
	test_needs_nnp();
	for (enum seccomp_profile p = SECCOMP_PROFILE_STRICT; p <= SECCOMP_PROFILE_DEV; p++) {
		test_calls(p);
		test_foreign(p);
	}
	return finish();
}
