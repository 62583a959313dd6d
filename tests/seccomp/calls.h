/* SPDX-License-Identifier: Apache-2.0 */
/* Calls whose fate depends on their arguments, beside the ones that the rules themselves name. */
#pragma once

#include <stdint.h>

struct call {
	const char *name;
	uint64_t args[3];
};

static const struct call chosen_calls[] = {
	/* socket: families from UNIX to MCTP, by number */
	{"socket", {0, 1, 0}},
	{"socket", {1, 1, 0}},
	{"socket", {1, 2, 0}},
	{"socket", {1, 5 | 02000000, 0}},
	{"socket", {2, 1 | 02000000 | 04000, 0}},
	{"socket", {2, 1, 262}}, /* MPTCP */
	{"socket", {2, 1, 256}}, /* SMC */
	{"socket", {2, 1, 132}}, /* SCTP */
	{"socket", {2, 2, 136}}, /* UDP-Lite */
	{"socket", {2, 3, 1}},	 /* raw ICMP */
	{"socket", {2, 5, 0}},	 /* seqpacket: SCTP */
	{"socket", {2, 6, 0}},	 /* DCCP */
	{"socket", {3, 5, 0}},
	{"socket", {10, 1, 0}},
	{"socket", {10, 1, 262}},
	{"socket", {10, 2, 0}},
	{"socket", {10, 2, 58}},
	{"socket", {10, 3, 58}},
	{"socket", {15, 3, 2}},
	{"socket", {16, 3, 0}},
	{"socket", {16, 3, 9}},	 /* netlink audit */
	{"socket", {16, 3, 12}}, /* netlink netfilter */
	{"socket", {16, 3, 16}}, /* generic netlink */
	{"socket", {17, 3, 0}},	 /* packet */
	{"socket", {21, 5, 0}},	 /* RDS */
	{"socket", {26, 5, 0}},	 /* LLC */
	{"socket", {29, 3, 1}},	 /* CAN */
	{"socket", {30, 1, 0}},	 /* TIPC */
	{"socket", {31, 1, 3}},	 /* Bluetooth */
	{"socket", {33, 2, 0}},	 /* RxRPC */
	{"socket", {38, 5, 0}},	 /* ALG */
	{"socket", {40, 1, 0}},	 /* VSOCK */
	{"socket", {43, 1, 0}},	 /* SMC */
	{"socket", {44, 3, 0}},	 /* XDP */
	{"socket", {45, 2, 0}},	 /* MCTP */
	{"socketpair", {1, 1, 0}},
	{"socketpair", {30, 1, 0}},
	{"personality", {4, 0, 0}},
	{"personality", {0x400000, 0, 0}}, /* READ_IMPLIES_EXEC */
	{"personality", {0x100000, 0, 0}}, /* MMAP_PAGE_ZERO */
	{"prlimit64", {1, 7, 0}},
	{"setpriority", {0, 1, 19}},
	{"setpriority", {1, 0, 19}},
	{"setpriority", {2, 0, 19}},
	{"ioprio_set", {1, 1, 0}},
	{"ioprio_set", {2, 0, 0}},
	{"ioprio_set", {3, 0, 0}},
	{"sched_setaffinity", {0, 8, 0}},
	{"sched_setaffinity", {1, 8, 0}},
	{"sched_setattr", {1, 0, 0}},
	{"sched_setparam", {1, 0, 0}},
	{"sched_setscheduler", {1, 3, 0}},
	{"ioctl", {0, 0x5401, 0}}, /* TCGETS */
	{"ioctl", {0, 0x5413, 0}}, /* TIOCGWINSZ */
	{"ioctl", {0, 0x540e, 0}}, /* TIOCSCTTY */
	{"clone", {0x11, 0, 0}},
	{"clone", {0x4111, 0, 0}},   /* vfork */
	{"clone", {0x3d0f00, 0, 0}}, /* a thread */
	{"clone", {0x91, 0, 0}},     /* SIGCHLD and a bit of the exit signal */
	{"clone", {0x7e020011, 0, 0}},
	{"unshare", {0x400, 0, 0}},
	{"unshare", {0x10000000, 0, 0}},
};
#define N_CHOSEN (sizeof(chosen_calls) / sizeof(chosen_calls[0]))
