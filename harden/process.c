/* SPDX-License-Identifier: Apache-2.0 */
/* Limits, masks, descriptors and directories. */
#include "harden/process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "mountd/base/cleanup.h"

static int apply_limit(int resource, const char *name, const struct limit *l, struct fail *f)
{
	const struct rlimit lim = {.rlim_cur = l->soft, .rlim_max = l->hard};
	struct rlimit now;

	if (!l->set || setrlimit(resource, &lim) == 0)
		return 0;
	int e = errno;

	(void)getrlimit(resource, &now);
	return fail_set(f, e, "rlimit %s %llu:%llu: %s (the hard limit is %llu)", name,
		(unsigned long long)l->soft, (unsigned long long)l->hard, strerror(e),
		(unsigned long long)now.rlim_max);
}

int process_limits(const struct policy *p, const struct plan *plan, struct fail *f)
{
	const struct limit none = {.set = true};
	int r = apply_limit(RLIMIT_CORE, "core", &none, f);

	if (r == 0)
		r = apply_limit(RLIMIT_NOFILE, "nofile", &p->nofile, f);
	if (r == 0)
		r = apply_limit(RLIMIT_NPROC, "nproc", &p->nproc, f);
	if (r == 0)
		r = apply_limit(RLIMIT_FSIZE, "fsize", &p->fsize, f);
	(void)umask(plan->umask);
	return r;
}

int process_standard_fds(struct fail *f)
{
	for (int fd = 0; fd < 3; fd++) {
		if (fcntl(fd, F_GETFD) >= 0)
			continue;
		if (open("/dev/null", O_RDWR) != fd) /* the lowest free number is this one */
			return fail_set(f, errno, "/dev/null: %s", strerror(errno));
	}
	return 0;
}

static bool in(int fd, const int *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (v[i] == fd)
			return true;
	return false;
}

/* Without close_range (Linux before 5.9, or a filter): one by one, as /proc lists them. */
static int close_listed(unsigned int from, unsigned int to)
{
	_cleanup_closedir_ DIR *dir = opendir("/proc/self/fd");

	if (!dir)
		return -errno;
	for (struct dirent *d = readdir(dir); d; d = readdir(dir)) {
		long fd = strtol(d->d_name, NULL, 10);

		if (d->d_name[0] != '.' && fd >= (long)from && fd <= (long)to && fd != dirfd(dir))
			(void)close((int)fd);
	}
	return 0;
}

static int close_span(unsigned int from, unsigned int to)
{
	if (from > to || syscall(SYS_close_range, from, to, 0) == 0)
		return 0;
	return errno == ENOSYS || errno == EPERM ? close_listed(from, to) : -errno;
}

static int compare_fds(const void *a, const void *b)
{
	return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b);
}

int process_close_fds(const struct policy *p, const int *own, size_t n_own, struct fail *f)
{
	_cleanup_free_ int *keep = calloc(p->n_keep_fds + n_own + 1, sizeof(*keep));
	size_t n = 0;
	unsigned int from = 3;
	int r = 0;

	if (!keep)
		return fail_set(f, ENOMEM, "out of memory");
	for (size_t i = 0; i < p->n_keep_fds; i++) {
		int fd = p->keep_fds[i];
		int flags = in(fd, own, n_own) ? -1 : fcntl(fd, F_GETFD);

		if (flags < 0 || fcntl(fd, F_SETFD, flags & ~FD_CLOEXEC) < 0)
			return fail_set(f, EBADF, "--keep-fd %d: not open", fd);
		keep[n++] = fd;
	}
	for (size_t i = 0; i < n_own; i++)
		if (own[i] >= 0)
			keep[n++] = own[i];
	qsort(keep, n, sizeof(*keep), compare_fds);
	for (size_t i = 0; i < n && r == 0; i++) {
		r = keep[i] > (int)from ? close_span(from, (unsigned int)keep[i] - 1) : 0;
		if (keep[i] >= (int)from)
			from = (unsigned int)keep[i] + 1;
	}
	if (r == 0)
		r = close_span(from, INT_MAX);
	return r < 0 ? fail_set(f, -r, "closing descriptors: %s", strerror(-r)) : 0;
}

/* Of its own accord the launcher goes nowhere but into the run's folder. */
static int change(const char *dir, bool chosen, struct fail *f)
{
	if (!dir || chdir(dir) == 0)
		return 0;
	return fail_set(f, errno, "%s %s: %s (see %s)",
		chosen ? "working directory" : "the run's folder", dir, strerror(errno),
		chosen ? "--chdir" : "--workspaces");
}

static int enter(struct fail *f)
{
	char now[PATH_MAX];
	struct stat here, named;

	/* getcwd() says "(unreachable)" for a directory outside the root: CVE-2024-21626's way in.
	 */
	if (!getcwd(now, sizeof(now)))
		return fail_set(f, errno, "working directory: %s", strerror(errno));
	if (now[0] != '/')
		return fail_set(f, EACCES, "working directory %s is outside the root", now);
	/* A new mount may lie over the directory that was inherited: enter it by name. */
	if (chdir(now) < 0)
		return fail_set(
			f, errno, "working directory %s: %s (see --chdir)", now, strerror(errno));
	if (stat(".", &here) < 0 || stat(now, &named) < 0 || here.st_ino != named.st_ino ||
		here.st_dev != named.st_dev)
		return fail_set(
			f, EACCES, "working directory %s is not what its name leads to", now);
	return 0;
}

int process_directories(const struct policy *p, const struct plan *plan, struct fail *f)
{
	int r = change(plan->workdir, p->chdir, f);

	if (r == 0)
		r = enter(f);
	if (r < 0 || !plan->tmpdir)
		return r;
	if (mkdir(plan->tmpdir, 0700) < 0 && errno != EEXIST)
		return fail_set(
			f, errno, "TMPDIR %s: %s (see --tmpdir)", plan->tmpdir, strerror(errno));
	return 0;
}
