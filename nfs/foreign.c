/* SPDX-License-Identifier: Apache-2.0 */
/* Other programs that answer the kernel's NFS server on the channels that we use. */
#include "nfs/foreign.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "mountd/base/cleanup.h"

static bool answers_nfsd(const char *comm)
{
	static const char *const names[] = {"rpc.mountd", "nfsv4.exportd", "nfsdcld"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(comm, names[i]) == 0)
			return true;
	return false;
}

static int read_comm(int process, char *comm, size_t size)
{
	_cleanup_close_ int fd = openat(process, "comm", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, comm, size - 1);

	if (n < 0)
		return -errno;
	comm[n] = '\0';
	comm[strcspn(comm, "\n")] = '\0';
	return 0;
}

/* 1 or 0, or negative errno; so the next. */
static int in_network(int process, const struct stat *network)
{
	struct stat st;

	if (fstatat(process, "ns/net", &st, 0) < 0)
		return -errno;
	return st.st_ino == network->st_ino && st.st_dev == network->st_dev;
}

/*
 * A name alone is everybody's to take: only root's processes count, and among those none that a
 * user started as a set-user-ID program through a link. Its owner is the process's effective user.
 */
static int is_roots_own(int process, const char *comm)
{
	char path[PATH_MAX];
	const char *name;
	struct stat st;
	size_t length = strlen(comm);
	ssize_t n;

	if (fstat(process, &st) < 0)
		return -errno;
	if (st.st_uid != 0)
		return 0;
	n = readlinkat(process, "exe", path, sizeof path - 1);
	if (n < 0)
		return -errno;
	path[n] = '\0';
	name = strrchr(path, '/');
	name = name ? name + 1 : path;
	/* "rpc.mountd (deleted)" after an upgrade */
	return strncmp(name, comm, length) == 0 && (!name[length] || name[length] == ' ');
}

static int cannot_look(int error, const char *pid, const char *comm, struct kerr *e)
{
	char process[64];

	if (comm[0])
		(void)snprintf(process, sizeof process, "%s (process %.10s)", comm, pid);
	else
		(void)snprintf(process, sizeof process, "process %.10s", pid);
	if (error != -EACCES && error != -EPERM)
		return kerr_set(e, error, "look at", process, NULL);
	return kerr_set(e, error, "look at", process,
		"perhaps it answers nfsd as rpc.mountd does: end it, or let this daemon look, "
		"with CAP_SYS_PTRACE and no security module against it");
}

/* 1: it answers nfsd here; 0: it does not, or has ended meanwhile. */
static int is_answerer(int proc, const char *pid, const struct stat *network, char *text,
	size_t size, struct kerr *e)
{
	_cleanup_close_ int process = openat(proc, pid, O_PATH | O_DIRECTORY | O_CLOEXEC);
	char comm[32] = "";
	int r = process < 0 ? -errno : read_comm(process, comm, sizeof comm);

	if (r == 0 && answers_nfsd(comm))
		r = is_roots_own(process, comm);
	if (r > 0)
		r = in_network(process, network);
	if (r > 0)
		(void)snprintf(text, size, "%s (process %s)", comm, pid);
	if (r == -ENOENT || r == -ESRCH)
		return 0;
	return r < 0 ? cannot_look(r, pid, comm, e) : r;
}

int foreign_answerer(char *text, size_t size, struct kerr *e)
{
	_cleanup_closedir_ DIR *proc = opendir("/proc");
	const struct dirent *entry;
	struct stat network;
	int r = 0;

	if (!proc || stat("/proc/self/ns/net", &network) < 0)
		return kerr_set(e, -errno, "look for other NFS servers", "/proc", NULL);
	while (r == 0 && (errno = 0, entry = readdir(proc)))
		if (isdigit((unsigned char)entry->d_name[0]))
			r = is_answerer(dirfd(proc), entry->d_name, &network, text, size, e);
	if (r || !errno)
		return r;
	return kerr_set(e, -errno, "look for other NFS servers", "/proc", NULL);
}
