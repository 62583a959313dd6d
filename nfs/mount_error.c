/* SPDX-License-Identifier: Apache-2.0 */
/* What an errno of a mount operation means to an operator. */
#include "nfs/mount_error.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "mountd/base/cleanup.h"

const char *mount_error_hint(int error)
{
	switch (error) {
	case -ENOENT:
		return "the server does not export this run and incarnation to this node's address "
		       "(yet): kora-mountctl describe there tells what it exports, and to whom";
	case -EACCES:
	case -EPERM:
		return "the server does not know this node's address as a client of that run";
	case -ENODEV:
		return "this kernel has no NFSv4 client: modprobe nfsv4 on the node, or install "
		       "the kernel's module package";
	case -EPROTONOSUPPORT:
		return "the server or this kernel has no NFS 4.2: check modprobe nfsv4, and that "
		       "the server is kora-sandbox-mount";
	case -ECONNREFUSED:
		return "nothing listens there: is kora-sandbox-mount running on the server?";
	case -ETIMEDOUT:
		return "the server does not answer: is it up, and does a firewall drop the port?";
	case -EHOSTUNREACH:
	case -ENETUNREACH:
		return "no way to the server: check routes and firewall of both nodes";
	case -ESTALE:
		return "the exported folder is gone on the server";
	case -EIO:
		return "the connection was cut off, or the server failed";
	case -EBUSY:
		return "the kernel is busy with another mount of the same server: try again";
	case -EINVAL:
		return "the kernel refused the options: see dmesg";
	default:
		return NULL;
	}
}

static bool read_label(char *label, size_t size)
{
	_cleanup_close_ int fd = open("/proc/thread-self/attr/current", O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : read(fd, label, size - 1);

	if (got <= 0)
		return false;
	label[got] = '\0';
	label[strcspn(label, "\n")] = '\0';
	return *label && strcmp(label, "unconfined") != 0 && strcmp(label, "kernel") != 0;
}

void mount_error_lsm(char *text, size_t size)
{
	char label[128];

	text[0] = '\0';
	if (!read_label(label, sizeof label))
		return;
	if (strchr(label, ':'))
		(void)snprintf(text, size,
			"; or SELinux refused (label %s): see ausearch -m avc, run as spc_t",
			label);
	else
		(void)snprintf(text, size,
			"; or AppArmor refused (profile %s): see dmesg, run unconfined", label);
}
