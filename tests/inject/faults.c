/* SPDX-License-Identifier: Apache-2.0 */
/* What each call can fail with. */
#include <errno.h>
#include <fcntl.h>
#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>

#include "tests/inject/inject.h"

static const int harmless[] = {SYS_exit, SYS_exit_group, SYS_rt_sigreturn, SYS_rt_sigaction,
	SYS_rt_sigprocmask, SYS_getpid, SYS_getppid, SYS_gettid, SYS_getuid, SYS_geteuid,
	SYS_getgid, SYS_getegid, SYS_close, SYS_munmap, SYS_brk, SYS_madvise, SYS_mprotect,
	SYS_arch_prctl, SYS_set_tid_address, SYS_set_robust_list, SYS_rseq, SYS_clock_gettime,
	SYS_gettimeofday, SYS_umask, SYS_futex, SYS_sched_yield, SYS_execve, SYS_restart_syscall,
	SYS_prlimit64, SYS_lseek, SYS_clock_nanosleep, SYS_nanosleep, SYS_getsockname, SYS_uname};

static const struct {
	int number;
	int errors[3];
} faults[] = {
	{SYS_accept4, {EMFILE, ECONNABORTED, ENOMEM}},
	{SYS_bind, {EADDRINUSE, ENOMEM}},
	{SYS_clone, {EAGAIN, ENOMEM}},
	{SYS_clone3, {EAGAIN, ENOMEM}},
	{SYS_connect, {ENOBUFS, ENETUNREACH, EINTR}},
	{SYS_epoll_create1, {EMFILE, ENOMEM}},
	{SYS_epoll_ctl, {ENOMEM, ENOSPC}},
	{SYS_epoll_wait, {EINTR}},
	{SYS_epoll_pwait, {EINTR}},
	{SYS_eventfd2, {EMFILE}},
	{SYS_fchown, {EPERM, EIO}},
	{SYS_fchownat, {EPERM, EIO}},
	{SYS_fcntl, {ENOMEM}},
	{SYS_fdatasync, {EIO}},
	{SYS_flock, {EINTR, ENOMEM}},
	{SYS_fsconfig, {ENOMEM, EIO}},
	{SYS_fsync, {EIO, ENOSPC}},
	{SYS_ftruncate, {EIO}},
	{SYS_inotify_add_watch, {ENOSPC, ENOMEM}},
	{SYS_inotify_init1, {EMFILE}},
	{SYS_kill, {EPERM}},
	{SYS_listen, {EADDRINUSE}},
	{SYS_mkdir, {ENOSPC, EIO, EACCES}},
	{SYS_mkdirat, {ENOSPC, EIO, EACCES}},
	{SYS_mmap, {ENOMEM}},
	{SYS_mount, {ENOMEM, EPERM}},
	{SYS_move_mount, {ENOMEM, EPERM, EINVAL}},
	{SYS_newfstatat, {EIO, ENOMEM, EACCES}},
	{SYS_openat, {EMFILE, EIO, EACCES}},
	{SYS_openat2, {EMFILE, EIO, EAGAIN}},
	{SYS_pidfd_open, {EMFILE}},
	{SYS_pidfd_send_signal, {EPERM}},
	{SYS_pipe2, {EMFILE}},
	{SYS_poll, {EINTR, ENOMEM}},
	{SYS_ppoll, {EINTR, ENOMEM}},
	{SYS_read, {EIO, ENOMEM}},
	{SYS_readlink, {EIO, EACCES}},
	{SYS_readlinkat, {EIO, EACCES}},
	{SYS_recvfrom, {ENOBUFS, EINTR, ENOMEM}},
	{SYS_recvmsg, {ENOBUFS, EINTR, ENOMEM}},
	{SYS_renameat, {ENOSPC, EIO}},
	{SYS_renameat2, {ENOSPC, EIO}},
	{SYS_rename, {ENOSPC, EIO}},
	{SYS_sendmsg, {ENOBUFS, ENOMEM}},
	{SYS_sendto, {ENOBUFS, ENOMEM}},
	{SYS_setns, {ENOMEM, EPERM}},
	{SYS_setsockopt, {ENOMEM, ENOBUFS}},
	{SYS_shutdown, {ENOTCONN}},
	{SYS_setfsgid, {ENOMEM}},
	{SYS_setfsuid, {ENOMEM}},
	{SYS_setresuid, {EAGAIN}},
	{SYS_socket, {EMFILE, ENOBUFS, EAFNOSUPPORT}},
	{SYS_socketpair, {EMFILE, ENFILE}},
	{SYS_statx, {EIO, EACCES}},
	{SYS_umount2, {EBUSY, ENOMEM}},
	{SYS_unlink, {EIO, EACCES}},
	{SYS_unlinkat, {EIO, EACCES}},
	{SYS_unshare, {ENOMEM, EPERM}},
	{SYS_wait4, {EINTR}},
	{SYS_waitid, {EINTR}},
	{SYS_write, {EIO, ENOSPC, ENOMEM}},
	{SYS_writev, {EIO, ENOSPC}},
};

bool call_is_harmless(int number)
{
	for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
		if (harmless[i] == number)
			return true;
	return false;
}

bool pipes_are_libuvs;

/* What libuv calls in its own turn may not fail: it would end the process, or lose a signal. */
static bool is_libuvs(const char *site)
{
	if (pipes_are_libuvs && strstr(site, "(pipe:"))
		return true;
	return strncmp(site, "daemon:", strlen("daemon:")) == 0 && strstr(site, " in the loop") &&
	       !strstr(site, "epoll_wait") && !strstr(site, "epoll_pwait");
}

/* To leave a set, to change what is waited for, and a descriptor's flags take no memory. */
static bool is_sure(const struct call *call)
{
	if (call->number == SYS_epoll_ctl)
		return call->args[1] != EPOLL_CTL_ADD;
	return call->number == SYS_fcntl &&
	       (call->args[1] == F_GETFD || call->args[1] == F_SETFD || call->args[1] == F_GETFL ||
		       call->args[1] == F_SETFL);
}

int call_error(const struct call *call, const char *site, uint64_t random)
{
	static const int others[] = {ENOMEM, EIO, EPERM};

	if (is_libuvs(site) || is_sure(call))
		return 0;
	for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
		size_t n = 0;

		if (faults[i].number != call->number)
			continue;
		while (n < 3 && faults[i].errors[n])
			n++;
		return faults[i].errors[random % n];
	}
	return others[random % 3];
}

/* They tell what was before, whether it has changed or not; before, it was root. */
bool call_is_mute(int number)
{
	return number == SYS_setfsuid || number == SYS_setfsgid;
}

bool call_fails_on(int error, const char *site)
{
	return error != EINTR && !strstr(site, "(anon_inode:") && !strstr(site, "(pipe:");
}

/* Names are few, and each is kept. */
const char *call_name(int number)
{
	static char *names[512];

	if (number < 0 || number >= 512)
		return "?";
	if (!names[number])
		names[number] = seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, number);
	if (!names[number] && asprintf(&names[number], "%d", number) < 0)
		return "?";
	return names[number];
}
