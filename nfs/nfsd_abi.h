/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers of the kernel's NFS server that the oldest supported system's headers lack: export
 * flags and handle types (uapi/linux/nfsd/{export,nfsfh}.h), and its generic netlink families
 * (uapi/linux/{nfsd,sunrpc}_netlink.h as of 7.3).
 */
#pragma once

/* Flags in a line of nfsd.export; the netlink attribute has the same values. */
enum {
	NFSD_EXPORT_READONLY = 0x1,
	NFSD_EXPORT_INSECURE_PORT = 0x2,
	NFSD_EXPORT_ROOTSQUASH = 0x4,
	NFSD_EXPORT_ALLSQUASH = 0x8,
	NFSD_EXPORT_ASYNC = 0x10,
	NFSD_EXPORT_NOSUBTREECHECK = 0x400,
	NFSD_EXPORT_FSID = 0x2000,
	NFSD_EXPORT_V4ROOT = 0x10000,
};

/* How a file handle names its export; the length is the key's in nfsd.fh. */
enum {
	NFSD_FSID_NUM = 1,	   /* 4 bytes: the export's number */
	NFSD_FSID_UUID16 = 6,	   /* 16 bytes: uuid; the export is its filesystem's root */
	NFSD_FSID_UUID16_INUM = 7, /* 8 bytes inode in host order, 16 bytes uuid */
};

#define NFSD_GENL_FAMILY   "nfsd"
#define SUNRPC_GENL_FAMILY "sunrpc"
#define NFSD_GENL_EXPORTD  "exportd" /* the multicast group of cache upcalls, in both */

enum nfsd_genl_command {
	NFSD_GENL_THREADS_SET = 2,
	NFSD_GENL_THREADS_GET = 3,
	NFSD_GENL_VERSION_SET = 4,
	NFSD_GENL_VERSION_GET = 5,
	NFSD_GENL_LISTENER_SET = 6,
	NFSD_GENL_LISTENER_GET = 7,
	NFSD_GENL_CACHE_NOTIFY = 10,
	NFSD_GENL_SVC_EXPORT_GET_REQS = 11,
	NFSD_GENL_SVC_EXPORT_SET_REQS = 12,
	NFSD_GENL_EXPKEY_GET_REQS = 13,
	NFSD_GENL_EXPKEY_SET_REQS = 14,
	NFSD_GENL_CACHE_FLUSH = 15,
	NFSD_GENL_UNLOCK_IP = 16,
	NFSD_GENL_UNLOCK_FILESYSTEM = 17,
	NFSD_GENL_UNLOCK_EXPORT = 18,
};

enum sunrpc_genl_command {
	SUNRPC_GENL_CACHE_NOTIFY = 1,
	SUNRPC_GENL_IP_MAP_GET_REQS = 2,
	SUNRPC_GENL_IP_MAP_SET_REQS = 3,
	SUNRPC_GENL_CACHE_FLUSH = 6,
};

/* Attributes, one enum for each nest. */
enum {
	NFSD_A_SRV_THREADS = 1,
	NFSD_A_SRV_GRACETIME,
	NFSD_A_SRV_LEASETIME,
	NFSD_A_SRV_SCOPE,
};
enum {
	NFSD_A_VERS_MAJOR = 1,
	NFSD_A_VERS_MINOR,
	NFSD_A_VERS_ENABLED,
};
enum { NFSD_A_PROTO_VERSION = 1 }; /* nest of the above */
enum { NFSD_A_LISTENER_SOCK = 1 }; /* nest of the below */
enum { NFSD_A_SOCKET_ADDR = 1, NFSD_A_SOCKET_TRANSPORT };
enum { NFSD_A_UNLOCK_FS_PATH = 1 };
enum { NFSD_A_UNLOCK_EXP_PATH = 1 };
enum { NFSD_A_REQUESTS = 1 }; /* the nest of each cache's requests and answers */
enum {
	NFSD_A_EXP_SEQNO = 1,
	NFSD_A_EXP_CLIENT,
	NFSD_A_EXP_PATH,
	NFSD_A_EXP_NEGATIVE,
	NFSD_A_EXP_EXPIRY,
	NFSD_A_EXP_ANON_UID,
	NFSD_A_EXP_ANON_GID,
	NFSD_A_EXP_FSLOCATIONS,
	NFSD_A_EXP_UUID,
	NFSD_A_EXP_SECINFO,
	NFSD_A_EXP_XPRTSEC,
	NFSD_A_EXP_FLAGS,
	NFSD_A_EXP_FSID,
	NFSD_A_EXP_END,
};
enum {
	NFSD_A_KEY_SEQNO = 1,
	NFSD_A_KEY_CLIENT,
	NFSD_A_KEY_FSIDTYPE,
	NFSD_A_KEY_FSID,
	NFSD_A_KEY_NEGATIVE,
	NFSD_A_KEY_EXPIRY,
	NFSD_A_KEY_PATH,
	NFSD_A_KEY_END,
};
enum {
	SUNRPC_A_IP_SEQNO = 1,
	SUNRPC_A_IP_CLASS,
	SUNRPC_A_IP_ADDR,
	SUNRPC_A_IP_DOMAIN,
	SUNRPC_A_IP_NEGATIVE,
	SUNRPC_A_IP_EXPIRY,
	SUNRPC_A_IP_END,
};
