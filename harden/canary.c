/* SPDX-License-Identifier: Apache-2.0 */
/* One small attempt for each thing the domain forbids. */
#include "harden/canary.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "landlock/landlock_abi.h"
#include "mountd/base/cleanup.h"

/* The helper shares our memory, so starting it copies nothing. */
static char helper_stack[4096] __attribute__((aligned(64)));

/* One that has ended can be signalled, or not, like any other until it is waited for. */
static int helper_main(void *unused)
{
	(void)unused;
	return 0;
}

void canaries_done(struct canaries *n)
{
	if (n->path >= 0)
		(void)unlink(n->path_name);
	cleanup_close(&n->abstract);
	cleanup_close(&n->path);
	if (n->helper)
		(void)waitpid(n->helper, NULL, __WALL);
	n->helper = 0;
}

/* The parent is outside already. In a container there is none, and it may be another user's. */
static int find_outsider(struct canaries *n, struct fail *f)
{
	pid_t parent = getppid();

	if (parent > 0 && kill(parent, 0) == 0) {
		n->outside = parent;
		return 0;
	}
	/* Without SIGCHLD: where that is ignored, nothing would be left of it. */
	n->helper = clone(helper_main, helper_stack + sizeof(helper_stack), CLONE_VM, NULL);
	if (n->helper < 0) {
		n->helper = 0;
		return fail_set(f, errno, "canary process: %s", strerror(errno));
	}
	n->outside = n->helper;
	return 0;
}

static int bound_socket(struct sockaddr_un *sa, socklen_t *len)
{
	_cleanup_close_ int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)sa, *len) < 0)
		return -errno;
	*len = sizeof(*sa);
	if (getsockname(fd, (struct sockaddr *)sa, len) < 0)
		return -errno;
	return TAKE_FD(fd);
}

static int lay_abstract(struct canaries *n, struct fail *f)
{
	struct sockaddr_un sa = {.sun_family = AF_UNIX};
	socklen_t len = sizeof(sa.sun_family); /* the kernel picks an abstract name */

	n->abstract = bound_socket(&sa, &len);
	if (n->abstract < 0)
		return fail_set(f, -n->abstract, "canary socket: %s", strerror(-n->abstract));
	n->abstract_len = len - offsetof(struct sockaddr_un, sun_path);
	memcpy(n->abstract_name, sa.sun_path, n->abstract_len);
	return 0;
}

/* TMPDIR is writable, and its grant does not include connecting. */
static void lay_path(const struct plan *plan, struct canaries *n)
{
	struct sockaddr_un sa = {.sun_family = AF_UNIX};
	int w = plan->tmpdir ? snprintf(sa.sun_path, sizeof(sa.sun_path), "%s/.kora-canary-%d",
				       plan->tmpdir, getpid())
			     : -1;
	socklen_t len = sizeof(sa);

	if (w < 0 || (size_t)w >= sizeof(sa.sun_path))
		return;
	(void)unlink(sa.sun_path); /* of a predecessor that was killed */
	n->path = bound_socket(&sa, &len);
	if (n->path >= 0)
		memcpy(n->path_name, sa.sun_path, sizeof(n->path_name));
}

static bool can_list(const char *dir)
{
	_cleanup_close_ int fd = openat(AT_FDCWD, dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd >= 0;
}

/* access(2) does not ask Landlock. */
static bool mode_allows(const char *dir)
{
	return access(dir, R_OK) == 0;
}

static bool granted(const struct plan *plan, const char *dir)
{
	for (size_t i = 0; i < plan->grants.n; i++)
		if (plan->grants.v[i].kind != GRANT_UNIX &&
			path_beneath(dir, plan->grants.v[i].path))
			return true;
	return false;
}

static bool unix_granted(const struct plan *plan)
{
	for (size_t i = 0; i < plan->grants.n && plan->tmpdir; i++)
		if (plan->grants.v[i].kind == GRANT_UNIX &&
			path_beneath(plan->tmpdir, plan->grants.v[i].path))
			return true;
	return false;
}

int canaries_lay(const struct policy *p, const struct plan *plan, const struct confine *c,
	struct canaries *ret, struct fail *f)
{
	struct canaries n = {.abstract = -1, .path = -1};
	int r = 0;

	if (p->verify && c->have.fs) {
		n.root = !granted(plan, "/") && mode_allows("/");
		n.siblings = plan->workspace && !granted(plan, p->workspaces) &&
			     mode_allows(p->workspaces);
	}
	if (p->verify && c->have.scoped & LL_SCOPE_SIGNAL)
		r = find_outsider(&n, f);
	if (r == 0 && p->verify && c->have.scoped & LL_SCOPE_ABSTRACT_UNIX)
		r = lay_abstract(&n, f);
	if (r == 0 && p->verify && c->have.fs & LL_FS_RESOLVE_UNIX && !unix_granted(plan))
		lay_path(plan, &n);
	if (r < 0)
		canaries_done(&n);
	else
		*ret = n;
	return r;
}

void canaries_fds(const struct canaries *n, int ret[2])
{
	ret[0] = n->abstract;
	ret[1] = n->path;
}

static void check_files(const struct policy *p, const struct canaries *n, struct report *r)
{
	if (n->root && can_list("/"))
		report_gap(r, "canary: / can still be listed, Landlock is not in force");
	if (n->siblings && can_list(p->workspaces))
		report_gap(r, "canary: %s can still be listed, other runs are open", p->workspaces);
}

/* A parent that has ended since is followed by another one, which is outside as well. */
static bool can_signal_outside(const struct canaries *n)
{
	pid_t outside;

	do {
		outside = n->helper ? n->helper : getppid();
		if (outside <= 0 || kill(outside, 0) == 0)
			return true;
	} while (errno == ESRCH && !n->helper && getppid() != outside);
	return errno != EPERM;
}

static void check_signal(const struct canaries *n, struct report *r)
{
	if (n->outside && can_signal_outside(n))
		report_gap(r, "canary: a process outside can still be signalled");
}

static bool can_reach(const char *name, size_t len)
{
	_cleanup_close_ int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct sockaddr_un sa = {.sun_family = AF_UNIX};

	memcpy(sa.sun_path, name, len);
	return fd < 0 ||
	       connect(fd, (struct sockaddr *)&sa,
		       (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len)) == 0 ||
	       (errno != EPERM && errno != EACCES);
}

static void check_sockets(const struct canaries *n, struct report *r)
{
	if (n->abstract >= 0 && can_reach(n->abstract_name, n->abstract_len))
		report_gap(r, "canary: an abstract socket outside can still be reached");
	if (n->path >= 0 && can_reach(n->path_name, sizeof(n->path_name)))
		report_gap(r, "canary: a pathname socket outside can still be reached");
}

static int inet_socket(int type, struct sockaddr_storage *to, socklen_t *len)
{
	const struct sockaddr_in sa = {
		.sin_family = AF_INET,
		.sin_port = htons(PORT_NEVER),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	const struct sockaddr_in6 sa6 = {
		.sin6_family = AF_INET6,
		.sin6_port = htons(PORT_NEVER),
		.sin6_addr = IN6ADDR_LOOPBACK_INIT,
	};
	int fd = socket(AF_INET, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	*len = sizeof(sa);
	memcpy(to, &sa, sizeof(sa));
	if (fd >= 0)
		return fd;
	*len = sizeof(sa6);
	memcpy(to, &sa6, sizeof(sa6));
	return socket(AF_INET6, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

/* Landlock decides on the port before anything is looked up or sent: no packet leaves. */
static void check_protocol(const struct confine *c, int type, uint64_t bind_right,
	uint64_t connect_right, const char *what, struct report *r)
{
	struct sockaddr_storage to;
	socklen_t len;

	if (!(c->have.net & (bind_right | connect_right)))
		return;
	_cleanup_close_ int fd = inet_socket(type, &to, &len);

	if (fd < 0 && errno == EAFNOSUPPORT) /* no such protocol, so no such way out */
		return;
	if (c->have.net & bind_right &&
		(bind(fd, (struct sockaddr *)&to, len) == 0 || errno != EACCES))
		report_gap(r, "canary: %s bind to port %d is not refused", what, PORT_NEVER);
	if (c->have.net & connect_right &&
		(connect(fd, (struct sockaddr *)&to, len) == 0 || errno != EACCES))
		report_gap(r, "canary: %s connect to port %d is not refused", what, PORT_NEVER);
}

static void check_ports(const struct confine *c, struct report *r)
{
	check_protocol(c, SOCK_STREAM, LL_NET_BIND_TCP, LL_NET_CONNECT_TCP, "TCP", r);
	check_protocol(c, SOCK_DGRAM, LL_NET_BIND_UDP, LL_NET_CONNECT_SEND_UDP, "UDP", r);
}

/* What must still work, so that the program does not fail later without a word. */
static void check_places(const struct plan *plan, struct report *r)
{
	const char *const dirs[] = {plan->tmpdir, plan->home};
	const char *const names[] = {"TMPDIR", "HOME"};
	char here[PATH_MAX];

	if (!can_list(".")) {
		const char *why = strerror(errno);

		report_gap(r, "working directory %s: %s (not granted: see --chdir, --read, --exec)",
			getcwd(here, sizeof(here)) ? here : ".", why);
	}
	for (size_t i = 0; i < 2; i++) {
		if (!dirs[i])
			continue;
		if (access(dirs[i], W_OK | X_OK) < 0 || !can_list(dirs[i]))
			report_gap(r, "%s %s: %s", names[i], dirs[i], strerror(errno));
	}
}

void canaries_check(const struct policy *p, const struct plan *plan, const struct confine *c,
	struct canaries *n, struct report *r)
{
	size_t gaps = r->gaps;

	if (!p->verify)
		return;
	check_files(p, n, r);
	check_signal(n, r);
	check_sockets(n, r);
	check_ports(c, r);
	check_places(plan, r);
	canaries_done(n);
	if (gaps == r->gaps && c->have.fs)
		report_have(r, "canaries: files%s%s%s%s refused, as they must be",
			n->outside ? ", signals" : "", c->have.scoped ? ", abstract sockets" : "",
			n->path_name[0] ? ", pathname sockets" : "", c->have.net ? ", ports" : "");
}
