/* SPDX-License-Identifier: Apache-2.0 */
/* Rules on arguments: what the ARGS groups allow, and what is refused under every profile. */
#include "seccomp/profiles/profiles.h"

#include <linux/ioprio.h>
#include <linux/sched.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/socket.h>

#define ALL	  UINT32_MAX
#define SOCK_MASK 0xfu /* the type without SOCK_CLOEXEC and SOCK_NONBLOCK */
#define EITHER_IP 0xfffffff7u

/* One mask takes both: the numbers differ in that bit alone. */
_Static_assert((AF_INET & EITHER_IP) == AF_INET && (AF_INET6 & EITHER_IP) == AF_INET &&
		       (AF_INET ^ AF_INET6) == 8,
	"AF_INET and AF_INET6 differ in one bit");

#define ALLOWED IN_STRICT | IN_DEV, FATE_ALLOW
#define REFUSED IN_STRICT | IN_DEV | IN_GUARD, FATE_EPERM
#define GUARDED IN_GUARD, FATE_EPERM /* the profiles refuse the whole call */
#define INET(type, protocol, text) \
	{ \
		ALLOWED, "socket", text, \
		{ \
			{0, EITHER_IP, AF_INET}, {1, SOCK_MASK, (type)}, \
			{ \
				2, ALL, (protocol) \
			} \
		} \
	}
#define SELF(call) \
	{ \
		ALLOWED, call, "the caller itself (0)", \
		{ \
			{ \
				0, ALL, 0 \
			} \
		} \
	}
#define PERSONALITY(value, text) \
	{ \
		ALLOWED, "personality", text, \
		{ \
			{ \
				0, ALL, value \
			} \
		} \
	}
#define NO_IOCTL(value, text) \
	{ \
		REFUSED, "ioctl", text, \
		{ \
			{ \
				1, ALL, value \
			} \
		} \
	}
#define NO_NAMESPACE(who, call, flag) \
	{ \
		who, call, #flag, \
		{ \
			{ \
				0, flag, flag \
			} \
		} \
	}

#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x80
#endif

const struct seccomp_rule seccomp_rules[] = {
	{ALLOWED, "socket", "AF_UNIX", {{0, ALL, AF_UNIX}}},
	INET(SOCK_STREAM, 0, "AF_INET and AF_INET6, stream: TCP"),
	INET(SOCK_STREAM, IPPROTO_TCP, "AF_INET and AF_INET6, stream: TCP by number"),
	INET(SOCK_DGRAM, 0, "AF_INET and AF_INET6, datagram: UDP"),
	INET(SOCK_DGRAM, IPPROTO_UDP, "AF_INET and AF_INET6, datagram: UDP by number"),
	INET(SOCK_DGRAM, IPPROTO_ICMP, "AF_INET, datagram: unprivileged ping"),
	INET(SOCK_DGRAM, IPPROTO_ICMPV6, "AF_INET6, datagram: unprivileged ping"),
	{ALLOWED, "socket", "AF_NETLINK, NETLINK_ROUTE: interface lists",
		{{0, ALL, AF_NETLINK}, {2, ALL, 0}}},
	{ALLOWED, "socketpair", "AF_UNIX", {{0, ALL, AF_UNIX}}},

	PERSONALITY(PER_LINUX, "PER_LINUX"),
	PERSONALITY(PER_LINUX32, "PER_LINUX32"),
	PERSONALITY(UNAME26, "UNAME26"),
	PERSONALITY(UNAME26 | PER_LINUX32, "UNAME26 and PER_LINUX32"),
	PERSONALITY(ADDR_NO_RANDOMIZE, "ADDR_NO_RANDOMIZE, for debuggers"),
	PERSONALITY(0xffffffff, "asks for the current one"),

	SELF("prlimit64"),
	{ALLOWED, "setpriority", "the caller itself (PRIO_PROCESS 0)",
		{{0, ALL, PRIO_PROCESS}, {1, ALL, 0}}},
	{ALLOWED, "ioprio_set", "the caller itself (IOPRIO_WHO_PROCESS 0)",
		{{0, ALL, IOPRIO_WHO_PROCESS}, {1, ALL, 0}}},
	SELF("sched_setscheduler"),
	SELF("sched_setparam"),
	SELF("sched_setattr"),
	{IN_STRICT, FATE_ALLOW, "sched_setaffinity", "the caller itself (0)", {{0, ALL, 0}}},

	NO_IOCTL(TIOCSTI, "TIOCSTI types into the terminal (CVE-2017-5226)"),
	NO_IOCTL(TIOCLINUX, "TIOCLINUX pastes into the terminal (CVE-2023-1523)"),
	NO_IOCTL(TIOCSETD, "TIOCSETD loads line disciplines (CVE-2017-2636)"),
	NO_NAMESPACE(REFUSED, "clone", CLONE_NEWNS),
	NO_NAMESPACE(REFUSED, "clone", CLONE_NEWCGROUP),
	NO_NAMESPACE(REFUSED, "clone", CLONE_NEWUTS),
	NO_NAMESPACE(REFUSED, "clone", CLONE_NEWIPC),
	NO_NAMESPACE(REFUSED, "clone", CLONE_NEWUSER),
	NO_NAMESPACE(REFUSED, "clone", CLONE_NEWPID),
	NO_NAMESPACE(REFUSED, "clone", CLONE_NEWNET),
	NO_NAMESPACE(GUARDED, "unshare", CLONE_NEWTIME),
	NO_NAMESPACE(GUARDED, "unshare", CLONE_NEWNS),
	NO_NAMESPACE(GUARDED, "unshare", CLONE_NEWCGROUP),
	NO_NAMESPACE(GUARDED, "unshare", CLONE_NEWUTS),
	NO_NAMESPACE(GUARDED, "unshare", CLONE_NEWIPC),
	NO_NAMESPACE(GUARDED, "unshare", CLONE_NEWUSER),
	NO_NAMESPACE(GUARDED, "unshare", CLONE_NEWPID),
	NO_NAMESPACE(GUARDED, "unshare", CLONE_NEWNET),
	{IN_GUARD, FATE_ENOSYS, "clone3", "flags behind a pointer; libc falls back to clone",
		{{0}}},
	{IN_GUARD, FATE_ENOSYS, "io_uring_setup", "works past the filter; runtimes fall back",
		{{0}}},
	{IN_GUARD, FATE_ENOSYS, "io_uring_enter", "works past the filter; runtimes fall back",
		{{0}}},
	{IN_GUARD, FATE_ENOSYS, "io_uring_register", "works past the filter; runtimes fall back",
		{{0}}},
};
const size_t seccomp_rule_count = sizeof(seccomp_rules) / sizeof(seccomp_rules[0]);
