/* SPDX-License-Identifier: Apache-2.0 */
/* Which processes count as another program that answers nfsd. */
#include "nfs/foreign.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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
	int found = foreign_answerer(text, sizeof text);

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
