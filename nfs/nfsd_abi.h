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

/* Flags in a line of nfsd.export (uapi/linux/nfsd/export.h); the same in netlink. */
enum {
	NFSD_EXPORT_READONLY = 0x1,
	NFSD_EXPORT_INSECURE_PORT = 0x2,
	NFSD_EXPORT_ROOTSQUASH = 0x4,
	NFSD_EXPORT_ALLSQUASH = 0x8,
	NFSD_EXPORT_ASYNC = 0x10,
	NFSD_EXPORT_NOSUBTREECHECK = 0x400,
	NFSD_EXPORT_V4ROOT = 0x10000,
};

/* How a file handle names its export: the key in nfsd.fh (fs/nfsd/nfsfh.h). */
enum {
	NFSD_FSID_NUM = 1,	   /* 4 bytes: the export's number */
	NFSD_FSID_UUID16 = 6,	   /* 16 bytes: uuid; the export is its filesystem's root */
	NFSD_FSID_UUID16_INUM = 7, /* 8 bytes inode in host order, 16 bytes uuid */
};

/* Cache upcalls, 7.x: in family "nfsd" for exports and handle keys, in "sunrpc" for addresses. */
#define NFSD_FAMILY   "nfsd"
#define SUNRPC_FAMILY "sunrpc"
#define EXPORTD_GROUP "exportd" /* multicast, in both families */

enum sunrpc_command {
	SUNRPC_CACHE_NOTIFY = 1,
	SUNRPC_IP_MAP_GET_REQS,
	SUNRPC_IP_MAP_SET_REQS,
};

/* CACHE_NOTIFY of either family. */
enum {
	CACHE_NOTIFY_TYPE = 1, /* u32: bits */
};
enum {
	NFSD_CACHE_SVC_EXPORT = 1,
	NFSD_CACHE_EXPKEY = 2,
};
enum {
	SUNRPC_CACHE_IP_MAP = 1,
};

/* GET_REQS and SET_REQS of every cache: a list of nests. */
enum {
	CACHE_REQUESTS = 1,
};
enum {
	NFSD_EXP_SEQNO = 1, /* u64 */
	NFSD_EXP_CLIENT,    /* string */
	NFSD_EXP_PATH,	    /* string */
	NFSD_EXP_NEGATIVE,  /* flag */
	NFSD_EXP_EXPIRY,    /* u64, seconds since the epoch */
	NFSD_EXP_ANON_UID,  /* u32 */
	NFSD_EXP_ANON_GID,  /* u32 */
	NFSD_EXP_FSLOCATIONS,
	NFSD_EXP_UUID, /* 16 bytes */
	NFSD_EXP_SECINFO,
	NFSD_EXP_XPRTSEC,
	NFSD_EXP_FLAGS, /* u32 */
	NFSD_EXP_FSID,	/* s32 */
	NFSD_EXP_END,
};
enum {
	NFSD_KEY_SEQNO = 1, /* u64 */
	NFSD_KEY_CLIENT,    /* string */
	NFSD_KEY_FSIDTYPE,  /* u8 */
	NFSD_KEY_FSID,	    /* bytes */
	NFSD_KEY_NEGATIVE,  /* flag */
	NFSD_KEY_EXPIRY,    /* u64 */
	NFSD_KEY_PATH,	    /* string */
	NFSD_KEY_END,
};
enum {
	SUNRPC_IP_SEQNO = 1, /* u64 */
	SUNRPC_IP_CLASS,     /* string */
	SUNRPC_IP_ADDR,	     /* string */
	SUNRPC_IP_DOMAIN,    /* string */
	SUNRPC_IP_NEGATIVE,  /* flag */
	SUNRPC_IP_EXPIRY,    /* u64 */
	SUNRPC_IP_END,
};
