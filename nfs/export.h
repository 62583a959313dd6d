/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The export engine: the kernel's NFS server, driven and fed by us alone.
 *
 * Two halves. What can block (starting and stopping threads, resolving a folder that untrusted
 * code owns, revoking client state) is a plain function that the caller runs in a worker process
 * with a deadline. What answers the kernel (export upcalls, client tracking) is a struct exporter
 * that lives in the caller's loop through exporter_get_fd() and exporter_dispatch().
 *
 * Nothing of it is remembered on disk but the node key and the names of clients that may reclaim.
 */
#pragma once

#include "mountd/base/kerr.h"
#include "nfs/listeners.h"
#include "nfs/run.h"

#define NFSD_TIME_MIN 10   /* seconds; fs/nfsd/nfsctl.c refuses less … */
#define NFSD_TIME_MAX 3600 /* … and more */

#define NFSD_THREADS_MAX 1024

/* Kernel mechanisms, newest first; a mask of them can be kept from being used. */
enum export_rung {
	EXPORT_RUNG_NETLINK_SERVER =
		1 << 0, /* threads, versions, listeners by generic netlink, 6.10+ */
	EXPORT_RUNG_NETLINK_CACHE = 1 << 1, /* cache upcalls by generic netlink, 7.x */
	EXPORT_RUNG_UNLOCK_EXPORT = 1 << 2, /* netlink unlock-export, 7.x */
	EXPORT_RUNG_UNLOCK_FS = 1 << 3,	    /* unlock_filesystem revokes NFSv4 state, 6.9+ */
};

struct exporter_config {
	const struct addr *listen; /* own addresses, one or more; never a wildcard */
	size_t n_listen;
	uint16_t port;
	unsigned threads;
	unsigned lease_seconds; /* NFSD_TIME_MIN..NFSD_TIME_MAX, as grace_seconds */
	unsigned grace_seconds;
	const char *state_dir;	  /* node.key and clients/ below it; exists, root only */
	const char *runtime_dir;  /* below it rpc_pipefs is mounted if it is nowhere yet */
	const char *server_scope; /* this node's own unique name: NFS server owner and scope */
	unsigned masked_rungs;	  /* enum export_rung bits that must not be used */
};

enum server_state {
	SERVER_STOPPED, /* nfsd absent or without threads */
	SERVER_OURS,	/* threads run and every listener is one of ours */
	SERVER_FOREIGN, /* somebody else's listeners, or theirs beside ours */
};

struct server_status {
	enum server_state state;
	bool module_available; /* nfsd is loaded, built in, or can be loaded */
	unsigned threads;
	bool all_listening;	 /* every configured address has its listener */
	struct listeners own;	 /* where ours listens, also by a former configuration */
	char foreign[128];	 /* the first listener that is not ours, "tcp 0.0.0.0:2049" */
	const char *server_rung; /* "netlink" or "procfs" */
	const char *cache_rung;	 /* "netlink" or "procfs" */
	const char *revoke_rung; /* "unlock-export", "unlock-filesystem" or "expire-client" */
};

/* -EINVAL with the field's name in *e when a value is out of its range. Pure. */
int exporter_config_check(const struct exporter_config *config, struct kerr *e);

/*
 * Blocking half: in a worker process.
 *
 * server_start: mounts nfsd's filesystem, sets versions (4.2 alone), lease, grace and listeners,
 * and starts the threads under the scope's name. Idempotent. The caller must dispatch the
 * exporter meanwhile: the kernel asks client tracking during the start. -EEXIST: a foreign
 * server runs, and nothing was touched; -ENODEV: no nfsd in this kernel; -EADDRNOTAVAIL: a
 * listen address is not this node's; -EADDRINUSE: somebody else has the port.
 * server_stop: threads to 0; -EEXIST when a foreign server shares them, which then go on.
 * server_inspect: what runs now. Never changes anything but loading the module.
 */
int server_start(const struct exporter_config *config, struct kerr *e);
int server_stop(const struct exporter_config *config, struct kerr *e);
int server_inspect(const struct exporter_config *config, struct server_status *ret, struct kerr *e);

/*
 * In a worker: opens export's folder beneath its volume (openat2: no symbolic link, no magic
 * link, no way out) and returns a detached, private copy of it as a mount (open_tree), to be
 * handed to exporter_add(). -ELOOP: a symbolic link; -ENOTDIR: no folder; -ENOENT: missing;
 * -EOPNOTSUPP: a filesystem that cannot be exported (no file handles), such as overlay;
 * -EXDEV: a way out of the volume. *ret_root (may be NULL): it is perhaps the root of its
 * filesystem, by which the kernel names its handles otherwise.
 */
int export_open_folder(const struct export *export, int *ret_tree, bool *ret_root, struct kerr *e);

/*
 * The same without a worker, where the folder is in the kernel's memory, as one is that was just
 * made or is exported already. Any failure means nothing but that a worker has to try.
 */
int export_open_folder_cached(const struct export *export, int *ret_tree, bool *ret_root);

/* The exports beside one that ends, in whatever state. */
struct other_exports {
	const struct export *const *list;
	size_t n;
	size_t n_staying; /* the first of them; clients of the rest lose what they hold as well */
};

/*
 * Before an export ends that is perhaps in use, on a kernel that cannot take what clients hold of
 * it alone. export_may_be_held(): does not block; false: they hold nothing, there or elsewhere, or
 * that cannot be told. export_recall(): in a worker, after exporter_quiesce(): recalls the
 * delegations of files in the folder, and gives whoever holds something there 3 s to close it: a
 * writer does so at its next error, and an agent node that has taken its mount off when the last
 * process lets go of it. 0 also where they did not. Does nothing where export_revoke() would not
 * have to expire a client.
 */
bool export_may_be_held(const struct exporter_config *config, const struct export *export);
int export_recall(const struct exporter_config *config, const struct export *quiesced,
	const struct other_exports *others, struct kerr *e);

/*
 * In a worker, after exporter_remove(): takes the opens, locks and delegations that clients
 * still hold in the run's folder by the best rung, so that the folder can be deleted and its
 * filesystem unmounted. folder is what exporter_remove() returned: the export's own mount, which
 * has no path any more and by which alone the kernel knows the export (/proc/self/fd/<folder>).
 * *ret_rung: static text, "none" where nothing was held.
 *
 * former: an earlier process exported it, and what clients have held since then the kernel knows by
 * that one's mount. Where this process did not export it as well, folder is what
 * export_open_folder() finds, or -1 where it is gone.
 */
int export_revoke(const struct exporter_config *config, const struct export *gone, int folder,
	bool former, const struct other_exports *others, const char **ret_rung, struct kerr *e);

/*
 * In a worker, after an exporter_add() that described an export anew: expires those of dropped's
 * clients that hold something in its folder, or that no export lists any more. dropped: the export
 * with those clients alone that it lists no longer; folder: what export_open_folder() finds, or -1;
 * others: that one is among them.
 */
int export_drop_clients(const struct exporter_config *config, const struct export *dropped,
	int folder, const struct other_exports *others, const char **ret_rung, struct kerr *e);

/*
 * In a worker, after export_revoke(): removes the .nfsXXXX files of gone's clients, which have
 * them open no longer, and tells how many. Nothing is removed where another export overlaps.
 */
unsigned export_sweep(
	const struct export *gone, int folder, const struct export *const *others, size_t n_others);

/*
 * Answering half: in the caller's loop. The calling process must have a single thread and must
 * not be in a chroot: around some operations it enters the mount namespace of the pseudo-root,
 * and comes back with "/" as its working directory. Where it cannot come back it aborts.
 */
struct exporter;

/*
 * Reads the node key (made on the very first start), and makes the private mount namespace that
 * holds the pseudo-root. -ENOKEY: the key is gone or damaged although this node has served
 * before: it would get a new identity, so nothing is done. -EBUSY: the process has more than one
 * thread; -EPERM: not root, or in a chroot.
 * config and what it points to must outlive the exporter.
 */
int exporter_new(const struct exporter_config *config, struct exporter **ret, struct kerr *e);
/* Leaves the kernel's server and its cache entries in place: clients do not notice. */
void exporter_free(struct exporter *x);

/* Of the mount namespace in which the folders hang, for deleted_exports(); borrowed. */
int exporter_namespace(const struct exporter *x);

/* One descriptor to poll for reading, constant over the exporter's life, and what to do then. */
int exporter_get_fd(const struct exporter *x);
/* A failure is of one answer: the others were given, and the next call goes on. */
int exporter_dispatch(struct exporter *x, struct kerr *e);
/*
 * Does nfsd ask client tracking, as of the last dispatch? Where it did and no longer does, its
 * threads were stopped: server_inspect() tells.
 */
bool exporter_sees_server(const struct exporter *x);
/* See cld_knows(). */
int exporter_knows_client(const struct exporter *x, const char *name);

/*
 * Called when server_start() has succeeded, or when a running server of ours was found: takes
 * over the upcalls, drops what a former daemon answered, and preloads what is exported now.
 * Returns 0; 1 when an export could not be made known to the kernel (*e says which and why) and
 * all others are served; -ENOENT: nfsd is not loaded; another error: answers are incomplete, to be
 * called again.
 */
int exporter_serve(struct exporter *x, struct kerr *e);

/*
 * To be called before every server_start() and server_stop(), and until exporter_serve(): the
 * kernel then holds its nfsd mutex while it waits for client tracking, which is us, so that
 * touching its caches in that time would lock up both. Adding and removing still work meanwhile
 * and reach the kernel with exporter_serve(). What clients are served does not change.
 */
void exporter_pause(struct exporter *x);

/*
 * Binds the detached, private tree (taken over, also on failure) into the pseudo-root and preloads
 * its cache entries; root: see export_open_folder(). Works before exporter_serve() too, which then
 * preloads. -EOPNOTSUPP: the kernel refuses to export this filesystem (no file handles, or an
 * idmapped mount); nothing is left of the export then.
 *
 * An export of the same run and incarnation is described anew; whom it lists no longer is refused
 * from then on, and what he holds is for export_drop_clients(). -EEXIST: that export is of another
 * folder, perhaps one deleted since, and goes on: it has to be removed and revoked first.
 */
int exporter_add(
	struct exporter *x, const struct export *export, int tree, bool root, struct kerr *e);

/*
 * From now on clients can read, close what is open and give back delegations, and change nothing,
 * until exporter_add() describes the export anew. Not remembered by the next exporter. -ENOENT: not
 * exported; another error: perhaps some may go on.
 */
int exporter_quiesce(struct exporter *x, const struct run_id *id, struct kerr *e);

/*
 * Answers no from now on and lets go of the folder. *ret_folder (may be NULL): a descriptor of
 * the export's own mount for export_revoke(), to be closed after it; the filesystem stays in use
 * until then; given on some failures, too. -ENOENT: not exported. Another error: clients may go on
 * with what they have, to be called again.
 */
int exporter_remove(struct exporter *x, const struct run_id *id, int *ret_folder, struct kerr *e);

/* The rung that answers the cache upcalls: "netlink", "procfs", or "none" before serving. */
const char *exporter_cache_rung(const struct exporter *x);
