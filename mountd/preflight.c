/* SPDX-License-Identifier: Apache-2.0 */
/* What must be so before the daemon begins: privilege, directories, being the only one. */
#include "mountd/preflight.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <linux/magic.h>

#include "mountd/base/cleanup.h"
#include "mountd/base/parse.h"
#include "mountd/file.h"
#include "mountd/host_netns.h"
#include "mountd/netns_lock.h"

static int check_privilege(struct kerr *e)
{
	struct statfs fs;

	if (geteuid() != 0)
		return kerr_set(e, -EPERM, "start", NULL, "must run as root");
	if (prctl(PR_CAPBSET_READ, CAP_SYS_ADMIN) != 1)
		return kerr_set(e, -EPERM, "start", NULL,
			"CAP_SYS_ADMIN is missing; in a container: privileged: true");
	if (statfs("/proc", &fs) < 0 || fs.f_type != PROC_SUPER_MAGIC)
		return kerr_set(e, -ENOENT, "find proc filesystem", "/proc", NULL);
	return 0;
}

int preflight_directory(const char *path, struct kerr *e)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return kerr_set(e, -errno, "look at directory", path, NULL);
	if (!S_ISDIR(st.st_mode))
		return kerr_set(e, -ENOTDIR, "look at directory", path, NULL);
	if (!file_is_trusted(&st))
		return kerr_set(e, -EPERM, "look at directory", path,
			"must belong to root and be writable by root alone (chown root, chmod "
			"go-w)");
	return 0;
}

/* Makes what is missing of path, and the last component with mode. */
static int make_dirs(const char *path, mode_t mode, struct kerr *e)
{
	char part[PATH_MAX];

	(void)snprintf(part, sizeof part, "%s", path);
	for (char *slash = strchr(part + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(part, 0755) < 0 && errno != EEXIST)
			return kerr_set(e, -errno, "make directory", part, NULL);
		*slash = '/';
	}
	if (mkdir(part, mode) < 0 && errno != EEXIST)
		return kerr_set(e, -errno, "make directory", part, NULL);
	return preflight_directory(part, e);
}

/* Secrets and records: for root's eyes alone, whatever mode it was found with. */
static int open_private(const char *path, int *ret, struct kerr *e)
{
	_cleanup_close_ int fd = -1;
	struct stat st;
	int r = make_dirs(path, 0700, e);

	if (r < 0)
		return r;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0)
		return kerr_set(e, -errno, "open directory", path, NULL);
	/* A disk gone read-only takes no change, and needs none. */
	if ((st.st_mode & 07777) != 0700 && fchmod(fd, 0700) < 0)
		return kerr_set(e, -errno, "change mode of directory", path, NULL);
	*ret = TAKE_FD(fd);
	return 0;
}

static int take_lock(int state, const char *path, int *ret, struct kerr *e)
{
	_cleanup_close_ int fd = openat(state, "lock", O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	if (fd < 0 && errno == EROFS)
		fd = openat(state, "lock", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return kerr_set(e, -errno, "open lock in", path, NULL);
	if (flock(fd, LOCK_EX | LOCK_NB) < 0)
		return kerr_set(e, errno == EWOULDBLOCK ? -EBUSY : -errno, "lock", path,
			"another kora-sandbox-mount uses this directory");
	*ret = TAKE_FD(fd);
	return 0;
}

static int lock_runtime_dir(const char *path, int *ret, struct kerr *e)
{
	_cleanup_close_ int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return dir < 0 ? kerr_set(e, -errno, "open directory", path, NULL)
		       : take_lock(dir, path, ret, e);
}

int control_group_find(const char *name, gid_t *ret, struct kerr *e)
{
	uint64_t number;
	struct group *group;

	if (parse_unsigned(name, 0, (gid_t)-2, &number) == 0) {
		*ret = (gid_t)number;
		return 0;
	}
	errno = 0;
	group = getgrnam(name);
	if (!group)
		return kerr_set(e, errno ? -errno : -ENOENT, "find control group", name,
			"no such group on this node");
	*ret = group->gr_gid;
	return 0;
}

static int open_dirs(const struct options *o, struct preflight *p, struct kerr *e)
{
	char attached[PATH_MAX];
	int r;

	if (o->spec_dir)
		(void)snprintf(p->spec_dir, sizeof p->spec_dir, "%s", o->spec_dir);
	else if (snprintf(p->spec_dir, sizeof p->spec_dir, "%s/specs", o->state_dir) >=
		 (int)sizeof p->spec_dir)
		return kerr_set(e, -ENAMETOOLONG, "name spec directory", o->state_dir, NULL);
	if (snprintf(attached, sizeof attached, "%s/attached", o->state_dir) >=
		(int)sizeof attached)
		return kerr_set(e, -ENAMETOOLONG, "name state directory", o->state_dir, NULL);
	r = open_private(o->state_dir, &p->state, e);
	if (r == 0)
		r = take_lock(p->state, o->state_dir, &p->lock, e);
	if (r == 0)
		r = open_private(attached, &p->attached, e);
	if (r == 0)
		r = make_dirs(p->spec_dir, 0700, e);
	/* The control group has to reach the socket. */
	if (r == 0)
		r = make_dirs(o->runtime_dir, 0755, e);
	if (r == 0)
		r = lock_runtime_dir(o->runtime_dir, &p->runtime_lock, e);
	return r;
}

int preflight(struct options *o, struct preflight *ret, struct kerr *e)
{
	_cleanup_(preflight_clear) struct preflight p = PREFLIGHT_NONE;
	int r = check_privilege(e);

	if (r == 0 && host_netns() == HOST_NETNS_OTHER)
		r = kerr_set(e, -EPERM, "look at network namespace", "/proc/self/ns/net",
			"it is not the node's own, and mounts would end with it: use hostNetwork, "
			"or nsenter -t 1 -n");
	/* nfsd is the network namespace's, whatever directories a second daemon is given. */
	if (r == 0)
		r = netns_lock(&p.netns_lock, e);
	if (r == 0)
		r = open_dirs(o, &p, e);
	if (r == 0 && o->control_group)
		r = control_group_find(o->control_group, &p.control_gid, e);
	if (r == 0 && !o->node_name[0])
		r = node_name_derive("/etc/machine-id", o->node_name, e);
	if (r < 0)
		return r;
	*ret = p;
	p = PREFLIGHT_NONE;
	return 0;
}

void preflight_clear(struct preflight *p)
{
	cleanup_close(&p->netns_lock);
	cleanup_close(&p->lock);
	cleanup_close(&p->runtime_lock);
	cleanup_close(&p->state);
	cleanup_close(&p->attached);
}
