/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A server for the mount engine's test, made by hand: nfsd with preloaded cache entries, and client
 * tracking so that nobody waits for a grace period.
 *
 *   mount_engine_server PORT CLIENT-ADDRESS...      prints "ready" and serves until it is killed
 *
 * Exports /volume, which knows no root, and r1/i1 and r1/i2 in a pseudo-root as the export engine
 * has it. r1/gone is a directory that is not exported.
 */
#include "mountd/base/cleanup.h"
#include "nfs/cld.h"
#include "nfs/run.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define FAR_EXPIRY    "2147483647"
#define ROOT	      "/run/pseudo"
#define STATE	      "/run/mount_engine_server"
#define FLAG_FSID     0x2000
#define FLAG_V4ROOT   0x10000
#define PSEUDO	      (0x1 | 0x4 | 0x8 | 0x400 | FLAG_FSID | FLAG_V4ROOT)
#define SERVED	      (0x8 | 0x10 | 0x400 | FLAG_FSID)
#define SQUASHES_ROOT (0x4 | 0x10 | 0x400 | FLAG_FSID)

static void put(const char *path, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(const char *path, const char *format, ...)
{
	_cleanup_close_ int fd = open(path, O_WRONLY | O_CLOEXEC);
	va_list args;

	va_start(args, format);
	if (fd < 0 || vdprintf(fd, format, args) < 0)
		err(1, "write %s", path);
	va_end(args);
}

static void preload(const char *path, unsigned flags, unsigned fsid)
{
	const unsigned char *bytes = (const unsigned char *)&fsid;

	put("/proc/net/rpc/nfsd.export/channel", "test %s " FAR_EXPIRY " %u 10001 10001 %u\n", path,
		flags, fsid);
	put("/proc/net/rpc/nfsd.fh/channel", "test 1 \\x%02x%02x%02x%02x " FAR_EXPIRY " %s\n",
		bytes[0], bytes[1], bytes[2], bytes[3], path);
}

static void serve_incarnation(const char *incarnation, unsigned fsid)
{
	char path[128], file[160];

	(void)snprintf(path, sizeof path, ROOT "/workspaces/r1/%s", incarnation);
	(void)snprintf(file, sizeof file, "%s/id", path);
	if (mkdir(path, 0755) < 0 || chown(path, 10001, 10001) < 0)
		err(1, "make %s", path);
	int fd = open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	if (fd < 0 || dprintf(fd, "%s", incarnation) < 0)
		err(1, "make %s", file);
	(void)close(fd);
	preload(path, SERVED, fsid);
}

static void make_tree(char **clients, int n_clients)
{
	(void)umask(0);
	if (mkdir(ROOT, 0755) < 0 || mount("pseudo", ROOT, "tmpfs", 0, "mode=0711") < 0 ||
		mkdir(ROOT "/workspaces", 0711) < 0 || mkdir(ROOT "/workspaces/r1", 0711) < 0 ||
		mkdir(ROOT "/workspaces/r1/gone", 0755) < 0)
		err(1, "make " ROOT);
	for (int i = 0; i < n_clients; i++)
		put("/proc/net/rpc/auth.unix.ip/channel", "nfsd %s " FAR_EXPIRY " test\n",
			clients[i]);
	put("/proc/net/rpc/auth.unix.ip/channel", "nfsd 10.20.0.4 " FAR_EXPIRY "\n"); /* refused */
	preload(ROOT, PSEUDO, 0);
	preload(ROOT "/workspaces", PSEUDO, 1);
	preload(ROOT "/workspaces/r1", PSEUDO, 2);
	put("/proc/net/rpc/nfsd.export/channel",
		"test " ROOT "/workspaces/r1/gone " FAR_EXPIRY "\n");
	if (mkdir(ROOT "/volume", 0700) < 0 || chown(ROOT "/volume", 10001, 10001) < 0)
		err(1, "make " ROOT "/volume");
	preload(ROOT "/volume", SQUASHES_ROOT, 20);
	serve_incarnation("i1", 11);
	serve_incarnation("i2", 12);
}

static void dispatch(struct cld *cld, int timeout_ms)
{
	struct pollfd poll_fd = {.fd = cld_get_fd(cld), .events = POLLIN};

	if (poll(&poll_fd, 1, timeout_ms) > 0)
		(void)cld_dispatch(cld, NULL);
}

static void start_threads(struct cld *cld)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		put("/proc/fs/nfsd/threads", "4\n");
		_exit(0);
	}
	while (waitpid(child, &status, WNOHANG) == 0)
		dispatch(cld, 20);
	if (status)
		errx(1, "nfsd does not start");
}

int main(int argc, char **argv)
{
	struct kerr e = {0};
	struct cld *cld;

	if (argc < 3)
		errx(2, "usage: mount_engine_server PORT CLIENT-ADDRESS...");
	if (mount("nfsd", "/proc/fs/nfsd", "nfsd", 0, NULL) < 0)
		err(1, "mount nfsd");
	if (mkdir(STATE, 0700) < 0 || cld_new(STATE, STATE, &cld, &e) < 0)
		errx(1, "client tracking: %s %s", e.stage, strerror(-e.error));
	make_tree(argv + 2, argc - 2);
	put("/proc/fs/nfsd/versions", "-2 -3 +4 -4.0 -4.1 +4.2\n");
	put("/proc/fs/nfsd/portlist", "tcp %s\n", argv[1]);
	start_threads(cld);
	(void)puts("ready");
	(void)fflush(stdout);
	for (;;)
		dispatch(cld, -1);
}
