/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The launcher on kernels that lack things, or lie: Landlock missing or disabled, every ABI from 1
 * to an unknown one, close_range and openat2 missing.
 *
 *   driver --fork--> filter with a listener --exec--> kora-launch
 *      '---- answers landlock_create_ruleset and landlock_add_rule as the faked kernel would
 *
 * usage (as root): masked KORA-LAUNCH WORKDIR
 */
#include <fcntl.h>
#include <limits.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "check.h"
#include "landlock/ladder.h"
#include "landlock/landlock_abi.h"

#define ASK -1 /* the driver answers, as a kernel with this case's ABI */

struct mask {
	long nr;
	int err; /* errno, or ASK */
};

struct mask_case {
	const char *name;
	struct mask masks[4];
	int abi; /* with ASK */
	const char *option[3];
	int exit;
	const char *says[3]; /* in stderr, all of them */
};

#define LANDLOCK_ALL(err) \
	{SYS_landlock_create_ruleset, err}, {SYS_landlock_add_rule, err}, \
	{ \
		SYS_landlock_restrict_self, err \
	}
#define LANDLOCK_ASKED \
	{SYS_landlock_create_ruleset, ASK}, \
	{ \
		SYS_landlock_add_rule, ASK \
	}

static const char *launcher, *work;
static int real_abi;

static int install(const struct mask *masks)
{
	struct sock_filter code[32];
	unsigned short n = 0;
	unsigned int flags = 0;

	code[n++] = (struct sock_filter)BPF_STMT(
		BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
	for (size_t i = 0; i < 4 && masks[i].err; i++) {
		unsigned int verdict = masks[i].err == ASK
					       ? SECCOMP_RET_USER_NOTIF
					       : SECCOMP_RET_ERRNO | (unsigned int)masks[i].err;

		if (masks[i].err == ASK)
			flags = SECCOMP_FILTER_FLAG_NEW_LISTENER;
		code[n++] = (struct sock_filter)BPF_JUMP(
			BPF_JMP | BPF_JEQ | BPF_K, (unsigned int)masks[i].nr, 0, 1);
		code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, verdict);
	}
	code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	struct sock_fprog prog = {.len = n, .filter = code};

	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &prog);
}

static void send_fd(int sock, int fd)
{
	char byte = 0, space[CMSG_SPACE(sizeof(int))] = {0};
	struct iovec iov = {&byte, 1};
	struct msghdr m = {.msg_iov = &iov, .msg_iovlen = 1};

	if (fd > 0) { /* 0: a filter without listener */
		m.msg_control = space;
		m.msg_controllen = sizeof(space);
		struct cmsghdr *c = CMSG_FIRSTHDR(&m);

		*c = (struct cmsghdr){CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS};
		memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	}
	if (sendmsg(sock, &m, 0) < 0)
		_exit(97);
}

static int receive_fd(int sock)
{
	char byte, space[CMSG_SPACE(sizeof(int))] = {0};
	struct iovec iov = {&byte, 1};
	struct msghdr m = {.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = space,
		.msg_controllen = sizeof(space)};
	int fd = -1;

	if (recvmsg(sock, &m, MSG_CMSG_CLOEXEC) < 1)
		die("no word from the child");
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);

	if (c)
		memcpy(&fd, CMSG_DATA(c), sizeof(fd));
	return fd;
}

/* What the faked kernel says to a ruleset; what the real one does not know is taken out of it. */
static int64_t judge_ruleset(int mem, const struct seccomp_notif *n, int abi, bool *go_on)
{
	struct ll_ruleset_attr attr = {0};
	const struct ll_set known = ll_known(abi), real = ll_known(real_abi);
	size_t size = n->data.args[1] < sizeof(attr) ? n->data.args[1] : sizeof(attr);

	if (n->data.args[2] & LL_CREATE_VERSION)
		return abi;
	if (pread(mem, &attr, size, (off_t)n->data.args[0]) != (ssize_t)size)
		return -EFAULT;
	if (attr.handled_access_fs & ~known.fs || attr.handled_access_net & ~known.net ||
		attr.scoped & ~known.scoped)
		return -EINVAL;
	attr.handled_access_fs &= real.fs;
	attr.handled_access_net &= real.net;
	attr.scoped &= real.scoped;
	if (pwrite(mem, &attr, size, (off_t)n->data.args[0]) != (ssize_t)size)
		return -EFAULT;
	*go_on = true;
	return 0;
}

static int64_t judge_rule(int mem, const struct seccomp_notif *n, int abi, bool *go_on)
{
	const bool path = n->data.args[1] == LL_RULE_PATH_BENEATH;
	const struct ll_set known = ll_known(abi), real = ll_known(real_abi);
	uint64_t allowed;

	if (pread(mem, &allowed, sizeof(allowed), (off_t)n->data.args[2]) != sizeof(allowed))
		return -EFAULT;
	if (allowed & ~(path ? known.fs : known.net))
		return -EINVAL;
	allowed &= path ? real.fs : real.net;
	if (!allowed) /* nothing is left for the real kernel */
		return 0;
	if (pwrite(mem, &allowed, sizeof(allowed), (off_t)n->data.args[2]) != sizeof(allowed))
		return -EFAULT;
	*go_on = true;
	return 0;
}

static void answer(int listener, int abi)
{
	struct seccomp_notif n = {0};
	struct seccomp_notif_resp resp = {0};
	char path[64];
	bool go_on = false;

	if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &n) < 0)
		return;
	snprintf(path, sizeof(path), "/proc/%u/mem", n.pid);
	int mem = open(path, O_RDWR | O_CLOEXEC);
	int64_t r = n.data.nr == SYS_landlock_add_rule ? judge_rule(mem, &n, abi, &go_on)
						       : judge_ruleset(mem, &n, abi, &go_on);

	close(mem);
	resp.id = n.id;
	if (go_on)
		resp.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
	else if (r < 0)
		resp.error = (int)r;
	else
		resp.val = r;
	(void)ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &resp);
}

static _Noreturn void child(const struct mask_case *c, int sock, int err)
{
	char *argv[24] = {(char *)(uintptr_t)launcher, "--profile", "sandbox", "--run", "a",
		"--workspaces", (char *)(uintptr_t)work, "--uid", "10001", "--read-only-root=no"};
	size_t n = 10;

	for (size_t i = 0; i < 3 && c->option[i]; i++)
		argv[n++] = (char *)(uintptr_t)c->option[i];
	argv[n++] = "--";
	argv[n++] = "/bin/true";
	dup2(err, 2);
	int fd = install(c->masks);

	if (fd < 0)
		_exit(96);
	send_fd(sock, fd);
	execv(launcher, argv);
	_exit(98);
}

static size_t run(const struct mask_case *c, char *text, size_t len, int *ret_exit)
{
	int sock[2], err[2], status;
	size_t n = 0;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sock) < 0 ||
		pipe2(err, O_CLOEXEC) < 0)
		die("socketpair");
	pid_t pid = fork();

	if (pid == 0)
		child(c, sock[1], err[1]);
	close(sock[1]);
	close(err[1]);
	int listener = receive_fd(sock[0]);
	struct pollfd fds[2] = {
		{.fd = err[0], .events = POLLIN}, {.fd = listener, .events = POLLIN}};

	while (poll(fds, 2, 30000) > 0) {
		if (fds[1].revents & POLLIN)
			answer(listener, c->abi);
		else if (fds[1].revents)
			fds[1].fd = -1;
		if (!fds[0].revents)
			continue;
		ssize_t got = read(err[0], text + n, len - n - 1);

		if (got <= 0)
			break;
		n += (size_t)got;
	}
	text[n] = '\0';
	close(err[0]);
	close(sock[0]);
	close(listener);
	waitpid(pid, &status, 0);
	*ret_exit = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	return n;
}

static void judge(const struct mask_case *c)
{
	char text[8192];
	int code;

	run(c, text, sizeof(text), &code);
	bool ok = check(code == c->exit, "%s: exit %d%s", c->name, code,
		code == c->exit ? "" : ", which is wrong");

	for (size_t i = 0; i < 3 && c->says[i]; i++)
		ok = check(strstr(text, c->says[i]), "%s: says '%s'", c->name, c->says[i]) && ok;
	if (!ok)
		printf("      it said: %s\n", text);
}

static const struct mask_case cases[] = {
	{"Landlock not built", {LANDLOCK_ALL(ENOSYS)}, 0, {NULL}, 125,
		{"landlock: not available (ENOSYS)", "not started: 1 of what was asked for"}},
	{"Landlock not built, best effort", {LANDLOCK_ALL(ENOSYS)}, 0, {"--best-effort"}, 0,
		{"best effort: not in force: landlock: not available (ENOSYS)",
			"best effort: in force: identity: uid 10001",
			"best effort: in force: seccomp: strict"}},
	{"Landlock disabled at boot", {LANDLOCK_ALL(EOPNOTSUPP)}, 0, {NULL}, 125,
		{"disabled at boot (EOPNOTSUPP): add landlock to lsm="}},
	{"Landlock disabled at boot, best effort", {LANDLOCK_ALL(EOPNOTSUPP)}, 0, {"--best-effort"},
		0, {"best effort: not in force: landlock: built into"}},
	{"Landlock forbidden by a runtime's filter", {LANDLOCK_ALL(EPERM)}, 0, {NULL}, 125,
		{"the container runtime's seccomp profile forbids it"}},
	{"ABI 1", {LANDLOCK_ASKED}, 1, {NULL}, 125,
		{"has ABI 1, without rename and link between directories (ABI 2), truncate (ABI 3)",
			"signal scope (ABI 6)", "(EXDEV)"}},
	{"ABI 1, accepted", {LANDLOCK_ASKED}, 1, {"--landlock-min", "1"}, 0, {NULL}},
	{"ABI 1, best effort", {LANDLOCK_ASKED}, 1, {"--best-effort"}, 0,
		{"best effort: in force: landlock: ABI 1, fs 0x1fff net 0 scopes 0"}},
	{"ABI 2", {LANDLOCK_ASKED}, 2, {NULL}, 125,
		{"has ABI 2, without truncate (ABI 3), TCP bind (ABI 4)",
			"--landlock-min 2 accepts it"}},
	{"ABI 2, accepted", {LANDLOCK_ASKED}, 2, {"--landlock-min", "2"}, 0, {NULL}},
	{"ABI 3", {LANDLOCK_ASKED}, 3, {NULL}, 125,
		{"has ABI 3, without TCP bind (ABI 4), TCP connect (ABI 4), device ioctl (ABI 5)"}},
	{"ABI 3, accepted", {LANDLOCK_ASKED}, 3, {"--landlock-min", "3"}, 0, {NULL}},
	{"ABI 4", {LANDLOCK_ASKED}, 4, {NULL}, 125,
		{"has ABI 4, without device ioctl (ABI 5), abstract socket scope (ABI 6)"}},
	{"ABI 4, accepted", {LANDLOCK_ASKED}, 4, {"--landlock-min", "4"}, 0, {NULL}},
	{"ABI 5", {LANDLOCK_ASKED}, 5, {NULL}, 125,
		{"has ABI 5, without abstract socket scope (ABI 6), signal scope (ABI 6);"}},
	{"ABI 5, best effort", {LANDLOCK_ASKED}, 5, {"--best-effort"}, 0,
		{"best effort: not in force: landlock: this kernel has ABI 5",
			"best effort: in force: landlock: ABI 5, fs 0xffff net 0x3 scopes 0"}},
	{"ABI 6", {LANDLOCK_ASKED}, 6, {NULL}, 0, {NULL}},
	{"ABI 6, audit asked for", {LANDLOCK_ASKED}, 6, {"--landlock-audit"}, 125,
		{"has ABI 6, without audit of the program (ABI 7)"}},
	{"ABI 6, ABI 10 insisted on", {LANDLOCK_ASKED}, 6, {"--landlock-min", "10"}, 125,
		{"without pathname sockets (ABI 9), UDP bind (ABI 10), UDP connect and send"}},
	{"ABI 7", {LANDLOCK_ASKED}, 7, {NULL}, 0, {NULL}},
	{"ABI 8", {LANDLOCK_ASKED}, 8, {NULL}, 0, {NULL}},
	{"close_range missing", {{SYS_close_range, ENOSYS}}, 0, {"--landlock-min", "1"}, 0, {NULL}},
	{"close_range forbidden", {{SYS_close_range, EPERM}}, 0, {"--landlock-min", "1"}, 0,
		{NULL}},
	{"openat2 missing", {{SYS_openat2, ENOSYS}}, 0, {"--landlock-min", "1"}, 0, {NULL}},
	{"openat2 forbidden", {{SYS_openat2, EPERM}}, 0, {"--landlock-min", "1"}, 0, {NULL}},
	{"seccomp missing", {{SYS_seccomp, ENOSYS}}, 0, {NULL}, 125, {"seccomp: "}},
};

/* On a kernel that can't do it: whoever claims it is found out by the canaries. */
static const struct mask_case lies[] = {
	{"ABI 9", {LANDLOCK_ASKED}, 9, {NULL}, 125,
		{"canary: a pathname socket outside can still be reached"}},
	{"ABI 10", {LANDLOCK_ASKED}, 10, {NULL}, 125,
		{"canary: UDP bind to port 20490 is not refused",
			"canary: UDP connect to port 20490 is not refused"}},
	{"ABI 10, best effort", {LANDLOCK_ASKED}, 10, {"--best-effort"}, 0,
		{"best effort: not in force: canary: UDP bind"}},
	{"ABI 99", {LANDLOCK_ASKED}, 99, {NULL}, 125, {"canary: UDP bind"}},
	{"ABI 99, best effort", {LANDLOCK_ASKED}, 99, {"--best-effort"}, 0,
		{"best effort: in force: landlock: ABI 10, fs"}},
};
static const struct mask_case truths[] = {
	{"ABI 9", {LANDLOCK_ASKED}, 9, {NULL}, 0, {NULL}},
	{"ABI 10", {LANDLOCK_ASKED}, 10, {"--landlock-min", "10"}, 0, {NULL}},
	{"ABI 99", {LANDLOCK_ASKED}, 99, {"--landlock-min", "10"}, 0, {NULL}},
};

static void make_workspace(void)
{
	char a[PATH_MAX];

	snprintf(a, sizeof(a), "%s/a", work);
	if ((mkdir(work, 0755) < 0 && errno != EEXIST) || (mkdir(a, 0700) < 0 && errno != EEXIST) ||
		chown(a, 10001, 10001) < 0)
		die("%s", a);
}

int main(int argc, char **argv)
{
	if (argc != 3 || geteuid() != 0) {
		fprintf(stderr, "usage (as root): masked KORA-LAUNCH WORKDIR\n");
		return 2;
	}
	launcher = argv[1];
	work = argv[2];
	real_abi = ll_create_ruleset(NULL, 0, LL_CREATE_VERSION);
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("Landlock ABI %d\n", real_abi);
	make_workspace();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (cases[i].abi > real_abi)
			skip("%s: this kernel has %d", cases[i].name, real_abi);
		else
			judge(&cases[i]);
	}
	for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]) && real_abi == 7; i++)
		judge(&lies[i]);
	for (size_t i = 0; i < sizeof(truths) / sizeof(truths[0]) && real_abi >= 10; i++)
		judge(&truths[i]);
	return check_end();
}
