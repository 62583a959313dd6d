/* SPDX-License-Identifier: Apache-2.0 */
/* Does a path answer? Asked in a child, stage by stage, since a dead server never says no. */
#include "mountd/ctl.h"

#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>

_Static_assert(sizeof(struct ctl_probe_report) <= PIPE_BUF, "a report is written in one piece");

struct probe_path {
	char parent[PATH_MAX];
	const char *base;
};

static int split_path(const char *path, struct probe_path *ret)
{
	const char *slash = strrchr(path, '/');
	size_t length = slash ? (size_t)(slash - path) : 0;

	if (length >= sizeof ret->parent)
		return -ENAMETOOLONG;
	if (!slash)
		(void)snprintf(ret->parent, sizeof ret->parent, ".");
	else
		(void)snprintf(
			ret->parent, sizeof ret->parent, "%.*s", (int)(length ? length : 1), path);
	ret->base = slash ? slash + 1 : path;
	ret->base = *ret->base ? ret->base : ".";
	return 0;
}

/* Where fd really is: the kernel's own spelling, without looking at the filesystem. */
static int path_of(int fd, char *text, size_t size)
{
	char link[64];

	(void)snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	ssize_t length = readlink(link, text, size);
	if (length < 0)
		return -errno;
	if ((size_t)length == size)
		return -ENAMETOOLONG;
	text[length] = '\0';
	return 0;
}

static int open_parent(const struct probe_path *path, struct ctl_probe_report *report)
{
	int fd = open(path->parent, O_PATH | O_DIRECTORY | O_CLOEXEC);

	report->stage = CTL_PROBE_PARENT;
	report->error = fd < 0 ? -errno : path_of(fd, report->target, sizeof report->target);
	if (report->error)
		return fd;
	size_t length = strlen(report->target);
	if (strcmp(path->base, ".") != 0)
		(void)snprintf(report->target + length, sizeof report->target - length, "%s%s",
			length > 1 ? "/" : "", path->base);
	return fd;
}

/* What the kernel writes behind the path of what was deleted, as is a bind's folder. */
static void cut_mark(char *path)
{
	static const char mark[] = " (deleted)";
	size_t length = strlen(path);

	if (length >= sizeof mark && strcmp(path + length - (sizeof mark - 1), mark) == 0)
		path[length - (sizeof mark - 1)] = '\0';
}

static int open_leaf(int parent, const char *base, struct ctl_probe_report *report)
{
	struct statx st = {0};
	int fd = openat(parent, base, O_PATH | O_CLOEXEC);

	report->stage = CTL_PROBE_OPENED;
	report->error = 0;
	if (fd < 0 || statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_MNT_ID | STATX_NLINK,
			      &st) < 0) {
		report->error = -errno;
		return fd;
	}
	report->error = path_of(fd, report->target, sizeof report->target);
	if (!report->error && st.stx_nlink == 0)
		cut_mark(report->target);
	report->mount_id = st.stx_mnt_id;
	report->is_mount = st.stx_attributes & STATX_ATTR_MOUNT_ROOT;
	return fd;
}

static bool send_report(int fd, const struct ctl_probe_report *report)
{
	return write(fd, report, sizeof *report) == sizeof *report && !report->error;
}

static void probe_body(int out, const void *context)
{
	const struct probe_path *path = context;
	struct ctl_probe_report report = {0};
	struct statfs st;

	_cleanup_close_ int parent = open_parent(path, &report);
	if (!send_report(out, &report))
		return;
	_cleanup_close_ int leaf = open_leaf(parent, path->base, &report);
	if (!send_report(out, &report))
		return;
	report.stage = CTL_PROBE_ANSWERED;
	report.error = fstatfs(leaf, &st) < 0 ? -errno : 0;
	(void)send_report(out, &report);
}

int ctl_probe_start(struct ctl_child *ret, const char *path)
{
	struct probe_path split;
	int r = split_path(path, &split);

	return r < 0 ? r : ctl_child_start(ret, probe_body, &split);
}

int ctl_probe_read(const struct ctl_child *child, struct ctl_probe_report *ret)
{
	struct ctl_probe_report report;
	ssize_t n = read(child->fd, &report, sizeof report);

	if (n == sizeof report) {
		*ret = report;
		return 1;
	}
	return n < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : -EPIPE;
}
