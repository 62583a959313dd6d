/* SPDX-License-Identifier: Apache-2.0 */
/* PID 1 of a container, or a subreaper elsewhere. */
#include "harden/init.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* The terminal's stop signals would stop the init itself; SIGCHLD is its own. */
static bool forwarded(int sig)
{
	return sig != SIGCHLD && sig != SIGTTIN && sig != SIGTTOU && sig != SIGTSTP;
}

static bool reap(pid_t child, int *ret_status)
{
	bool ended = false;
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid != child)
			continue;
		*ret_status = status;
		ended = true;
	}
	return ended;
}

static _Noreturn void stay(pid_t child, const sigset_t *all)
{
	int status = 0;

	while (!reap(child, &status)) {
		siginfo_t info;
		int sig = sigwaitinfo(all, &info);

		if (sig > 0 && forwarded(sig))
			(void)kill(child, sig);
	}
	_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

/* Its own process group, so that ^C reaches it once; in the foreground if we were. */
static void become_child(bool own_session, const sigset_t *mask)
{
	if (own_session) {
		(void)setsid();
	} else {
		bool foreground = tcgetpgrp(STDIN_FILENO) == getpgrp();

		(void)setpgid(0, 0);
		if (foreground) /* SIGTTOU is blocked: this does not stop us */
			(void)tcsetpgrp(STDIN_FILENO, getpgrp());
	}
	(void)sigprocmask(SIG_SETMASK, mask, NULL);
}

/* A killed init ends nothing itself. It may have died before prctl(2): then the signal never comes.
 */
static int die_with(pid_t parent, struct fail *f)
{
	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0)
		return fail_set(f, errno, "init: PR_SET_PDEATHSIG: %s", strerror(errno));
	return getppid() == parent ? 0 : fail_set(f, ESRCH, "init: it died at the start");
}

int init_split(bool own_session, struct fail *f)
{
	const pid_t parent = getpid();
	sigset_t all, before;

	(void)sigfillset(&all);
	(void)sigprocmask(SIG_BLOCK, &all, &before);
	if (parent != 1)
		(void)prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	pid_t child = fork();

	if (child < 0)
		return fail_set(f, errno, "init: fork: %s", strerror(errno));
	if (child > 0)
		stay(child, &all);
	become_child(own_session, &before);
	return die_with(parent, f);
}
