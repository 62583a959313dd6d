/* SPDX-License-Identifier: Apache-2.0 */
/* Reads /proc/PID for what any process shows, and tries what only the process itself can. */
#include "harden/posture.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harden/mountinfo.h"
#include "harden/policy.h"
#include "harden/status.h"
#include "landlock/ruleset.h"
#include "mountd/base/cleanup.h"

/* The initial namespaces' inodes are fixed in the kernel; the network's only lately, before
 * that it was the first that is given out. */
#define INIT_IPC_INO	 4026531839U
#define INIT_PID_INO	 4026531836U
#define INIT_NET_INO	 4026531833U
#define INIT_NET_INO_OLD 4026531840U

#define CAP_NET_BIND_SERVICE_MASK (1ULL << 10) /* the one that restricted lets a pod add */

static void add(struct posture *p, const char *standard, const char *name, enum verdict verdict,
	const char *fmt, ...) __attribute__((format(printf, 5, 6)));

static void add(struct posture *p, const char *standard, const char *name, enum verdict verdict,
	const char *fmt, ...)
{
	struct control *c = &p->controls[p->n];
	va_list ap;

	if (p->n == sizeof(p->controls) / sizeof(p->controls[0]))
		return;
	p->n++;
	c->standard = standard;
	c->name = name;
	c->verdict = verdict;
	va_start(ap, fmt);
	(void)vsnprintf(c->evidence, sizeof(c->evidence), fmt, ap);
	va_end(ap);
}

static enum verdict pass_if(bool ok)
{
	return ok ? VERDICT_PASS : VERDICT_FAIL;
}

/* What is settled before the launcher starts, and no program can change for itself. */
static enum verdict pod_if_not(bool ok)
{
	return ok ? VERDICT_PASS : VERDICT_POD;
}

static int open_proc(const struct posture *p, const char *file)
{
	char path[64];

	(void)snprintf(path, sizeof(path), "/proc/%d/%s", p->pid, file);
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static void add_ids(struct posture *p, const struct proc_status *st)
{
	bool root_uid = false, root_gid = false;

	for (size_t i = 0; i < 4; i++) {
		root_uid = root_uid || st->uid[i] == 0;
		root_gid = root_gid || st->gid[i] == 0;
	}
	for (size_t i = 0; i < st->n_groups && i < 64; i++)
		root_gid = root_gid || st->groups[i] == 0;
	add(p, "restricted", "runAsNonRoot", pass_if(!root_uid), "Uid: %u %u %u %u", st->uid[0],
		st->uid[1], st->uid[2], st->uid[3]);
	add(p, "kora", "group", pass_if(!root_gid), "Gid: %u %u %u %u, %zu supplementary",
		st->gid[0], st->gid[1], st->gid[2], st->gid[3], st->n_groups);
}

static void add_caps(struct posture *p, const struct proc_status *st)
{
	const uint64_t all =
		st->inheritable | st->permitted | st->effective | st->bounding | st->ambient;

	add(p, "restricted", "privileged", pass_if(!(all & ~CAP_NET_BIND_SERVICE_MASK)),
		"CapEff: %llx", (unsigned long long)st->effective);
	add(p, "restricted", "capabilities", pass_if(!(all & ~CAP_NET_BIND_SERVICE_MASK)),
		"CapInh: %llx CapPrm: %llx CapEff: %llx CapBnd: %llx CapAmb: %llx",
		(unsigned long long)st->inheritable, (unsigned long long)st->permitted,
		(unsigned long long)st->effective, (unsigned long long)st->bounding,
		(unsigned long long)st->ambient);
	add(p, "restricted", "allowPrivilegeEscalation", pass_if(st->no_new_privs == 1),
		"NoNewPrivs: %d", st->no_new_privs);
	if (st->seccomp_filters < 0)
		add(p, "restricted", "seccompProfile", pass_if(st->seccomp == 2), "Seccomp: %d",
			st->seccomp);
	else
		add(p, "restricted", "seccompProfile", pass_if(st->seccomp == 2),
			"Seccomp: %d, %d filters", st->seccomp, st->seccomp_filters);
}

static void add_securebits(struct posture *p, const struct proc_status *st)
{
	int bits = p->self ? prctl(PR_GET_SECUREBITS, 0, 0, 0, 0) : -1;

	if (bits > 0)
		add(p, "kora", "securebits", VERDICT_PASS, "%#x", bits);
	else if (!st->bounding && st->no_new_privs)
		add(p, "kora", "securebits", VERDICT_PASS,
			"of no effect: no exec can give a capability");
	else
		add(p, "kora", "securebits", p->self ? VERDICT_FAIL : VERDICT_UNKNOWN, "%s",
			p->self ? "0x0" : "another process's are not shown");
}

static void add_namespace(struct posture *p, const char *name, const char *ns, unsigned int initial,
	unsigned int or_initial)
{
	char path[64];
	struct stat st;

	(void)snprintf(path, sizeof(path), "/proc/%d/ns/%s", p->pid, ns);
	if (stat(path, &st) < 0) {
		add(p, "restricted", name, VERDICT_UNKNOWN, "%s: %s", path, strerror(errno));
		return;
	}
	bool host = st.st_ino == initial || st.st_ino == or_initial;

	add(p, "restricted", name, pod_if_not(!host), "%s:[%llu]%s", ns,
		(unsigned long long)st.st_ino, host ? ", the host's" : "");
}

static void add_proc_mount(struct posture *p, char *mountinfo)
{
	unsigned int masks = 0;
	struct mount_line m;
	char example[64] = "";

	for (char *rest = mountinfo; rest;) {
		char *line = strsep(&rest, "\n");

		if (mountinfo_parse(line, &m) < 0 || strncmp(m.point, "/proc/", 6) != 0)
			continue;
		masks++;
		(void)snprintf(example, sizeof(example), "%s", m.point);
	}
	if (masks)
		add(p, "restricted", "procMount", VERDICT_PASS, "%u masks, for example %s", masks,
			example);
	else
		add(p, "restricted", "procMount", VERDICT_POD, "nothing in /proc is masked");
}

static void add_root(struct posture *p, char *mountinfo)
{
	struct mount_line m;

	if (mountinfo_find(mountinfo, "/", &m) < 0) {
		add(p, "kora", "readOnlyRootFilesystem", VERDICT_UNKNOWN, "/ is not in mountinfo");
		return;
	}
	add(p, "kora", "readOnlyRootFilesystem",
		pass_if(strncmp(m.options, "ro", 2) == 0 && (!m.options[2] || m.options[2] == ',')),
		"/: %.120s", m.options);
}

static void add_mounts(struct posture *p)
{
	_cleanup_close_ int fd = open_proc(p, "mountinfo");
	_cleanup_free_ char *text = NULL, *copy = NULL;
	int r = fd < 0 ? fd : proc_read_all(fd, &text);

	if (r >= 0) {
		copy = strdup(text);
		r = copy ? 0 : -ENOMEM;
	}
	if (r < 0) {
		add(p, "restricted", "procMount", VERDICT_UNKNOWN, "mountinfo: %s", strerror(-r));
		return;
	}
	add_proc_mount(p, text);
	add_root(p, copy);
}

static void add_lsm(struct posture *p)
{
	_cleanup_close_ int fd = open_proc(p, "attr/current");
	char text[128] = "";
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (n <= 0) {
		add(p, "restricted", "appArmor/seLinux", VERDICT_UNKNOWN,
			"no such module, or it does not tell");
		return;
	}
	text[strcspn(text, "\n")] = '\0';
	add(p, "restricted", "appArmor/seLinux", pod_if_not(strncmp(text, "unconfined", 10) != 0),
		"%s", text);
}

static void add_core(struct posture *p)
{
	struct rlimit lim;

	if (prlimit(p->self ? 0 : p->pid, RLIMIT_CORE, NULL, &lim) < 0)
		add(p, "kora", "core dumps", VERDICT_UNKNOWN, "prlimit: %s", strerror(errno));
	else if (lim.rlim_max == RLIM_INFINITY)
		add(p, "kora", "core dumps", pass_if(false), "no hard limit");
	else
		add(p, "kora", "core dumps", pass_if(lim.rlim_max == 0), "hard limit %llu",
			(unsigned long long)lim.rlim_max);
}

/* access(2) asks modes and not Landlock, so a yes from it and a no from open(2) is a domain. */
static void add_landlock_files(struct posture *p)
{
	_cleanup_close_ int fd = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int e = fd < 0 ? errno : 0, abi = ll_abi();

	if (abi < 0 && abi != -EPERM)
		add(p, "kora", "landlock files", VERDICT_FAIL, "%s", strerror(-abi));
	else if (access("/", R_OK) < 0)
		add(p, "kora", "landlock files", VERDICT_UNKNOWN, "/ is closed by its mode");
	else
		add(p, "kora", "landlock files", pass_if(e == EACCES), "ABI %d, opening /: %s", abi,
			e ? strerror(e) : "allowed");
}

/* Asks for nothing: unfiltered, it succeeds and changes nothing. */
static void add_filter_probe(struct posture *p)
{
	int e = unshare(0) < 0 ? errno : 0;

	add(p, "restricted", "seccompProfile, tried", pass_if(e == EPERM || e == ENOSYS),
		"unshare: %s", e ? strerror(e) : "allowed");
}

static void add_landlock_ports(struct posture *p)
{
	const struct sockaddr_in sa = {
		.sin_family = AF_INET,
		.sin_port = htons(PORT_NEVER),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	_cleanup_close_ int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0) {
		add(p, "kora", "landlock ports", VERDICT_UNKNOWN, "socket: %s", strerror(errno));
		return;
	}
	int e = connect(fd, (const struct sockaddr *)&sa, sizeof(sa)) < 0 ? errno : 0;

	add(p, "kora", "landlock ports", pass_if(e == EACCES), "TCP connect to port %d: %s",
		PORT_NEVER, e ? strerror(e) : "allowed");
}

int posture_collect(pid_t pid, struct posture *ret)
{
	struct posture p = {.pid = pid, .self = pid == getpid()};
	struct proc_status st;
	_cleanup_close_ int fd = open_proc(&p, "status");

	if (fd < 0)
		return fd == -ENOENT ? -ESRCH : fd;
	int r = status_read(fd, &st);

	if (r < 0)
		return r;
	(void)snprintf(p.name, sizeof(p.name), "%s", st.name);
	add_ids(&p, &st);
	add_caps(&p, &st);
	add_namespace(&p, "hostPID", "pid", INIT_PID_INO, INIT_PID_INO);
	add_namespace(&p, "hostIPC", "ipc", INIT_IPC_INO, INIT_IPC_INO);
	add_namespace(&p, "hostNetwork", "net", INIT_NET_INO, INIT_NET_INO_OLD);
	add_lsm(&p);
	add_mounts(&p);
	add_securebits(&p, &st);
	add_core(&p);
	if (p.self) {
		add_filter_probe(&p);
		add_landlock_files(&p);
		add_landlock_ports(&p);
	} else {
		add(&p, "kora", "landlock files", VERDICT_UNKNOWN,
			"not shown for another process: run kora-launch verify inside");
	}
	*ret = p;
	return 0;
}

bool posture_without(const struct posture *p, enum verdict verdict)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->controls[i].verdict == verdict)
			return false;
	return true;
}
