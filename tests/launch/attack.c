/* SPDX-License-Identifier: Apache-2.0 */
/* The table of run A against run B, and run B itself. */
#include "attack.h"

#include "attack_ipc.h"
#include "check.h"

#define ALWAYS 1
#define NEVER  0

#define UID	 "a uid for each run"
#define UID_0700 "a uid for each run and mode 0700"

const struct row rows[] = {
	{"open", file_open, ALWAYS, EACCES, EACCES, 0, NULL},
	{"create", file_create, ALWAYS, EACCES, EACCES, 0, NULL},
	{"readdir", file_readdir, ALWAYS, EACCES, EACCES, 0, NULL},
	{"unlink", file_unlink, ALWAYS, EACCES, EACCES, 0, NULL},
	{"mkdir", file_mkdir, ALWAYS, EACCES, EACCES, 0, NULL},
	{"rename out", file_rename, ALWAYS, EACCES, EACCES, 0, NULL},
	{"hard link out", file_link, ALWAYS, EXDEV, EACCES, 0, NULL},
	{"symlink", file_symlink, ALWAYS, EACCES, EACCES, 0, NULL},
	{"truncate", file_truncate, 3, EACCES, EACCES, 0, UID_0700},
	{"stat", file_stat, NEVER, 0, EACCES, 0, UID_0700},
	{"access", file_access, NEVER, 0, EACCES, 0, UID_0700},
	{"chdir", file_chdir, NEVER, 0, EACCES, 0, UID_0700},
	{"statfs", file_statfs, NEVER, 0, 0, 0, "a mount namespace for each run"},
	{"O_PATH", file_opath, NEVER, 0, EACCES, 0, UID_0700},
	{"chmod", file_chmod, NEVER, 0, EACCES, 0, UID_0700},
	{"chown", file_chown, NEVER, 0, EACCES, 0, UID_0700},
	{"utime", file_utime, NEVER, 0, EACCES, 0, UID_0700},
	{"setxattr", file_xattr, NEVER, 0, EACCES, 0, UID_0700},
	{"inotify", file_inotify, NEVER, 0, EACCES, 0, UID_0700},
	{"/proc/B/mem", proc_mem, ALWAYS, EACCES, EACCES, 0, NULL},
	{"/proc/B/environ", proc_environ, ALWAYS, EACCES, EACCES, 0, NULL},
	{"/proc/B/maps", proc_maps, ALWAYS, EACCES, EACCES, 0, NULL},
	{"/proc/B/root", proc_root, ALWAYS, EACCES, EACCES, 0, NULL},
	{"/proc/B/cwd", proc_cwd, ALWAYS, EACCES, EACCES, 0, NULL},
	{"/proc/B/fd", proc_fd, ALWAYS, EACCES, EACCES, 0, NULL},
	{"/proc/B/cmdline", proc_cmdline, ALWAYS, EACCES, EACCES, 0, NULL},
	{"/proc/B/status", proc_status, ALWAYS, EACCES, EACCES, 0, NULL},
	{"/proc/B/stat", proc_stat, ALWAYS, EACCES, EACCES, 0, NULL},
	{"/proc/B/mountinfo", proc_mountinfo, ALWAYS, EACCES, EACCES, 0, NULL},
	{"ptrace", proc_ptrace, ALWAYS, EPERM, EPERM, EPERM, NULL},
	{"process_vm_readv", proc_vm_readv, ALWAYS, EPERM, EPERM, EPERM, NULL},
	{"pidfd_getfd", proc_pidfd_getfd, ALWAYS, EPERM, EPERM, EPERM, NULL},
	{"kcmp", proc_kcmp, ALWAYS, EPERM, EPERM, EPERM, NULL},
	{"kill", proc_kill, 6, EPERM, EPERM, 0, UID},
	{"tgkill", proc_tgkill, 6, EPERM, EPERM, 0, UID},
	{"pidfd_send_signal", proc_pidfd_signal, 6, EPERM, EPERM, 0, UID},
	{"setpriority", proc_setpriority, NEVER, 0, EPERM, EPERM, UID},
	{"sched_setaffinity", proc_affinity, NEVER, 0, EPERM, EPERM, UID},
	{"ioprio_set", proc_ioprio, NEVER, 0, EPERM, EPERM, UID},
	{"prlimit", proc_prlimit, NEVER, 0, EPERM, EPERM, UID},
	{"abstract socket", ipc_abstract, 6, EPERM, 0, 0, "a network namespace for each run"},
	{"pathname socket", ipc_pathname, 9, EACCES, EACCES, 0, UID_0700},
	{"System V shared memory", ipc_shm, NEVER, 0, EACCES, EPERM, UID},
	{"System V message queue", ipc_msg, NEVER, 0, EACCES, EPERM, UID},
	{"System V semaphore", ipc_sem, NEVER, 0, EACCES, EPERM, UID},
	{"/dev/shm file", ipc_dev_shm, ALWAYS, EACCES, EACCES, 0, NULL},
	{"loopback TCP", ipc_tcp, 4, EACCES, 0, 0, "a network namespace for each run"},
	{"loopback UDP", ipc_udp, 10, EACCES, 0, 0, "a network namespace for each run"},
	{"user keyring", ipc_keyring, NEVER, 0, ENOKEY, EPERM, UID},
	{"request_key", ipc_request_key, NEVER, 0, ENOKEY, EPERM, UID},
	{"unshare(NEWUSER)", kernel_userns, NEVER, 0, 0, EPERM, NULL},
	{"io_uring", kernel_io_uring, NEVER, 0, 0, ENOSYS, NULL},
	{"userfaultfd", kernel_userfaultfd, NEVER, 0, 0, EPERM, NULL},
};
const size_t n_rows = sizeof(rows) / sizeof(rows[0]);

static int listening(int family, int type, const void *sa, socklen_t len)
{
	int fd = socket(family, type | SOCK_CLOEXEC, 0);

	if (fd < 0 || bind(fd, sa, len) < 0)
		die("victim: bind, family %d", family);
	if (type == SOCK_STREAM && listen(fd, 64) < 0)
		die("victim: listen");
	return fd;
}

static void serve(const char *b, const char *abstract, int tcp, int udp)
{
	struct sockaddr_un sa = {.sun_family = AF_UNIX};
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_port = htons((uint16_t)tcp)};
	int one = 1;

	in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	memcpy(sa.sun_path + 1, abstract, strlen(abstract));
	listening(AF_UNIX, SOCK_STREAM, &sa,
		(socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(abstract)));
	snprintf(sa.sun_path, sizeof(sa.sun_path), "%s/socket", b);
	unlink(sa.sun_path);
	listening(AF_UNIX, SOCK_STREAM, &sa, sizeof(sa));
	setsockopt(listening(AF_INET, SOCK_STREAM, &in, sizeof(in)), SOL_SOCKET, SO_REUSEADDR, &one,
		sizeof(one));
	in.sin_port = htons((uint16_t)udp);
	listening(AF_INET, SOCK_DGRAM, &in, sizeof(in));
}

int victim_main(char **argv)
{
	const char *b = argv[0], *abstract = argv[1];
	int fd = open(SHM_FILE, O_RDWR | O_CREAT, 0600);
	long key = syscall(SYS_add_key, "user", KEY_NAME, "secret", 6, KEY_SPEC_USER_KEYRING);

	serve(b, abstract, atoi(argv[2]), atoi(argv[3]));
	if (key >= 0)
		syscall(SYS_keyctl, KEYCTL_SETPERM, key, 0x3f3f0000);
	int file = open(in_b(&(struct target){.b = b}, "open"), O_RDONLY);
	int shm = shmget(IPC_PRIVATE, 4096, 0600), msg = msgget(IPC_PRIVATE, 0600),
	    sem = semget(IPC_PRIVATE, 1, 0600);

	printf("%d %d %d %d %d\n", getpid(), shm, msg, sem, file);
	fflush(stdout);
	char end;

	while (read(0, &end, 1) > 0)
		;
	shmctl(shm, IPC_RMID, NULL);
	msgctl(msg, IPC_RMID, NULL);
	semctl(sem, 0, IPC_RMID);
	unlink(SHM_FILE);
	if (key >= 0)
		syscall(SYS_keyctl, KEYCTL_UNLINK, key, KEY_SPEC_USER_KEYRING);
	return fd < 0;
}
