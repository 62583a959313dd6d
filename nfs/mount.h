/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The mount engine. Every function here can block on a dead server and is therefore only ever
 * called in a worker process that its caller may kill at any time; killed at any instant it
 * leaves either nothing or a whole mount that the next call adopts.
 */
#pragma once

#include <limits.h>

#include "mountd/base/kerr.h"
#include "nfs/run.h"

/* Kernel mechanisms that can be kept from being used. */
enum mount_rung {
	MOUNT_RUNG_BENEATH = 1 << 0,  /* MOVE_MOUNT_BENEATH, 6.5+ */
	MOUNT_RUNG_SHUTDOWN = 1 << 1, /* /sys/fs/nfs/<dev>/shutdown, 6.5+ */
};

/* The rungs that this kernel has, as enum mount_rung bits. Needs CAP_SYS_ADMIN to tell them all. */
unsigned mount_rungs(void);

struct actual_mounts;

struct mount_config {
	const char *client_identifier; /* this node's unique name, for nfs_client/identifier */
	int staging;		       /* mount_staging_new()'s; kept open by the worker */
	unsigned masked_rungs;	       /* enum mount_rung bits that must not be used */
};

/* A mount that mountinfo shows on top at its place, made by an earlier process. */
struct mount_seen {
	const char *at; /* borrowed; its target there */
	uint64_t id;
	unsigned major, minor;
	char options_fault[128]; /* as mount_outcome's */
};

/* A mount that is known to be there. */
struct mount_known {
	const char *at;	    /* mount_outcome's target, or NULL */
	uint64_t unique_id; /* of the run's only mount on this node; 0: there may be others */
	/* /proc/self/mountinfo, opened before the run's mount was seen to stand alone; 0: not seen.
	 */
	int unchanged_since;
	const struct addr *server; /* of an NFS mount: asked where it is in use; or NULL */
	uint16_t port;
};

/*
 * Makes the mount namespace in which mounts are tried: it holds nothing of the node, so that a
 * copy of it costs the same with ten mounts and with ten thousand. Only descriptors keep it.
 * -EPERM: no CAP_SYS_ADMIN. *ret is untouched on failure.
 */
int mount_staging_new(int *ret, struct kerr *e);

struct mount_outcome {
	const char *rung;      /* static: "adopted", "attach", "beneath" or "detach-attach" */
	unsigned major, minor; /* st_dev of what shows at the target */
	uint64_t mount_id;     /* mountinfo's first field */
	uint64_t unique_id;    /* statmount(2)'s; 0: an older kernel */
	char target[PATH_MAX]; /* where it shows, as mountinfo names it: without symbolic links */
	bool propagates;       /* the target's own mount is shared: without that no pod sees ours */
	char options_fault[128]; /* wanted options that are not in force; empty = all are */
	char client_fault[192];	 /* this node's NFS client has another name than wanted; or empty */
	char target_fault[128];	 /* files that the mount hides; or empty */
};

/* <volume>/<run>/sandbox into text; -ENAMETOOLONG. */
int mount_target(const char *volume, const char *run, char *text, size_t size);

/*
 * Does the table show m, as far as it tells? At its place, or where the volume's symbolic links
 * lead. Pure; ret->at is the table's.
 */
bool mount_see(const struct actual_mounts *table, const struct mount *m, struct mount_seen *ret);

/*
 * Makes m show at its target: mounted in a mount namespace of the worker's own, where mount(2) asks
 * the server for that very folder before anybody can see it, options read back, then attached to
 * the target through its descriptor. A mount that is already right is adopted; one of another
 * incarnation or kind is replaced, from beneath where the kernel can. Creates <run> and sandbox
 * when missing, as m's owner, sandbox not writable. The caller must have one thread only.
 * seen: what mount_see() tells of a reading that is current as far as is known, or NULL: then
 * mountinfo is read where anything is mounted there.
 *
 * -ENOENT: the server does not export that run and incarnation (yet), or m's source folder is
 * missing; -EACCES: the server does not know this client, or a security module refused, which *e
 * says; -ELOOP, -ENOTDIR, -EXDEV: the target's path below the volume is not plain directories;
 * -EEXIST: something foreign is mounted there; -ENODEV: no NFSv4 client in this kernel; -ESTALE:
 * the export went away meanwhile; -EAGAIN: somebody changed the target at the same time;
 * -EPROTO: the kernel did not mount what was asked for. *ret is untouched on failure.
 */
int mount_attach(const struct mount_config *config, const struct mount *m,
	const struct mount_seen *seen, struct mount_outcome *ret, struct kerr *e);

enum detach_how {
	DETACH_CLEAN, /* unmount; where it is in use: detach, if the server answers, else cut off */
	DETACH_CUT,   /* the server is lost: cut off first, then detach */
};

/*
 * Ends every mount of ours of that run below volume without ever looking at one: at
 * <volume>/<run>/sandbox, and wherever a renamed directory took it. Returns in *ret_rung the
 * strongest that was needed: "absent" (nothing there), "umount", "detach", "shutdown" or
 * "force". Leaves the empty mountpoint. -EEXIST: something foreign covers ours.
 * Where the volume is no folder, or none any more, the run's mounts end wherever they are.
 * known->at: the volume can be a symbolic link that leads elsewhere by now. known->unique_id: the
 * others of the node need not be looked through.
 */
int mount_detach(const struct mount_config *config, const char *volume, const char *run,
	const struct mount_known *known, enum detach_how how, const char **ret_rung,
	struct kerr *e);

/*
 * Does the mount mount_id, which is the topmost at path (mount_outcome's target), answer? -ESTALE:
 * its server does not serve it any more; other errors say nothing of that. -EAGAIN: another one is
 * there, or the way to it is not plain. Blocks while the server is silent, or has yet to
 * answer for the export.
 */
int mount_look(const char *path, uint64_t mount_id);
