/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whose process has a network namespace's lock. To connect to it would tell, too, but nobody
 * accepts: soon there is no room for one more who asks.
 */
#include "mountd/netns_lock_owner.h"

#include <errno.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "mountd/base/cleanup.h"
#include "mountd/netns_lock.h"

static int find_inode(uint64_t *ret)
{
	_cleanup_free_ char *line = NULL;
	size_t size = 0;
	_cleanup_fclose_ FILE *file = fopen("/proc/net/unix", "re");

	if (!file)
		return -errno;
	while (getline(&line, &size, file) >= 0) {
		unsigned long inode;
		char name[128];
		if (sscanf(line, "%*x: %*x %*x %*x %*x %*x %lu %127s", &inode, name) == 2 &&
			strcmp(name, "@" NETNS_LOCK_NAME) == 0) {
			*ret = inode;
			return 0;
		}
	}
	return -ENOENT;
}

static int ask(int fd, uint64_t inode)
{
	struct {
		struct nlmsghdr header;
		struct unix_diag_req request;
	} message = {
		.header = {.nlmsg_len = sizeof message,
			.nlmsg_type = SOCK_DIAG_BY_FAMILY,
			.nlmsg_flags = NLM_F_REQUEST},
		.request = {.sdiag_family = AF_UNIX,
			.udiag_states = ~0U,
			.udiag_ino = (uint32_t)inode,
			.udiag_show = UDIAG_SHOW_UID,
			.udiag_cookie = {~0U, ~0U}}, /* whichever has that inode */
	};

	return send(fd, &message, sizeof message, 0) < 0 ? -errno : 0;
}

/* -ENOENT is also what a kernel says that has no unix_diag. */
static int parse_uid(const struct nlmsghdr *header, size_t size, uid_t *ret)
{
	const struct unix_diag_msg *body = NLMSG_DATA(header);

	if (!NLMSG_OK(header, size))
		return -EBADMSG;
	if (header->nlmsg_type == NLMSG_ERROR)
		return ((const struct nlmsgerr *)NLMSG_DATA(header))->error;
	if (header->nlmsg_type != SOCK_DIAG_BY_FAMILY ||
		header->nlmsg_len < NLMSG_LENGTH(sizeof *body))
		return -EBADMSG;
	int left = (int)(header->nlmsg_len - NLMSG_LENGTH(sizeof *body));
	for (const struct rtattr *a = (const void *)(body + 1); RTA_OK(a, left);
		a = RTA_NEXT(a, left))
		if (a->rta_type == UNIX_DIAG_UID && RTA_PAYLOAD(a) == sizeof *ret) {
			memcpy(ret, RTA_DATA(a), sizeof *ret);
			return 0;
		}
	return -EOPNOTSUPP;
}

static int find_uid(uint64_t inode, uid_t *ret)
{
	_cleanup_close_ int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
	char answer[4096] __attribute__((aligned(NLMSG_ALIGNTO)));

	if (fd < 0)
		return errno == EPROTONOSUPPORT ? -EOPNOTSUPP : -errno;
	int r = ask(fd, inode);
	if (r < 0)
		return r;
	ssize_t n = recv(fd, answer, sizeof answer, 0);
	return n < 0 ? -errno : parse_uid((const void *)answer, (size_t)n, ret);
}

int netns_lock_owner(uint64_t *ret_inode, uid_t *ret_uid)
{
	uint64_t inode = 0, still = 0;
	uid_t uid = 0;
	int r = find_inode(&inode);

	if (r < 0)
		return r;
	r = find_uid(inode, &uid);
	if (r == -ENOENT)
		return find_inode(&still) == 0 && still == inode ? -EOPNOTSUPP : -ENOENT;
	if (r < 0)
		return r;
	*ret_inode = inode;
	*ret_uid = uid;
	return 0;
}
