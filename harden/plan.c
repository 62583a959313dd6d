/* SPDX-License-Identifier: Apache-2.0 */
/* The built-in profiles. A profile grants; what it does not name stays closed. */
#include "harden/plan.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mountd/base/cleanup.h"

#define SANDBOX_EXEC_PORT 50051

struct item {
	enum grant_kind kind;
	const char *path;
	bool required;
};

/* Shells, compilers, interpreters and what their C library reads. */
static const struct item base[] = {
	{GRANT_EXEC, "/usr", false},
	{GRANT_EXEC, "/bin", false},
	{GRANT_EXEC, "/sbin", false},
	{GRANT_EXEC, "/lib", false},
	{GRANT_EXEC, "/lib32", false},
	{GRANT_EXEC, "/lib64", false},
	{GRANT_EXEC, "/opt", false},
	{GRANT_READ, "/etc", false},
	/* Links out of /etc are common for these; inside it they cost nothing. */
	{GRANT_READ, "/etc/resolv.conf", false},
	{GRANT_READ, "/etc/localtime", false},
	{GRANT_READ, "/etc/ssl/certs", false},
	{GRANT_READ, "/etc/ssl/cert.pem", false},
	{GRANT_READ, "/etc/ssl/certs/ca-certificates.crt", false},
	{GRANT_READ, "/etc/pki/tls/certs/ca-bundle.crt", false},
	{GRANT_READ, "/sys/fs/cgroup", false},
	{GRANT_READ, "/sys/devices/system/cpu", false},
	{GRANT_READ, "/sys/kernel/mm/transparent_hugepage", false},
	{GRANT_DEVICE, "/dev/null", true},
	{GRANT_DEVICE, "/dev/zero", false},
	{GRANT_DEVICE, "/dev/full", false},
	{GRANT_DEVICE, "/dev/random", false},
	{GRANT_DEVICE, "/dev/urandom", false},
	{GRANT_DEVICE, "/dev/tty", false},
};

static const struct item sandbox[] = {
	{GRANT_READ, "/proc", false},
	{GRANT_DEVICE, "/dev/ptmx", false},
	{GRANT_DEVICE, "/dev/pts", false},
	{GRANT_WRITE, "/dev/shm", false},
	{GRANT_WORK, "/tmp", false},
};

/* Other runs' processes are in the same /proc: only what is the machine's or the program's own. */
static const struct item runtime[] = {
	{GRANT_READ, "/proc/self", false},
	{GRANT_READ, "/proc/sys", false},
	{GRANT_READ, "/proc/cpuinfo", false},
	{GRANT_READ, "/proc/meminfo", false},
	{GRANT_READ, "/proc/loadavg", false},
	{GRANT_READ, "/proc/stat", false},
	{GRANT_READ, "/proc/uptime", false},
	{GRANT_READ, "/proc/version", false},
	{GRANT_READ, "/proc/filesystems", false},
};

bool path_beneath(const char *path, const char *dir)
{
	if (dir[0] == '/' && !dir[1])
		return true;
	for (; *dir && *path == *dir; dir++)
		path++;
	return !*dir && (*path == '\0' || *path == '/');
}

bool plan_writable(const char *path, int64_t uid)
{
	struct stat st;

	if (stat(path, &st) < 0 || !S_ISDIR(st.st_mode))
		return false;
	if (geteuid() != 0 || uid == ID_UNSET)
		return access(path, W_OK | X_OK) == 0;
	mode_t need = (st.st_uid == (uid_t)uid ? S_IWUSR | S_IXUSR : S_IWOTH | S_IXOTH);

	return (st.st_mode & need) == need && access(path, W_OK) == 0;
}

void plan_done(struct plan *plan)
{
	free(plan->workspace);
	free(plan->workdir);
	free(plan->home);
	free(plan->tmpdir);
	free(plan->tcp_bind.v);
	grants_done(&plan->grants);
	*plan = (struct plan){0};
}

static int format(char **ret, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static int format(char **ret, const char *fmt, ...)
{
	va_list ap;
	char *s = NULL;

	va_start(ap, fmt);
	int n = vasprintf(&s, fmt, ap);
	va_end(ap);
	if (n < 0)
		return -ENOMEM;
	free(*ret);
	*ret = s;
	return 0;
}

/* Where workspaces lie in a directory that the profile grants, they come first. */
static int grant_items(const struct policy *p, struct grants *g, const struct item *items, size_t n)
{
	int r = 0;

	for (size_t i = 0; i < n && r == 0; i++)
		if (!p->run || !path_beneath(p->workspaces, items[i].path))
			r = grants_add(g, items[i].kind, !items[i].required, items[i].path);
	return r;
}

static int grant_profile(const struct policy *p, struct grants *g)
{
	if (p->profile == PROFILE_NONE)
		return 0;
	int r = grant_items(p, g, base, sizeof(base) / sizeof(base[0]));

	if (r < 0)
		return r;
	if (p->profile == PROFILE_RUNTIME)
		return grant_items(p, g, runtime, sizeof(runtime) / sizeof(runtime[0]));
	return grant_items(p, g, sandbox, sizeof(sandbox) / sizeof(sandbox[0]));
}

/* HOME as the image or the pod sets it, unless granting it would open another run's workspace. */
static bool usable_home(
	const struct policy *p, const struct plan *plan, const struct surroundings *s)
{
	const char *home = s->env_home;

	if (!home || home[0] != '/' || !home[1] || strstr(home, "/.") || strstr(home, "//"))
		return false;
	if (path_beneath(p->workspaces, home))
		return false;
	if (path_beneath(home, p->workspaces) &&
		!(plan->workspace && path_beneath(home, plan->workspace)))
		return false;
	return s->writable(home, s->uid);
}

/* By the grants as well as by owner and mode. */
static bool may_write(const struct plan *plan, const struct surroundings *s, const char *path)
{
	bool granted = plan->workspace && path_beneath(path, plan->workspace);

	for (size_t i = 0; i < plan->grants.n && !granted; i++)
		granted = (plan->grants.v[i].kind == GRANT_WRITE ||
				  plan->grants.v[i].kind == GRANT_WORK) &&
			  path_beneath(path, plan->grants.v[i].path);
	return granted && s->writable(path, s->uid);
}

/* An inherited HOME that can't be written is worse than none: programs ask for it and fail. */
static const char *choose_home(
	const struct policy *p, const struct surroundings *s, const struct plan *plan)
{
	if (p->profile == PROFILE_RUNTIME)
		return plan->workspace;
	if (usable_home(p, plan, s) && may_write(plan, s, s->env_home))
		return s->env_home;
	if (plan->workdir && may_write(plan, s, plan->workdir))
		return plan->workdir;
	return plan->workspace ? plan->workspace : plan->tmpdir;
}

/* After what options grant, and after TMPDIR. */
static int plan_home(const struct policy *p, const struct surroundings *s, struct plan *plan)
{
	int r = 0;

	if (p->home)
		return format(&plan->home, "%s", p->home);
	if (p->profile == PROFILE_SANDBOX && usable_home(p, plan, s))
		r = grants_add(&plan->grants, GRANT_WORK, false, s->env_home);
	const char *home = choose_home(p, s, plan);

	return r < 0 || !home ? r : format(&plan->home, "%s", home);
}

/* On the workspace's own filesystem: a rename from TMPDIR into the workspace must not be EXDEV. */
static int plan_tmpdir(const struct policy *p, const struct surroundings *s, struct plan *plan)
{
	if (p->tmpdir)
		return format(&plan->tmpdir, "%s", p->tmpdir);
	if (p->profile == PROFILE_RUNTIME)
		return format(&plan->tmpdir, "%s/.tmp", plan->workspace);
	if (p->profile == PROFILE_SANDBOX && p->run && !p->chdir)
		return format(&plan->tmpdir, "%s/.tmp", plan->workdir);
	if (p->profile == PROFILE_SANDBOX && p->run)
		return format(&plan->tmpdir, "%s/.tmp", plan->workspace);
	if (p->profile == PROFILE_SANDBOX && s->writable("/tmp", s->uid))
		return format(&plan->tmpdir, "/tmp");
	return 0;
}

static int plan_workdir(const struct policy *p, const struct surroundings *s, struct plan *plan)
{
	if (p->chdir)
		return format(&plan->workdir, "%s", p->chdir);
	if (!plan->workspace)
		return 0;
	int r = format(&plan->workdir, "%s/sandbox", plan->workspace);

	/* The runtime's sandbox folder is a network mount, and it may come later or never. */
	if (r == 0 && (p->profile != PROFILE_SANDBOX || !s->writable(plan->workdir, s->uid)))
		r = format(&plan->workdir, "%s", plan->workspace);
	return r;
}

static int copy_ports(const struct ports *from, struct ports *to)
{
	to->any = from->any;
	to->v = calloc(from->n + 1, sizeof(*to->v));
	if (!to->v)
		return -ENOMEM;
	if (from->n)
		memcpy(to->v, from->v, from->n * sizeof(*to->v));
	to->n = from->n;
	return 0;
}

static int plan_ports(const struct policy *p, struct plan *plan)
{
	int r = copy_ports(&p->tcp_bind, &plan->tcp_bind);

	if (r == 0 && p->profile == PROFILE_SANDBOX)
		plan->tcp_bind.v[plan->tcp_bind.n++] =
			(struct port_range){SANDBOX_EXEC_PORT, SANDBOX_EXEC_PORT};
	return r;
}

static int plan_options(const struct policy *p, struct plan *plan)
{
	int r = 0;

	for (size_t i = 0; i < p->grants.n && r == 0; i++)
		r = grants_add(&plan->grants, p->grants.v[i].kind, p->grants.v[i].optional,
			p->grants.v[i].path);
	if (r == 0 && p->home)
		r = grants_add(&plan->grants, GRANT_WORK, false, p->home);
	if (r == 0 && p->tmpdir)
		r = grants_add(&plan->grants, GRANT_WORK, false, p->tmpdir);
	return r;
}

int plan_make(const struct policy *p, const struct surroundings *s, struct plan *ret)
{
	struct plan plan = {0};
	int r = grant_profile(p, &plan.grants);

	plan.umask = p->umask_set ? p->umask : p->profile == PROFILE_RUNTIME ? 077 : 022;
	if (r == 0 && p->run)
		r = format(&plan.workspace, "%s/%s", p->workspaces, p->run);
	if (r == 0)
		r = plan_workdir(p, s, &plan);
	if (r == 0)
		r = plan_tmpdir(p, s, &plan);
	if (r == 0)
		r = plan_options(p, &plan);
	if (r == 0)
		r = plan_home(p, s, &plan);
	if (r == 0)
		r = plan_ports(p, &plan);
	if (r < 0) {
		plan_done(&plan);
		return r;
	}
	*ret = plan;
	return 0;
}
