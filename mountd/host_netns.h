/* SPDX-License-Identifier: Apache-2.0 */
/* Is this the node's own network namespace? Server and mounts end with the one they are in. */
#pragma once

enum host_netns {
	HOST_NETNS_OWN,
	HOST_NETNS_OTHER,
	HOST_NETNS_UNKNOWN, /* in a process namespace, where process 1 is not the node's */
};

enum host_netns host_netns(void);
