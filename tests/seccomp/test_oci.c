/* SPDX-License-Identifier: Apache-2.0 */
/* OCI profiles: what is accepted, what it decides, and what the refusals say. */
#include "seccomp/filter.h"
#include "tests/seccomp/reference.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define EPERM_ACTION  (SECCOMP_RET_ERRNO | EPERM)
#define ENOSYS_ACTION (SECCOMP_RET_ERRNO | ENOSYS)
#define DENYING	      "\"defaultAction\":\"SCMP_ACT_ERRNO\""
#define ALLOWING      "\"defaultAction\":\"SCMP_ACT_ALLOW\""

#if defined(__aarch64__)
#define OWN_ARCH  "SCMP_ARCH_AARCH64"
#define OWN_GO	  "arm64"
#define OTHER_GO  "amd64"
#define OTHER_ONE "SCMP_ARCH_X86_64"
#else
#define OWN_ARCH  "SCMP_ARCH_X86_64"
#define OWN_GO	  "amd64"
#define OTHER_GO  "arm64"
#define OTHER_ONE "SCMP_ARCH_AARCH64"
#endif

static char err[512];

static struct seccomp_program *load(const char *text)
{
	struct seccomp_program *p = NULL;

	int r = seccomp_load_oci_buffer(text, strlen(text), &p, err, sizeof(err));
	cr_assert_eq(r, 0, "%s: %s", text, err);
	cr_assert(reference_loadable(p->insns, p->len));
	return p;
}

static void refused(const char *text, int code, const char *says)
{
	struct seccomp_program *p = NULL;

	int r = seccomp_load_oci_buffer(text, strlen(text), &p, err, sizeof(err));
	cr_expect_eq(r, code, "%s: %d, not %d (%s)", text, r, code, err);
	cr_expect_null(p);
	cr_expect(strstr(err, says), "%s: \"%s\" does not say \"%s\"", text, err, says);
}

static uint32_t fate(const struct seccomp_program *p, const char *name, uint64_t a, uint64_t b)
{
	struct seccomp_data data = {.nr = syscall_by_name(name)->nr[SECCOMP_NATIVE],
		.arch = seccomp_arch_audit(SECCOMP_NATIVE),
		.args = {a, b}};

	uint32_t action = bpf_eval(p->insns, p->len, &data, NULL);
	cr_assert_eq(action, reference_decide(&p->policy, &data));
	return action;
}

Test(oci, allow_list)
{
	struct seccomp_program *p =
		load("{" DENYING ",\"architectures\":[\"" OWN_ARCH "\"],"
		     "\"syscalls\":[{\"names\":[\"read\",\"getppid\",\"mseal\"],"
		     "\"action\":\"SCMP_ACT_ALLOW\"}]}");

	cr_expect_eq(fate(p, "read", 0, 0), SECCOMP_RET_ALLOW);
	cr_expect_eq(fate(p, "mseal", 0, 0), SECCOMP_RET_ALLOW);
	cr_expect_eq(fate(p, "write", 0, 0), EPERM_ACTION);
	cr_expect_eq(fate(p, "fchmodat2", 0, 0), EPERM_ACTION, "older than the newest name");
	cr_expect_eq(fate(p, "listns", 0, 0), ENOSYS_ACTION, "newer than the newest name");
	cr_expect_eq(p->policy.beyond, ENOSYS_ACTION);
	cr_expect_eq(p->n_warnings, 0);
	seccomp_program_free(p);
}

Test(oci, default_errno_and_actions)
{
	struct seccomp_program *p = load(
		"{" DENYING ",\"defaultErrnoRet\":22,\"defaultErrno\":\"EINVAL\",\"syscalls\":["
		"{\"names\":[\"listns\"],\"action\":\"SCMP_ACT_ALLOW\"},"
		"{\"name\":\"kill\",\"action\":\"SCMP_ACT_KILL_PROCESS\"},"
		"{\"name\":\"tkill\",\"action\":\"SCMP_ACT_KILL\"},"
		"{\"name\":\"bind\",\"action\":\"SCMP_ACT_TRAP\"},"
		"{\"name\":\"listen\",\"action\":\"SCMP_ACT_LOG\"},"
		"{\"name\":\"accept\",\"action\":\"SCMP_ACT_TRACE\",\"errnoRet\":5},"
		"{\"name\":\"connect\",\"action\":\"SCMP_ACT_ERRNO\"},"
		"{\"name\":\"dup\",\"action\":\"SCMP_ACT_ERRNO\",\"errnoRet\":38}]}");

	cr_expect_eq(fate(p, "write", 0, 0), SECCOMP_RET_ERRNO | EINVAL);
	cr_expect_eq(fate(p, "kill", 0, 0), SECCOMP_RET_KILL_PROCESS);
	cr_expect_eq(fate(p, "tkill", 0, 0), SECCOMP_RET_KILL_THREAD);
	cr_expect_eq(fate(p, "bind", 0, 0), SECCOMP_RET_TRAP);
	cr_expect_eq(fate(p, "listen", 0, 0), SECCOMP_RET_LOG);
	cr_expect_eq(fate(p, "accept", 0, 0), SECCOMP_RET_TRACE | 5);
	cr_expect_eq(fate(p, "connect", 0, 0), EPERM_ACTION);
	cr_expect_eq(fate(p, "dup", 0, 0), ENOSYS_ACTION);
	seccomp_program_free(p);
}

static struct seccomp_program *load_arg(
	const char *call, unsigned index, const char *op, uint64_t value, uint64_t two)
{
	char text[512];

	(void)snprintf(text, sizeof(text),
		"{" DENYING ",\"syscalls\":[{\"names\":[\"%s\"],\"action\":\"SCMP_ACT_ALLOW\","
		"\"args\":[{\"index\":%u,\"op\":\"SCMP_CMP_%s\",\"value\":%llu,\"valueTwo\":%llu}]}"
		"]}",
		call, index, op, (unsigned long long)value, (unsigned long long)two);
	return load(text);
}

static void compares(const char *op, bool below, bool equal, bool above)
{
	static const uint64_t values[] = {40, 0x123456789abcull, 0x700000000ull, 0x6ffffffffull};

	for (size_t i = 0; i < 4; i++) {
		struct seccomp_program *p = load_arg("mmap", 1, op, values[i], 0);
		cr_expect_eq(fate(p, "mmap", 0, values[i] - 1) == SECCOMP_RET_ALLOW, below);
		cr_expect_eq(fate(p, "mmap", 0, values[i]) == SECCOMP_RET_ALLOW, equal);
		cr_expect_eq(fate(p, "mmap", 0, values[i] + 1) == SECCOMP_RET_ALLOW, above);
		cr_expect_eq(fate(p, "mmap", 0, 0) == SECCOMP_RET_ALLOW, below);
		cr_expect_eq(fate(p, "mmap", 0, UINT64_MAX) == SECCOMP_RET_ALLOW, above);
		cr_expect_eq(
			fate(p, "mmap", 0, values[i] | 1ull << 63) == SECCOMP_RET_ALLOW, above);
		seccomp_program_free(p);
	}
}

Test(oci, comparisons_of_64_bits)
{
	compares("EQ", false, true, false);
	compares("NE", true, false, true);
	compares("LT", true, false, false);
	compares("LE", true, true, false);
	compares("GT", false, false, true);
	compares("GE", false, true, true);
}

/* socket(int, ...): a family that is not 40 stays not 40, whatever the upper half says. */
Test(oci, an_int_is_compared_as_the_kernel_reads_it)
{
	struct seccomp_program *p = load_arg("socket", 0, "NE", 40, 0);

	cr_expect_eq(fate(p, "socket", 40, 0), EPERM_ACTION);
	cr_expect_eq(fate(p, "socket", 40 | 1ull << 32, 0), EPERM_ACTION);
	cr_expect_eq(fate(p, "socket", 40 | 1ull << 63, 0), EPERM_ACTION);
	cr_expect_eq(fate(p, "socket", 1 | 1ull << 32, 0), SECCOMP_RET_ALLOW);
	seccomp_program_free(p);
	p = load_arg("fchmod", 1, "MASKED_EQ", 06000, 0);
	cr_expect_eq(fate(p, "fchmod", 3, 0755 | 1ull << 40), SECCOMP_RET_ALLOW);
	cr_expect_eq(fate(p, "fchmod", 3, 04755 | 1ull << 40), EPERM_ACTION);
	seccomp_program_free(p);
	p = load_arg("fchmod", 1, "EQ", 0755, 0);
	cr_expect_eq(fate(p, "fchmod", 3, 0755 | 1 << 20), SECCOMP_RET_ALLOW, "a mode has 16 bits");
	seccomp_program_free(p);
}

Test(oci, conditions_of_an_entry_must_all_hold)
{
	struct seccomp_program *p = load(
		"{" DENYING ",\"syscalls\":[{\"names\":[\"socket\"],\"action\":\"SCMP_ACT_ALLOW\","
		"\"args\":[{\"index\":0,\"op\":\"SCMP_CMP_EQ\",\"value\":1},"
		"{\"index\":1,\"op\":\"SCMP_CMP_LE\",\"value\":2}]}]}");

	cr_expect_eq(fate(p, "socket", 1, 2), SECCOMP_RET_ALLOW);
	cr_expect_eq(fate(p, "socket", 1, 3), EPERM_ACTION);
	cr_expect_eq(fate(p, "socket", 2, 2), EPERM_ACTION);
	seccomp_program_free(p);
}

Test(oci, the_most_restrictive_entry_wins)
{
	struct seccomp_program *p =
		load("{" DENYING ",\"syscalls\":[{\"names\":[\"kill\",\"clone\",\"dup\"],"
		     "\"action\":\"SCMP_ACT_ALLOW\"},"
		     "{\"names\":[\"kill\"],\"action\":\"SCMP_ACT_ERRNO\",\"errnoRet\":3},"
		     "{\"names\":[\"kill\"],\"action\":\"SCMP_ACT_ERRNO\",\"errnoRet\":4},"
		     "{\"names\":[\"clone\"],\"action\":\"SCMP_ACT_KILL_PROCESS\","
		     "\"args\":[{\"index\":0,\"op\":\"SCMP_CMP_EQ\",\"value\":9}]},"
		     "{\"names\":[\"dup\"],\"action\":\"SCMP_ACT_ALLOW\"}]}");

	cr_expect_eq(fate(p, "kill", 0, 0), SECCOMP_RET_ERRNO | 3, "of equals the first");
	cr_expect_eq(fate(p, "clone", 9, 0), SECCOMP_RET_KILL_PROCESS);
	cr_expect_eq(fate(p, "clone", 8, 0), SECCOMP_RET_ALLOW);
	cr_expect_eq(fate(p, "dup", 0, 0), SECCOMP_RET_ALLOW);
	seccomp_program_free(p);
}

Test(oci, docker_conditions)
{
	struct seccomp_program *p =
		load("{" DENYING ",\"archMap\":[{\"architecture\":\"" OTHER_ONE
		     "\"},{\"architecture\":\"" OWN_ARCH
		     "\",\"subArchitectures\":[\"SCMP_ARCH_X86\"]}],\"syscalls\":["
		     "{\"names\":[\"mount\"],\"action\":\"SCMP_ACT_ALLOW\",\"includes\":{\"caps\":["
		     "\"CAP_SYS_ADMIN\"]}},"
		     "{\"names\":[\"clone\"],\"action\":\"SCMP_ACT_ALLOW\",\"args\":[{\"index\":0,"
		     "\"value\":2114060288,"
		     "\"op\":\"SCMP_CMP_MASKED_EQ\"}],\"excludes\":{\"caps\":[\"CAP_SYS_ADMIN\"],"
		     "\"arches\":[\"s390\"]}},"
		     "{\"names\":[\"ptrace\"],\"action\":\"SCMP_ACT_ALLOW\",\"includes\":{"
		     "\"minKernel\":\"4.8\"}},"
		     "{\"names\":[\"bpf\"],\"action\":\"SCMP_ACT_ALLOW\",\"includes\":{"
		     "\"minKernel\":\"999.0\"}},"
		     "{\"names\":[\"kcmp\"],\"action\":\"SCMP_ACT_ALLOW\",\"includes\":{\"arches\":"
		     "[\"" OTHER_GO "\"]}},"
		     "{\"names\":[\"dup\"],\"action\":\"SCMP_ACT_ALLOW\",\"includes\":{\"arches\":["
		     "\"" OWN_GO "\"]},"
		     "\"excludes\":{},\"comment\":\"\",\"args\":null},"
		     "{\"names\":[\"dup3\"],\"action\":\"SCMP_ACT_ALLOW\",\"excludes\":{\"arches\":"
		     "[\"" OWN_GO "\"]}},"
		     "{\"names\":[\"listns\",\"socketcall\",\"no_such_call\"],\"action\":\"SCMP_"
		     "ACT_ALLOW\"}]}");

	cr_expect_eq(fate(p, "mount", 0, 0), EPERM_ACTION);
	cr_expect_eq(fate(p, "clone", 17, 0), SECCOMP_RET_ALLOW);
	cr_expect_eq(fate(p, "clone", 0x10000011, 0), EPERM_ACTION);
	cr_expect_eq(fate(p, "ptrace", 0, 0), SECCOMP_RET_ALLOW);
	cr_expect_eq(fate(p, "bpf", 0, 0), EPERM_ACTION);
	cr_expect_eq(fate(p, "kcmp", 0, 0), EPERM_ACTION);
	cr_expect_eq(fate(p, "dup", 0, 0), SECCOMP_RET_ALLOW);
	cr_expect_eq(fate(p, "dup3", 0, 0), EPERM_ACTION);

	const char *const *warnings;
	cr_assert_eq(seccomp_program_warnings(p, &warnings), 2);
	cr_expect(strstr(warnings[0], "archMap[1]"), "%s", warnings[0]);
	cr_expect(strstr(warnings[1], "syscalls[7]") && strstr(warnings[1], "no_such_call"), "%s",
		warnings[1]);
	seccomp_program_free(p);
}

Test(oci, foreign_architectures_stay_shut)
{
	struct seccomp_program *p = load("{" ALLOWING ",\"architectures\":[\"" OWN_ARCH
					 "\",\"SCMP_ARCH_X86\",\"SCMP_ARCH_X32\"]}");
	struct seccomp_data data = {.arch = 0x40000003};

	cr_expect_eq(bpf_eval(p->insns, p->len, &data, NULL), SECCOMP_RET_KILL_PROCESS);
	cr_expect_eq(p->policy.beyond, SECCOMP_RET_ALLOW);
	cr_expect_eq(p->n_warnings, 2, "the architectures, and that the default allows");
	seccomp_program_free(p);
}

Test(oci, a_program_larger_than_a_jump)
{
	static char text[200000];
	size_t n = (size_t)snprintf(text, sizeof(text), "{" DENYING ",\"syscalls\":[");

	for (unsigned i = 0; i < 300; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n,
			"%s{\"name\":\"mmap\",\"action\":\"SCMP_ACT_ALLOW\",\"args\":[{\"index\":0,"
			"\"op\":\"SCMP_CMP_EQ\",\"value\":%u}]}",
			i ? "," : "", i * 3);
	(void)snprintf(text + n, sizeof(text) - n,
		",{\"names\":[\"read\",\"exit\",\"getpid\"],\"action\":\"SCMP_ACT_ALLOW\"}]}");
	struct seccomp_program *p = load(text);
	cr_expect_gt(p->len, 1200);
	for (unsigned i = 0; i < 900; i++)
		cr_expect_eq(fate(p, "mmap", i, 0), i % 3 ? EPERM_ACTION : SECCOMP_RET_ALLOW);
	for (unsigned i = 0; i < syscall_count; i++)
		if (syscall_table[i].nr[SECCOMP_NATIVE] >= 0)
			(void)fate(p, syscall_table[i].name, 0, 0);
	seccomp_program_free(p);
}

Test(oci, refusals_name_the_field)
{
	static const struct {
		const char *text;
		int code;
		const char *says;
	} cases[] = {
		{"", -EBADMSG, "line 1"},
		{"[]", -EBADMSG, "must be an object"},
		{"{" DENYING "," ALLOWING "}", -EBADMSG, "line 1"},
		{"{}", -EBADMSG, "\"defaultAction\" is missing"},
		{"{\"defaultAction\":1}", -EBADMSG, "\"defaultAction\" must be a string"},
		{"{\"defaultAction\":\"ALLOW\"}", -EBADMSG, "unknown action \"ALLOW\""},
		{"{\"defaultAction\":\"SCMP_ACT_NOTIFY\"}", -EOPNOTSUPP, "SCMP_ACT_NOTIFY"},
		{"{" DENYING ",\"defaultErrnoRet\":4096}", -EBADMSG, "\"defaultErrnoRet\" is 4096"},
		{"{" DENYING ",\"defaultErrnoRet\":-1}", -EBADMSG, "\"defaultErrnoRet\" is -1"},
		{"{" DENYING ",\"defaultErrno\":\"EPERM\"}", -EBADMSG, "needs \"defaultErrnoRet\""},
		{"{" ALLOWING ",\"defaultErrnoRet\":1}", -EBADMSG, "only for SCMP_ACT_ERRNO"},
		{"{" DENYING ",\"defautAction\":\"\"}", -EBADMSG, "unknown field \"defautAction\""},
		{"{" DENYING ",\"a\\u001bb\":0}", -EBADMSG, "\"a?b\""},
		{"{" DENYING ",\"listenerPath\":\"/x\"}", -EOPNOTSUPP, "listenerPath"},
		{"{" DENYING ",\"flags\":[\"SECCOMP_FILTER_FLAG_NEW_LISTENER\"]}", -EOPNOTSUPP,
			"flags"},
		{"{" DENYING ",\"architectures\":[\"" OTHER_ONE "\"]}", -EBADMSG, OWN_ARCH},
		{"{" DENYING ",\"archMap\":[{\"architecture\":\"" OTHER_ONE "\"}]}", -EBADMSG,
			OWN_ARCH},
		{"{" DENYING ",\"architectures\":[\"" OWN_ARCH "\"],\"archMap\":[{}]}", -EBADMSG,
			"not together"},
		{"{" DENYING ",\"archMap\":[1]}", -EBADMSG, "archMap[0]: must be an object"},
		{"{" DENYING ",\"architectures\":[1]}", -EBADMSG,
			"\"architectures\"[0] must be a string"},
		{"{" DENYING ",\"syscalls\":{}}", -EBADMSG, "\"syscalls\" must be an array"},
		{"{" DENYING ",\"syscalls\":[1]}", -EBADMSG, "syscalls[0]: must be an object"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		refused(cases[i].text, cases[i].code, cases[i].says);
}

#define OTHER	      "{\"name\":\"dup\",\"action\":\"SCMP_ACT_ALLOW\"}"
#define ENTRY(fields) "{" DENYING ",\"syscalls\":[" OTHER ",{" fields "}]}"
#define ALLOWED(rest) ENTRY("\"names\":[\"socket\"],\"action\":\"SCMP_ACT_ALLOW\"," rest)
#define ONE_ARG(rest) ALLOWED("\"args\":[{" rest "}]")

Test(oci, refusals_of_entries_name_the_position)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{ENTRY("\"action\":\"SCMP_ACT_ALLOW\""), "syscalls[1]: needs either"},
		{ENTRY("\"names\":[],\"action\":\"SCMP_ACT_ALLOW\""), "syscalls[1]: needs either"},
		{ENTRY("\"name\":\"a\",\"names\":[\"b\"],\"action\":\"SCMP_ACT_ALLOW\""),
			"needs either"},
		{ENTRY("\"names\":[1],\"action\":\"SCMP_ACT_ALLOW\""),
			"\"names\"[0] must be a string"},
		{ENTRY("\"names\":[\"dup\"]"), "syscalls[1]: \"action\" is missing"},
		{ALLOWED("\"errnoRet\":1"), "syscalls[1]: \"errnoRet\" is only for"},
		{ALLOWED("\"arg\":[]"), "syscalls[1]: unknown field \"arg\""},
		{ALLOWED("\"includes\":{\"cap\":[]}"),
			"syscalls[1].includes: unknown field \"cap\""},
		{ALLOWED("\"includes\":{\"minKernel\":\"4\"}"),
			"syscalls[1].includes: \"minKernel\""},
		{ALLOWED("\"excludes\":{\"minKernel\":\"4.8x\"}"),
			"syscalls[1].excludes: \"minKernel\""},
		{ALLOWED("\"excludes\":{\"arches\":\"amd64\"}"), "\"arches\" must be an array"},
		{ALLOWED("\"args\":[1]"), "syscalls[1].args[0]: must be an object"},
		{ONE_ARG("\"value\":1,\"op\":\"SCMP_CMP_EQ\""),
			"syscalls[1].args[0]: \"index\" is missing"},
		{ONE_ARG("\"index\":6,\"value\":1,\"op\":\"SCMP_CMP_EQ\""), "\"index\" is 6"},
		{ONE_ARG("\"index\":0,\"value\":-1,\"op\":\"SCMP_CMP_EQ\""), "\"value\" is -1"},
		{ONE_ARG("\"index\":0,\"value\":1.5,\"op\":\"SCMP_CMP_EQ\""),
			"must be a whole number"},
		{ONE_ARG("\"index\":0,\"value\":1"), "\"op\" is missing"},
		{ONE_ARG("\"index\":0,\"value\":1,\"op\":\"EQ\""), "unknown \"op\" \"EQ\""},
		{ONE_ARG("\"index\":0,\"value\":1,\"valueTwo\":2,\"op\":\"SCMP_CMP_EQ\""),
			"valueTwo"},
		{ONE_ARG("\"index\":0,\"value\":1,\"valueTwo\":2,\"op\":\"SCMP_CMP_MASKED_EQ\""),
			"never holds"},
		{ONE_ARG("\"index\":0,\"value\":4294967297,\"op\":\"SCMP_CMP_EQ\""),
			"more than the kernel reads of argument 0 of socket"},
		{ALLOWED("\"args\":[{\"index\":0,\"value\":1,\"op\":\"SCMP_CMP_EQ\"},"
			 "{\"index\":0,\"value\":2,\"op\":\"SCMP_CMP_EQ\"}]"),
			"syscalls[1].args[1]: a second condition on argument 0"},
		{ENTRY("\"names\":[\"no_such\"],\"action\":\"SCMP_ACT_KILL_PROCESS\""),
			"unknown system call \"no_such\""},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		refused(cases[i].text, -EBADMSG, cases[i].says);
}

Test(oci, too_large)
{
	static char text[400000];
	size_t n = (size_t)snprintf(text, sizeof(text), "{" DENYING ",\"syscalls\":[");

	for (unsigned i = 0; i < 2000; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n,
			"%s{\"name\":\"mmap\",\"action\":\"SCMP_ACT_ALLOW\",\"args\":[{\"index\":0,"
			"\"op\":\"SCMP_CMP_EQ\",\"value\":%u}]}",
			i ? "," : "", i);
	(void)snprintf(text + n, sizeof(text) - n, "]}");
	refused(text, -E2BIG, "4096 instructions");
}

Test(oci, files)
{
	struct seccomp_program *p = NULL;

	cr_expect_eq(seccomp_load_oci("/nonexistent/p.json", &p, err, sizeof(err)), -ENOENT);
	cr_expect(strstr(err, "/nonexistent/p.json: "), "%s", err);
	cr_expect_eq(seccomp_load_oci("/dev/null", &p, err, sizeof(err)), -EINVAL);
	cr_expect_eq(seccomp_load_oci("tests/seccomp", &p, err, sizeof(err)), -EINVAL);
	cr_expect_null(p);
}

/* In the kernel: the profile decides, and the guard holds although the profile allows it all. */
Test(oci, in_force)
{
	struct seccomp_program *p = load("{" ALLOWING ",\"syscalls\":[{\"names\":[\"getppid\"],"
					 "\"action\":\"SCMP_ACT_ERRNO\",\"errnoRet\":7}]}");
	int status = -1;
	pid_t pid = fork();

	if (!pid) {
		bool ok = !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) && !seccomp_install_program(p);
		ok = ok && syscall(SYS_getppid) < 0 && errno == 7;
		ok = ok && syscall(SYS_clone3, 0, 0) < 0 && errno == ENOSYS;
		_exit(ok ? 0 : 1);
	}
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_expect_eq(status, 0);
	seccomp_program_free(p);
}
