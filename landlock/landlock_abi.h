/* SPDX-License-Identifier: Apache-2.0 */
/* Landlock's kernel interface up to ABI 10: distributions' headers lag years behind their kernels.
 */
#pragma once

#include <linux/landlock.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LL_ABI_NEWEST 10 /* the newest ABI this program knows */

enum {
	LL_CREATE_VERSION = 1U << 0, /* landlock_create_ruleset: return the ABI instead */
};

enum ll_fs {
	LL_FS_EXECUTE = 1U << 0,
	LL_FS_WRITE_FILE = 1U << 1,
	LL_FS_READ_FILE = 1U << 2,
	LL_FS_READ_DIR = 1U << 3,
	LL_FS_REMOVE_DIR = 1U << 4,
	LL_FS_REMOVE_FILE = 1U << 5,
	LL_FS_MAKE_CHAR = 1U << 6,
	LL_FS_MAKE_DIR = 1U << 7,
	LL_FS_MAKE_REG = 1U << 8,
	LL_FS_MAKE_SOCK = 1U << 9,
	LL_FS_MAKE_FIFO = 1U << 10,
	LL_FS_MAKE_BLOCK = 1U << 11,
	LL_FS_MAKE_SYM = 1U << 12,
	LL_FS_REFER = 1U << 13,	       /* ABI 2 */
	LL_FS_TRUNCATE = 1U << 14,     /* ABI 3 */
	LL_FS_IOCTL_DEV = 1U << 15,    /* ABI 5 */
	LL_FS_RESOLVE_UNIX = 1U << 16, /* ABI 9 */
};

enum ll_net {
	LL_NET_BIND_TCP = 1U << 0,	   /* ABI 4 */
	LL_NET_CONNECT_TCP = 1U << 1,	   /* ABI 4 */
	LL_NET_BIND_UDP = 1U << 2,	   /* ABI 10; port 0 is the kernel's own choice of port */
	LL_NET_CONNECT_SEND_UDP = 1U << 3, /* ABI 10 */
};

enum ll_scope {
	LL_SCOPE_ABSTRACT_UNIX = 1U << 0, /* ABI 6 */
	LL_SCOPE_SIGNAL = 1U << 1,	  /* ABI 6 */
};

enum ll_restrict {
	LL_LOG_SAME_EXEC_OFF = 1U << 0,	 /* ABI 7 */
	LL_LOG_NEW_EXEC_ON = 1U << 1,	 /* ABI 7 */
	LL_LOG_SUBDOMAINS_OFF = 1U << 2, /* ABI 7 */
};

/* The kernel takes any prefix of this whose tail it does not know is zero. */
struct ll_ruleset_attr {
	uint64_t handled_access_fs;
	uint64_t handled_access_net; /* ABI 4 */
	uint64_t scoped;	     /* ABI 6 */
	uint64_t quiet_access_fs;    /* ABI 10 */
	uint64_t quiet_access_net;
	uint64_t quiet_scoped;
};

enum {
	LL_RULE_PATH_BENEATH = 1,
	LL_RULE_NET_PORT = 2,
};

struct ll_path_beneath_attr {
	uint64_t allowed_access;
	int32_t parent_fd;
} __attribute__((packed));

struct ll_net_port_attr {
	uint64_t allowed_access;
	uint64_t port;
};

_Static_assert(sizeof(struct ll_ruleset_attr) == 48, "kernel ABI");
_Static_assert(sizeof(struct ll_net_port_attr) == 16, "kernel ABI");
_Static_assert(sizeof(struct ll_path_beneath_attr) == sizeof(struct landlock_path_beneath_attr),
	"kernel ABI");
_Static_assert(LL_RULE_PATH_BENEATH == (int)LANDLOCK_RULE_PATH_BENEATH, "kernel ABI");
_Static_assert(LL_CREATE_VERSION == LANDLOCK_CREATE_RULESET_VERSION, "kernel ABI");
_Static_assert(LL_FS_EXECUTE == LANDLOCK_ACCESS_FS_EXECUTE, "kernel ABI");
_Static_assert(LL_FS_READ_DIR == LANDLOCK_ACCESS_FS_READ_DIR, "kernel ABI");
_Static_assert(LL_FS_MAKE_SYM == LANDLOCK_ACCESS_FS_MAKE_SYM, "kernel ABI");
#ifdef LANDLOCK_ACCESS_FS_REFER
_Static_assert(LL_FS_REFER == LANDLOCK_ACCESS_FS_REFER, "kernel ABI");
#endif
#ifdef LANDLOCK_ACCESS_FS_TRUNCATE
_Static_assert(LL_FS_TRUNCATE == LANDLOCK_ACCESS_FS_TRUNCATE, "kernel ABI");
#endif
#ifdef LANDLOCK_ACCESS_NET_BIND_TCP
_Static_assert(LL_NET_BIND_TCP == LANDLOCK_ACCESS_NET_BIND_TCP, "kernel ABI");
_Static_assert(LL_NET_CONNECT_TCP == LANDLOCK_ACCESS_NET_CONNECT_TCP, "kernel ABI");
_Static_assert(LL_RULE_NET_PORT == (int)LANDLOCK_RULE_NET_PORT, "kernel ABI");
#endif
#ifdef LANDLOCK_ACCESS_FS_IOCTL_DEV
_Static_assert(LL_FS_IOCTL_DEV == LANDLOCK_ACCESS_FS_IOCTL_DEV, "kernel ABI");
#endif
#ifdef LANDLOCK_SCOPE_SIGNAL
_Static_assert(LL_SCOPE_SIGNAL == LANDLOCK_SCOPE_SIGNAL, "kernel ABI");
_Static_assert(LL_SCOPE_ABSTRACT_UNIX == LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET, "kernel ABI");
#endif
#ifdef LANDLOCK_RESTRICT_SELF_LOG_NEW_EXEC_ON
_Static_assert(LL_LOG_SAME_EXEC_OFF == LANDLOCK_RESTRICT_SELF_LOG_SAME_EXEC_OFF, "kernel ABI");
_Static_assert(LL_LOG_NEW_EXEC_ON == LANDLOCK_RESTRICT_SELF_LOG_NEW_EXEC_ON, "kernel ABI");
_Static_assert(LL_LOG_SUBDOMAINS_OFF == LANDLOCK_RESTRICT_SELF_LOG_SUBDOMAINS_OFF, "kernel ABI");
#endif
#ifdef LANDLOCK_ACCESS_FS_RESOLVE_UNIX
_Static_assert(LL_FS_RESOLVE_UNIX == LANDLOCK_ACCESS_FS_RESOLVE_UNIX, "kernel ABI");
#endif
#ifdef LANDLOCK_ACCESS_NET_BIND_UDP
_Static_assert(LL_NET_BIND_UDP == LANDLOCK_ACCESS_NET_BIND_UDP, "kernel ABI");
_Static_assert(LL_NET_CONNECT_SEND_UDP == LANDLOCK_ACCESS_NET_CONNECT_SEND_UDP, "kernel ABI");
_Static_assert(
	sizeof(struct ll_ruleset_attr) == sizeof(struct landlock_ruleset_attr), "kernel ABI");
#endif

static inline int ll_create_ruleset(const struct ll_ruleset_attr *attr, size_t size, uint32_t flags)
{
	return (int)syscall(SYS_landlock_create_ruleset, attr, size, flags);
}

static inline int ll_add_rule(int ruleset, int type, const void *attr)
{
	return (int)syscall(SYS_landlock_add_rule, ruleset, type, attr, 0U);
}

static inline int ll_restrict_self(int ruleset, uint32_t flags)
{
	return (int)syscall(SYS_landlock_restrict_self, ruleset, flags);
}
