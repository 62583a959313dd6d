/* SPDX-License-Identifier: Apache-2.0 */
/* doctor: what this kernel is, which modules it has, which mechanisms it offers. */
#include "mountd/ctl_doctor.h"

#include <dirent.h>
#include <limits.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>

#define MOVE_MOUNT_EMPTY_BOTH 0x44  /* MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH */
#define MOVE_MOUNT_BENEATH_65 0x200 /* MOVE_MOUNT_BENEATH, Linux 6.5 */

bool doctor_kernel_at_least(unsigned major, unsigned minor)
{
	struct utsname name;
	unsigned a = 0, b = 0;

	(void)uname(&name);
	if (sscanf(name.release, "%3u.%5u", &a, &b) != 2)
		return false;
	return a > major || (a == major && b >= minor);
}

void doctor_kernel(struct doctor *d)
{
	struct utsname name;

	(void)uname(&name);
	if (doctor_kernel_at_least(6, 1))
		doctor_say(d, "kernel", VERDICT_OK, NULL, "%s, %s", name.release, name.machine);
	else
		doctor_say(d, "kernel", VERDICT_WARN, "use Linux 6.1 or newer",
			"%s, %s: older than every kernel this is tested on", name.release,
			name.machine);
}

/* Does a list of modules (modules.dep, modules.builtin) hold name? -errno where it is not there. */
static int list_holds(const char *list, const char *name)
{
	struct utsname kernel;
	char path[512], wanted[64];
	_cleanup_free_ char *line = NULL;
	size_t size = 0;

	(void)uname(&kernel);
	(void)snprintf(path, sizeof path, "/lib/modules/%s/%s", kernel.release, list);
	(void)snprintf(wanted, sizeof wanted, "/%s.ko", name);
	_cleanup_fclose_ FILE *file = fopen(path, "re");
	if (!file)
		return -errno;
	while (getline(&line, &size, file) >= 0) {
		line[strcspn(line, ":\n")] = '\0';
		const char *base = strrchr(line, '/');
		if (base && strncmp(base, wanted, strlen(wanted)) == 0)
			return 1;
	}
	return 0;
}

static bool in_filesystems(const char *name)
{
	_cleanup_free_ char *line = NULL;
	size_t size = 0;
	_cleanup_fclose_ FILE *file = fopen("/proc/filesystems", "re");

	while (file && getline(&line, &size, file) >= 0) {
		line[strcspn(line, "\n")] = '\0';
		const char *tab = strrchr(line, '\t');
		if (strcmp(tab ? tab + 1 : line, name) == 0)
			return true;
	}
	return false;
}

struct module {
	const char *name, *filesystem;
	bool registers; /* the filesystem is there only while the module is */
	const char *use;
};

/* Asks the kernel itself, which loads what it has. -ENODEV: it has none; -EPERM: not root. */
static int try_filesystem(const char *name)
{
	int fd = (int)syscall(SYS_fsopen, name, FSOPEN_CLOEXEC);

	if (fd < 0)
		return -errno;
	(void)close(fd);
	return 0;
}

static void say_missing(struct doctor *d, const char *check, const struct module *m)
{
	struct utsname kernel;

	(void)uname(&kernel);
	doctor_say(d, check, VERDICT_FAIL,
		"use a kernel that has it (Debian: linux-image-cloud-amd64 or -amd64)",
		"%s has none: this node cannot %s", kernel.release, m->use);
	doctor_blame_module(d, m->name);
}

static void say_unknown(struct doctor *d, const char *check)
{
	struct utsname kernel;

	(void)uname(&kernel);
	doctor_say(d, check, VERDICT_WARN,
		doctor_in_container()
			? "run as root to tell, or give this container the node's /lib/modules"
			: "run as root to tell, or install the modules of the running kernel",
		"not loaded, and whether it can be is unknown: no /lib/modules/%s", kernel.release);
}

static void say_unloaded(struct doctor *d, const char *check, const struct module *m)
{
	int loadable = list_holds("modules.dep", m->name);
	int there = loadable < 0 ? try_filesystem(m->filesystem) : 0;

	if (loadable > 0)
		doctor_say(d, check, VERDICT_OK, NULL, "not loaded yet, but can be");
	else if (loadable == 0 || there == -ENODEV)
		say_missing(d, check, m);
	else if (there < 0)
		say_unknown(d, check);
	else
		doctor_say(
			d, check, VERDICT_OK, NULL, "the kernel has filesystem %s", m->filesystem);
}

static void check_module(struct doctor *d, const struct module *m)
{
	char check[32], sys[64];

	(void)snprintf(check, sizeof check, "module %s", m->name);
	(void)snprintf(sys, sizeof sys, "/sys/module/%s", m->name);
	if (list_holds("modules.builtin", m->name) > 0)
		doctor_say(d, check, VERDICT_OK, NULL, "built in");
	else if (access(sys, F_OK) == 0 || (m->registers && in_filesystems(m->filesystem)))
		doctor_say(d, check, VERDICT_OK, NULL, "loaded");
	else
		say_unloaded(d, check, m);
}

void doctor_modules(struct doctor *d)
{
	static const struct module modules[] = {
		{"nfsd", "nfsd", true, "serve sandboxes' folders"},
		{"nfsv4", "nfs4", false, "mount other nodes' folders"},
		{"sunrpc", "rpc_pipefs", true, "speak NFS at all"},
	};

	for (size_t i = 0; i < sizeof modules / sizeof modules[0]; i++)
		check_module(d, &modules[i]);
}

/* An unknown flag is EINVAL before the descriptors are looked at, a known one EBADF after. */
static void check_beneath(struct doctor *d)
{
	long r = syscall(
		SYS_move_mount, -1, "", -1, "", MOVE_MOUNT_EMPTY_BOTH | MOVE_MOUNT_BENEATH_65);
	int error = r < 0 ? errno : 0;

	if (error == EINVAL)
		doctor_say(d, "rung replace", VERDICT_WARN,
			"Linux 6.5 or newer replaces a sandbox without a gap",
			"detach, then attach: the bare directory shows for a moment");
	else if (error == EPERM)
		doctor_say(d, "rung replace", VERDICT_WARN, "run as root to tell",
			"unknown without CAP_SYS_ADMIN");
	else
		doctor_say(d, "rung replace", VERDICT_OK, NULL, "beneath: no gap");
}

/* 1: a mount of this node has the file; 0: none has; -ENOENT: there is no NFS mount to tell by. */
static int sysfs_shutdown(void)
{
	_cleanup_closedir_ DIR *dir = opendir("/sys/fs/nfs");
	struct dirent *entry;
	int found = -ENOENT;

	while (dir && (entry = readdir(dir))) {
		char path[PATH_MAX];
		if (!strchr(entry->d_name, ':'))
			continue;
		(void)snprintf(path, sizeof path, "/sys/fs/nfs/%s/shutdown", entry->d_name);
		if (access(path, F_OK) == 0)
			return 1;
		found = 0;
	}
	return found;
}

static void check_shutdown(struct doctor *d)
{
	int seen = sysfs_shutdown();
	bool has = seen == -ENOENT ? doctor_kernel_at_least(6, 5) : seen;
	const char *how = seen == -ENOENT ? " (told by the kernel's version)" : "";

	if (has)
		doctor_say(d, "rung cut-off", VERDICT_OK, NULL, "sysfs shutdown%s", how);
	else
		doctor_say(d, "rung cut-off", VERDICT_OK, NULL,
			"no sysfs shutdown before Linux 6.5%s: a local answerer frees blocked "
			"processes",
			how);
}

void doctor_rungs(struct doctor *d)
{
	check_beneath(d);
	check_shutdown(d);
}
