/* SPDX-License-Identifier: Apache-2.0 */
/* Attempts on the other run's process. */
#pragma once

#include <linux/kcmp.h>
#include <sched.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "attack_files.h"

static int open_in_proc(const struct target *t, const char *file, int flags)
{
	char path[96];

	snprintf(path, sizeof(path), "/proc/%d/%s", t->pid, file);
	return closing(open(path, flags));
}

#define PROC_ROW(name, file, flags) \
	static int proc_##name(const struct target *t) \
	{ \
		return open_in_proc(t, file, flags); \
	}
PROC_ROW(mem, "mem", O_RDONLY)
PROC_ROW(environ, "environ", O_RDONLY)
PROC_ROW(maps, "maps", O_RDONLY)
PROC_ROW(root, "root/.", O_RDONLY | O_DIRECTORY)
PROC_ROW(cwd, "cwd/.", O_RDONLY | O_DIRECTORY)
PROC_ROW(cmdline, "cmdline", O_RDONLY)
PROC_ROW(status, "status", O_RDONLY)
PROC_ROW(stat, "stat", O_RDONLY)
PROC_ROW(mountinfo, "mountinfo", O_RDONLY)

static int proc_fd(const struct target *t)
{
	char file[32];

	snprintf(file, sizeof(file), "fd/%d", t->fd);
	return open_in_proc(t, file, O_RDONLY);
}
static int proc_ptrace(const struct target *t)
{
	if (ptrace(PTRACE_SEIZE, t->pid, NULL, NULL) < 0)
		return errno;
	ptrace(PTRACE_INTERRUPT, t->pid, NULL, NULL);
	waitpid(t->pid, NULL, __WALL);
	ptrace(PTRACE_DETACH, t->pid, NULL, NULL);
	return 0;
}
static int proc_vm_readv(const struct target *t)
{
	char byte;
	struct iovec here = {&byte, 1}, there = {(void *)&rows, 1};

	/* The victim is the same static program; a wrong address would be EFAULT after the check.
	 */
	long r = process_vm_readv(t->pid, &here, 1, &there, 1, 0);

	return r < 0 && errno != EFAULT ? errno : 0;
}
static int proc_pidfd_getfd(const struct target *t)
{
	int pidfd = (int)syscall(SYS_pidfd_open, t->pid, 0);

	return pidfd < 0 ? errno : closing((int)syscall(SYS_pidfd_getfd, pidfd, t->fd, 0));
}
static int proc_kcmp(const struct target *t)
{
	return outcome(syscall(SYS_kcmp, getpid(), t->pid, KCMP_FILES, 0, 0));
}
static int proc_kill(const struct target *t)
{
	return outcome(kill(t->pid, 0));
}
static int proc_tgkill(const struct target *t)
{
	return outcome(syscall(SYS_tgkill, t->pid, t->pid, 0));
}
static int proc_pidfd_signal(const struct target *t)
{
	int pidfd = (int)syscall(SYS_pidfd_open, t->pid, 0);

	return pidfd < 0 ? errno : outcome(syscall(SYS_pidfd_send_signal, pidfd, 0, NULL, 0));
}
static int proc_setpriority(const struct target *t)
{
	return outcome(setpriority(PRIO_PROCESS, (id_t)t->pid, 10));
}
static int proc_affinity(const struct target *t)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(0, &set);
	return outcome(sched_setaffinity(t->pid, sizeof(set), &set));
}
static int proc_ioprio(const struct target *t)
{
	return outcome(syscall(SYS_ioprio_set, 1, t->pid, 3 << 13));
}
static int proc_prlimit(const struct target *t)
{
	struct rlimit lim;

	if (prlimit(t->pid, RLIMIT_STACK, NULL, &lim) < 0)
		return errno;
	return outcome(prlimit(t->pid, RLIMIT_STACK, &lim, NULL));
}
