/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of nfsd's kernel interfaces that are newer than the oldest headers we build with. */
#pragma once

#define NFSD_SUPER_MAGIC 0x6e667364 /* statfs f_type of the filesystem "nfsd" */

/* Generic netlink family "nfsd": commands. */
enum nfsd_command {
	NFSD_THREADS_SET = 2, /* 6.10 */
	NFSD_THREADS_GET,
	NFSD_VERSION_SET,
	NFSD_VERSION_GET,
	NFSD_LISTENER_SET,
	NFSD_LISTENER_GET,
	NFSD_CACHE_NOTIFY = 10, /* 7.x from here on */
	NFSD_SVC_EXPORT_GET_REQS,
	NFSD_SVC_EXPORT_SET_REQS,
	NFSD_EXPKEY_GET_REQS,
	NFSD_EXPKEY_SET_REQS,
	NFSD_CACHE_FLUSH,
	NFSD_UNLOCK_IP,
	NFSD_UNLOCK_FILESYSTEM,
	NFSD_UNLOCK_EXPORT,
};

/* Attributes of THREADS_SET. */
enum {
	NFSD_SERVER_THREADS = 1, /* u32, one per pool */
	NFSD_SERVER_GRACETIME,	 /* u32, seconds */
	NFSD_SERVER_LEASETIME,	 /* u32, seconds */
	NFSD_SERVER_SCOPE,	 /* string */
};

/* VERSION_SET: a list of nested NFSD_PROTO_VERSION; what is not listed is off. */
enum {
	NFSD_PROTO_VERSION = 1,
};
enum {
	NFSD_VERSION_MAJOR = 1, /* u32 */
	NFSD_VERSION_MINOR,	/* u32 */
	NFSD_VERSION_ENABLED,	/* flag */
};

/* LISTENER_SET: a list of nested NFSD_SERVER_SOCK; what is not listed is closed. */
enum {
	NFSD_SERVER_SOCK = 1,
};
enum {
	NFSD_SOCK_ADDR = 1,	  /* struct sockaddr_storage */
	NFSD_SOCK_TRANSPORT_NAME, /* string */
};

/* UNLOCK_FILESYSTEM and UNLOCK_EXPORT. */
enum {
	NFSD_UNLOCK_PATH = 1, /* string */
};

/* CACHE_FLUSH. */
enum {
	NFSD_CACHE_FLUSH_MASK = 1, /* u32: 1 export, 2 expkey */
};
