/* SPDX-License-Identifier: Apache-2.0 */
/* The read-only root: looked at everywhere, made only by root. */
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "harden/process.h"

/* A remount replaces all flags: what is forbidden now must stay forbidden. */
static unsigned long kept_flags(unsigned long have)
{
	static const struct {
		unsigned long st, ms;
	} map[] = {
		{ST_NOSUID, MS_NOSUID},
		{ST_NODEV, MS_NODEV},
		{ST_NOEXEC, MS_NOEXEC},
		{ST_NOATIME, MS_NOATIME},
		{ST_NODIRATIME, MS_NODIRATIME},
		{ST_RELATIME, MS_RELATIME},
	};
	unsigned long flags = 0;

	for (size_t i = 0; i < sizeof(map) / sizeof(map[0]); i++)
		if (have & map[i].st)
			flags |= map[i].ms;
	return flags;
}

static int keep_writable(const char *path, struct fail *f)
{
	if (mount(path, path, NULL, MS_BIND | MS_REC, NULL) == 0 || errno == ENOENT)
		return 0;
	return fail_set(f, errno, "keeping %s writable: %s", path, strerror(errno));
}

static int keep_all_writable(const struct plan *plan, struct fail *f)
{
	int r = plan->workspace ? keep_writable(plan->workspace, f) : 0;

	for (size_t i = 0; i < plan->grants.n && r == 0; i++) {
		const struct grant *g = &plan->grants.v[i];

		if (g->kind == GRANT_WRITE || g->kind == GRANT_WORK)
			r = keep_writable(g->path, f);
	}
	return r;
}

static int make_read_only(const struct plan *plan, unsigned long have, struct fail *f)
{
	/* Slave, not private: a sandbox that is mounted on the host later must arrive here. */
	if (mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) < 0)
		return fail_set(
			f, errno, "making mounts a slave of the host's: %s", strerror(errno));
	int r = keep_all_writable(plan, f);

	if (r < 0)
		return r;
	if (mount(NULL, "/", NULL, MS_REMOUNT | MS_BIND | MS_RDONLY | kept_flags(have), NULL) < 0)
		return fail_set(f, errno, "remounting / read-only: %s", strerror(errno));
	return 0;
}

int process_read_only_root(
	const struct policy *p, const struct plan *plan, struct report *r, struct fail *f)
{
	struct statvfs vfs;
	int e = 0;

	if (!p->read_only_root)
		return 0;
	if (statvfs("/", &vfs) < 0)
		return fail_set(f, errno, "/: %s", strerror(errno));
	if (!(vfs.f_flag & ST_RDONLY) && geteuid() == 0 && unshare(CLONE_NEWNS) == 0)
		e = make_read_only(plan, vfs.f_flag, f);
	if (e < 0)
		return e;
	if (statvfs("/", &vfs) == 0 && vfs.f_flag & ST_RDONLY)
		report_have(r, "root: read-only");
	else
		report_gap(r, "root: / is writable: set readOnlyRootFilesystem, or accept it with "
			      "--read-only-root=no");
	return 0;
}
