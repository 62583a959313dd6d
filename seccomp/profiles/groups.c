/* SPDX-License-Identifier: Apache-2.0 */
/* The allow-list: every call in exactly one group, with the reason for the group's fate. */
#include "seccomp/profiles/profiles.h"

#define BOTH(fate) FATE_##fate, FATE_##fate

const struct seccomp_group seccomp_groups[] = {
	/* Allowed. */
	{"files", BOTH(ALLOW), "everyday work on files and directories; Landlock says which",
		"open openat openat2 creat close close_range read write readv writev pread64 "
		"pwrite64"
		" preadv pwritev preadv2 pwritev2 lseek sendfile copy_file_range splice tee "
		"readahead"
		" fadvise64 fallocate truncate ftruncate sync syncfs fsync fdatasync "
		"sync_file_range"
		" flock fcntl dup dup2 dup3 pipe pipe2 getdents getdents64 mkdir mkdirat mknod "
		"mknodat"
		" rmdir link linkat symlink symlinkat unlink unlinkat rename renameat renameat2"
		" readlink readlinkat chdir fchdir getcwd umask inotify_init inotify_init1"
		" inotify_add_watch inotify_rm_watch memfd_create"},
	{"attributes", BOTH(ALLOW), "modes, owners, times and extended attributes of files",
		"stat fstat lstat newfstatat statx statfs fstatfs access faccessat faccessat2 chmod"
		" fchmod fchmodat fchmodat2 chown fchown lchown fchownat utime utimes futimesat"
		" utimensat setxattr lsetxattr fsetxattr getxattr lgetxattr fgetxattr listxattr"
		" llistxattr flistxattr removexattr lremovexattr fremovexattr setxattrat getxattrat"
		" listxattrat removexattrat file_getattr file_setattr"},
	{"memory", BOTH(ALLOW), "the process's own address space",
		"brk mmap munmap mremap mprotect madvise mincore cachestat msync mlock mlock2 "
		"munlock"
		" mlockall munlockall pkey_mprotect pkey_alloc pkey_free mseal map_shadow_stack"},
	{"processes", BOTH(ALLOW), "starting, waiting for and ending processes and threads",
		"fork vfork execve execveat exit exit_group wait4 waitid pidfd_open getpid getppid"
		" gettid getpgid getpgrp getsid setpgid setsid set_tid_address set_robust_list"
		" get_robust_list prctl arch_prctl getrlimit setrlimit getrusage times"
		" restart_syscall rseq rseq_slice_yield membarrier"},
	{"clone", BOTH(ALLOW), "threads and processes; rules refuse new namespaces", "clone"},
	{"signals", BOTH(ALLOW), "signals; scopes and the uid say to whom",
		"kill tkill tgkill pidfd_send_signal pause alarm rt_sigaction rt_sigpending"
		" rt_sigprocmask rt_sigqueueinfo rt_tgsigqueueinfo rt_sigreturn rt_sigsuspend"
		" rt_sigtimedwait sigaltstack signalfd signalfd4"},
	{"synchronisation", BOTH(ALLOW), "futexes, without which no thread works",
		"futex futex_waitv futex_wake futex_wait futex_requeue"},
	{"events", BOTH(ALLOW), "waiting for descriptors and timers",
		"poll ppoll select pselect6 epoll_create epoll_create1 epoll_ctl epoll_wait"
		" epoll_pwait epoll_pwait2 eventfd eventfd2 timerfd_create timerfd_settime"
		" timerfd_gettime timer_create timer_settime timer_gettime timer_getoverrun"
		" timer_delete getitimer setitimer"},
	{"clocks", BOTH(ALLOW), "reading clocks and sleeping",
		"time gettimeofday clock_gettime clock_getres nanosleep clock_nanosleep"},
	{"sockets", BOTH(ALLOW), "sockets that exist; socket and socketpair say which can",
		"connect accept accept4 bind listen shutdown getsockname getpeername setsockopt"
		" getsockopt sendto sendmsg sendmmsg recvfrom recvmsg recvmmsg"},
	{"identity", BOTH(ALLOW), "ids and capabilities: nothing is gained without a capability",
		"getuid geteuid getgid getegid getresuid getresgid getgroups setuid setgid setreuid"
		" setregid setresuid setresgid setgroups setfsuid setfsgid capget capset"},
	{"scheduling", BOTH(ALLOW), "reading the scheduler's and one's own state",
		"sched_yield sched_getparam sched_getscheduler sched_getattr sched_getaffinity"
		" sched_get_priority_max sched_get_priority_min sched_rr_get_interval getpriority"
		" ioprio_get getcpu"},
	{"system", BOTH(ALLOW), "names, totals and randomness", "uname sysinfo getrandom"},
	{"sandboxing", BOTH(ALLOW), "a process may restrict itself further",
		"seccomp landlock_create_ruleset landlock_add_rule landlock_restrict_self"},
	{"probes", BOTH(ALLOW), "the kernel's own trampolines: refused, a traced process dies",
		"uretprobe uprobe"},
	{"devices", BOTH(ALLOW), "device control; rules refuse input injection", "ioctl"},

	/* Allowed for some arguments. */
	{"socket-families", BOTH(ARGS),
		"local, TCP, UDP, ping and route sockets only: AF_ALG (CVE-2026-31431), AF_VSOCK"
		" (CVE-2021-26708), TIPC (CVE-2021-43267); MPTCP, SMC and SCTP would pass by"
		" Landlock's port rules",
		"socket socketpair"},
	{"personality", BOTH(ARGS),
		"harmless execution domains; 0x40000 lets debuggers turn ASLR off for a child",
		"personality"},
	{"own-limits", BOTH(ARGS),
		"for the caller itself: a run of the same uid could starve or pin another",
		"prlimit64 setpriority ioprio_set sched_setscheduler sched_setparam sched_setattr"},
	{"affinity", FATE_ARGS, FATE_ALLOW,
		"for the caller itself; in dev for any thread, as OpenMP and benchmarks pin theirs",
		"sched_setaffinity"},

	/* Refused. */
	{"tracing", FATE_EPERM, FATE_ALLOW,
		"a foothold in kernel and processes (CVE-2014-4699); gdb and strace need it in dev",
		"ptrace"},
	{"other-processes", BOTH(EPERM), "reaching into other processes past ptrace's rules",
		"process_vm_readv process_vm_writev process_madvise process_mrelease pidfd_getfd "
		"kcmp"},
	{"namespaces", BOTH(EPERM),
		"a new user namespace opens root's kernel surface (CVE-2022-0185)",
		"unshare setns"},
	{"clone3", BOTH(ENOSYS),
		"its flags are behind a pointer; libc falls back to clone on ENOSYS", "clone3"},
	{"io_uring", BOTH(ENOSYS),
		"works past the filter, long list of exploits; runtimes fall back",
		"io_uring_setup io_uring_enter io_uring_register"},
	{"mounts", BOTH(EPERM), "the mount tree is part of the sandbox (CVE-2022-0185)",
		"mount umount2 pivot_root chroot fchroot open_tree open_tree_attr move_mount "
		"fsopen "
		"fsconfig"
		" fsmount fspick mount_setattr"},
	{"mount-information", BOTH(EPERM), "lists what other namespaces hold",
		"statmount listmount listns"},
	{"handles", BOTH(EPERM), "file handles name files outside every path rule",
		"name_to_handle_at open_by_handle_at"},
	{"keyrings", BOTH(EPERM), "shared by uid between runs; CVE-2016-0728",
		"keyctl add_key request_key"},
	{"programs-in-kernel", BOTH(EPERM), "CVE-2016-2383, CVE-2022-1729", "bpf perf_event_open"},
	{"faults", BOTH(EPERM), "stops the kernel in mid-copy: the usual help of an exploit",
		"userfaultfd"},
	{"system-v-ipc", BOTH(EPERM), "one name space for all runs of a uid, seen by no path rule",
		"shmget shmat shmctl shmdt semget semop semctl semtimedop msgget msgsnd msgrcv "
		"msgctl"},
	{"posix-queues", BOTH(EPERM), "one name space for all runs of a uid, seen by no path rule",
		"mq_open mq_unlink mq_timedsend mq_timedreceive mq_notify mq_getsetattr"},
	{"watching-everything", BOTH(EPERM), "sees other runs' file work",
		"fanotify_init fanotify_mark"},
	{"rare-memory", BOTH(EPERM), "hardly used, often wrong: CVE-2015-5157 and page tricks",
		"modify_ldt memfd_secret vmsplice remap_file_pages"},
	{"kernel-aio", BOTH(EPERM),
		"io_uring's predecessor, the same surface; libraries use threads",
		"io_setup io_destroy io_submit io_cancel io_getevents io_pgetevents"},
	{"placement", BOTH(EPERM), "moves pages of the node's memory; needs CAP_SYS_NICE elsewhere",
		"mbind set_mempolicy get_mempolicy set_mempolicy_home_node migrate_pages "
		"move_pages"},
	{"clock-setting", BOTH(EPERM), "the node's clock, and what its tuning gives away",
		"settimeofday clock_settime adjtimex clock_adjtime"},
	{"security-modules", BOTH(EPERM), "no program needs them",
		"lsm_get_self_attr"
		" lsm_set_self_attr lsm_list_modules"},
	{"quotas", BOTH(EPERM), "filesystem administration", "quotactl quotactl_fd"},
	{"kernel-code", BOTH(EPERM), "replaces the kernel or adds to it",
		"init_module finit_module delete_module kexec_load kexec_file_load"},
	{"ports", BOTH(EPERM), "hardware by port", "iopl ioperm"},
	{"administration", BOTH(EPERM), "the node's, not a run's",
		"acct reboot sethostname setdomainname swapon swapoff syslog vhangup"},
	{"obsolete", BOTH(EPERM), "replaced long ago", "ustat sysfs uselib"},
	{"retired", BOTH(ENOSYS), "no kernel has them: the answer is the kernel's own",
		"_sysctl afs_syscall create_module epoll_ctl_old epoll_wait_old get_kernel_syms"
		" getpmsg get_thread_area lookup_dcookie nfsservctl putpmsg query_module security"
		" set_thread_area tuxcall vserver"},
};
const size_t seccomp_group_count = sizeof(seccomp_groups) / sizeof(seccomp_groups[0]);
