/* SPDX-License-Identifier: Apache-2.0 */
/* Makes this node's firewall forget every connection, as conntrack -F does. */
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nfnetlink_conntrack.h>
#include <linux/netlink.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

int main(void)
{
	struct {
		struct nlmsghdr head;
		struct nfgenmsg family;
	} request = {
		.head = {.nlmsg_len = sizeof request,
			.nlmsg_type = NFNL_SUBSYS_CTNETLINK << 8 | IPCTNL_MSG_CT_DELETE,
			.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK},
		.family = {.nfgen_family = AF_UNSPEC, .version = NFNETLINK_V0},
	};
	struct {
		struct nlmsghdr head;
		struct nlmsgerr error;
	} answer;
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_NETFILTER);

	if (fd < 0 || send(fd, &request, sizeof request, 0) < 0 ||
		recv(fd, &answer, sizeof answer, 0) < (ssize_t)sizeof answer.head) {
		perror("conntrack");
		return 1;
	}
	if (answer.head.nlmsg_type == NLMSG_ERROR && answer.error.error) {
		(void)fprintf(stderr, "conntrack: %s\n", strerror(-answer.error.error));
		return 1;
	}
	return 0;
}
