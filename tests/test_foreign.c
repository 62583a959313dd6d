/* SPDX-License-Identifier: Apache-2.0 */
/* Which processes count as another program that answers nfsd. */
#include "nfs/foreign.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/kora-test-foreign.XXXXXX";
static char program[64];

/* In a network of its own, where the machine's own NFS server is nobody's matter. */
static void set_up(void)
{
	if (geteuid() != 0 || unshare(CLONE_NEWNET) < 0)
		cr_skip_test("needs root");
	cr_assert(mkdtemp(folder));
	cr_assert_eq(chmod(folder, 0755), 0);
	(void)snprintf(program, sizeof program, "%s/nfsdcld", folder);
}

static void tear_down(void)
{
	(void)unlink(program);
	(void)rmdir(folder);
}

static void put(const char *command)
{
	char text[192];

	(void)snprintf(text, sizeof text, "%s \"$(command -v sleep)\" %s", command, program);
	cr_assert_eq(system(text), 0);
}

/* Returns when the program runs: the pipe closes at its execution. */
static pid_t start(uid_t uid)
{
	int end[2];
	char byte;
	pid_t pid;

	cr_assert_eq(pipe2(end, O_CLOEXEC), 0);
	pid = fork();
	cr_assert_geq(pid, 0);
	if (pid == 0) {
		if (setuid(uid) == 0)
			(void)execl(program, program, "100", (char *)NULL);
		(void)write(end[1], "", 1);
		_exit(127);
	}
	(void)close(end[1]);
	cr_assert_eq(read(end[0], &byte, 1), 0, "the program does not start");
	(void)close(end[0]);
	return pid;
}

static bool counts(uid_t uid)
{
	char text[64] = "";
	pid_t pid = start(uid);
	int found = foreign_answerer(text, sizeof text, NULL);

	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, NULL, 0);
	cr_expect(!found || strncmp(text, "nfsdcld (process ", 17) == 0, "%s", text);
	cr_expect_geq(found, 0);
	return found > 0;
}

TestSuite(foreign, .init = set_up, .fini = tear_down);

Test(foreign, roots_counts)
{
	put("cp");
	cr_expect(counts(0));
}

Test(foreign, a_users_does_not)
{
	put("cp");
	cr_expect_not(counts(65534));
}

Test(foreign, another_program_by_a_link_does_not)
{
	put("ln -s");
	cr_expect_not(counts(0));
}

/* As in a container, or where a security module keeps us from it. */
static void give_up_ptrace(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2];

	cr_assert_eq(syscall(SYS_capget, &header, data), 0);
	for (size_t i = 0; i < 2; i++)
		data[i].inheritable = 0;
	data[0].effective = data[0].permitted &= ~(1U << CAP_SYS_PTRACE);
	cr_assert_eq(syscall(SYS_capset, &header, data), 0);
}

Test(foreign, who_cannot_be_looked_at_is_named)
{
	char text[64] = "as before", name[64], line[640];
	struct kerr e = {0};
	pid_t pid;
	int r;

	put("cp");
	pid = start(0);
	give_up_ptrace();
	r = foreign_answerer(text, sizeof text, &e);
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, NULL, 0);
	cr_expect_eq(r, -EACCES);
	cr_expect_str_eq(text, "as before");
	(void)snprintf(name, sizeof name, "look at nfsdcld (process %d): ", (int)pid);
	kerr_format(&e, line, sizeof line);
	cr_expect_eq(strncmp(line, name, strlen(name)), 0, "%s", line);
	cr_expect(strstr(line, "CAP_SYS_PTRACE"), "%s", line);
}
