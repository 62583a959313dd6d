/* SPDX-License-Identifier: Apache-2.0 */
/* Is this the node's own network namespace? */
#include "mountd/host_netns.h"

#include <sys/stat.h>

#define INITIAL_PID_NS 0xEFFFFFFCu /* PROC_PID_INIT_INO: the kernel's own constant */

static ino_t namespace_of(const char *path)
{
	struct stat st;

	return stat(path, &st) < 0 ? 0 : st.st_ino;
}

enum host_netns host_netns(void)
{
	ino_t own = namespace_of("/proc/self/ns/net"), first = namespace_of("/proc/1/ns/net");

	if (namespace_of("/proc/self/ns/pid") != INITIAL_PID_NS || !own || !first)
		return HOST_NETNS_UNKNOWN;
	return own == first ? HOST_NETNS_OWN : HOST_NETNS_OTHER;
}
