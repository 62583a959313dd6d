/* SPDX-License-Identifier: Apache-2.0 */
/* Starting nfsd through its control files. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "mountd/base/cleanup.h"
#include "nfs/listeners.h"
#include "nfs/nfsd_text.h"
#include "nfs/nfsdfs.h"
#include "nfs/server_rungs.h"

#define BACKLOG 64 /* as much as nfsd gives its own */

static const char *listen_fault(int error)
{
	switch (error) {
	case -EADDRINUSE:
		return "another program listens there: see `ss -ltnp`, stop it or choose another "
		       "port";
	case -EADDRNOTAVAIL:
		return "no address of this node, or one that it cannot use (`ip addr` says "
		       "dadfailed or tentative): correct the listen addresses";
	default:
		return "cannot listen there";
	}
}

int server_listen(const struct addr *addr, uint16_t port, int *ret_fd, struct kerr *e)
{
	_cleanup_close_ int fd = socket(addr->family, SOCK_STREAM | SOCK_CLOEXEC, IPPROTO_TCP);
	struct listener self = {.addr = *addr, .port = port};
	struct sockaddr_storage sa;
	socklen_t size = addr_to_sockaddr(addr, port, &sa);
	char text[80];
	int on = 1, error = 0;

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) < 0 ||
		(addr->family == AF_INET6 &&
			setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on) < 0) ||
		bind(fd, (const struct sockaddr *)&sa, size) < 0 || listen(fd, BACKLOG) < 0)
		error = -errno;
	if (error < 0) {
		listener_format("tcp", &self, text, sizeof text);
		return kerr_set(e, error, "listen on", text, "%s", listen_fault(error));
	}
	*ret_fd = TAKE_FD(fd);
	return 0;
}

static int write_number(int fs, const char *file, unsigned long number, struct kerr *e)
{
	char text[32];

	(void)snprintf(text, sizeof text, "%lu\n", number);
	return nfsdfs_write(fs, file, text, e);
}

static int add_listeners(int fs, const struct exporter_config *config, struct kerr *e)
{
	for (size_t i = 0; i < config->n_listen; i++) {
		_cleanup_close_ int fd = -1;
		int error = server_listen(&config->listen[i], config->port, &fd, e);
		if (error == 0)
			error = write_number(fs, "portlist", (unsigned)fd, e);
		if (error < 0)
			return error;
	}
	return 0;
}

/* nfsd takes its owner and scope from the host name of whoever writes the number of threads. */
static int write_threads(int fs, const struct exporter_config *config, struct kerr *e)
{
	const char *scope = config->server_scope;
	_cleanup_close_ int host = open("/proc/self/ns/uts", O_RDONLY | O_CLOEXEC);
	int error = 0;

	if (host < 0 || unshare(CLONE_NEWUTS) < 0 || sethostname(scope, strlen(scope)) < 0)
		error = kerr_set(e, -errno, "set server scope", scope, NULL);
	if (error == 0)
		error = write_number(fs, "threads", config->threads, e);
	if (host >= 0)
		(void)setns(host, CLONE_NEWUTS);
	return error;
}

int server_start_procfs(int fs, const struct exporter_config *config, struct kerr *e)
{
	int error = nfsdfs_write(fs, "versions", "-2 -3 +4 -4.0 -4.1 +4.2\n", e);

	if (error == 0)
		error = write_number(fs, "nfsv4leasetime", config->lease_seconds, e);
	if (error == 0)
		error = write_number(fs, "nfsv4gracetime", config->grace_seconds, e);
	if (error == 0)
		error = add_listeners(fs, config, e);
	if (error == 0)
		error = write_threads(fs, config, e);
	return error;
}
