/* SPDX-License-Identifier: Apache-2.0 */
/* The least that makes a run: the kernel calls alone. Client and server are told of once, before.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mountd/base/cleanup.h"
#include "nfs/answer_entries.h"
#include "nfs/channel.h"
#include "nfs/private_root.h"
#include "tests/vm/bench_runs/bench_runs.h"

#define ROOT "/run/floor"

static struct channels channels = CHANNELS_CLOSED;
static char domain[UPCALL_DOMAIN_SIZE];
static struct addr client;

static void tell(const struct upcall_entry *entry)
{
	int error = channel_write(&channels, entry);

	if (error < 0)
		die("write %s %s: %d", upcall_cache_name(entry->cache),
			entry->path ? entry->path : "", error);
}

static void uuid_of(unsigned run, unsigned char kind, unsigned char uuid[FSID_UUID_SIZE])
{
	memset(uuid, 0, FSID_UUID_SIZE);
	uuid[0] = kind;
	memcpy(uuid + 4, &run, sizeof run);
}

static uint64_t inode_of(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		die("%s", path);
	return st.st_ino;
}

/* A directory of the pseudo-root. */
static void tell_directory(const char *path, const unsigned char *uuid)
{
	struct upcall_fsid fsid = uuid ? fsid_inode_uuid(inode_of(path), uuid) : fsid_root();
	struct upcall_entry entry = entry_directory(domain, path, uuid);

	tell(&entry);
	entry = entry_key(domain, &fsid, path);
	tell(&entry);
}

/* The caches are those of the network, seen from the /proc that this process began with. */
static void join_server(void)
{
	struct node node;

	node_open("floor", &node);
	node_join_network(&node);
	(void)addr_parse(AGENT_ADDRESS, &client);
	domain_of(&client, domain);
	if (channels_open(&channels, NULL) < 0)
		die("open the caches");
	node_join_mounts(&node);
}

static void tell_client(const char *root)
{
	unsigned char uuid[FSID_UUID_SIZE];
	struct upcall_entry entry = entry_ip(&client, domain);
	char path[64];

	tell(&entry);
	tell_directory(*root ? root : "/", NULL);
	uuid_of(0, 0, uuid);
	(void)snprintf(path, sizeof path, "%s/workspaces", root);
	tell_directory(path, uuid);
}

void floor_prepare(void)
{
	join_server();
	(void)mkdir(ROOT, 0711);
	if (mount("floor", ROOT, "tmpfs", 0, "mode=0711") < 0 ||
		mkdir(ROOT "/workspaces", 0711) < 0)
		die(ROOT);
	tell_client(ROOT);
}

static int clone_folder(unsigned run)
{
	char folder[64];
	int tree;

	(void)snprintf(folder, sizeof folder, "/workspaces/local/r%u", run);
	tree = open_tree(AT_FDCWD, folder, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
	if (tree < 0)
		die("%s", folder);
	return tree;
}

static void bind_run(const char *root, unsigned run, int tree)
{
	char path[80];

	(void)snprintf(path, sizeof path, "%s/workspaces/r%u", root, run);
	if (mkdir(path, 0711) < 0)
		die("%s", path);
	(void)snprintf(path, sizeof path, "%s/workspaces/r%u/one", root, run);
	if (mkdir(path, 0711) < 0 ||
		move_mount(tree, "", AT_FDCWD, path, MOVE_MOUNT_F_EMPTY_PATH) < 0)
		die("%s", path);
	(void)close(tree);
}

static void tell_run(const char *root, unsigned run)
{
	struct export export = {.uid = OWNER, .gid = OWNER};
	char above[64], path[80];
	unsigned char uuid[FSID_UUID_SIZE];
	struct upcall_entry entry;
	struct upcall_fsid fsid;

	(void)snprintf(above, sizeof above, "%s/workspaces/r%u", root, run);
	(void)snprintf(path, sizeof path, "%s/one", above);
	uuid_of(run, 1, uuid);
	tell_directory(above, uuid);
	uuid_of(run, 2, uuid);
	entry = entry_folder(domain, path, &export, uuid);
	tell(&entry);
	fsid = fsid_uuid(uuid);
	entry = entry_key(domain, &fsid, path);
	tell(&entry);
	fsid = fsid_inode_uuid(inode_of(path), uuid);
	entry = entry_key(domain, &fsid, path);
	tell(&entry);
}

static void export_run(unsigned run)
{
	bind_run(ROOT, run, clone_folder(run));
	tell_run(ROOT, run);
}

/* As ours are, in the kernel's words. */
static const char options[] =
	"vers=4.2,sec=sys,hard,nosharecache,lookupcache=positive,actimeo=1,proto=tcp,port=20490,"
	"addr=" FLOOR_ADDRESS ",clientaddr=" AGENT_ADDRESS;

static void mount_run(unsigned run)
{
	char source[80], above[32], target[64];

	(void)snprintf(source, sizeof source, FLOOR_ADDRESS ":/workspaces/r%u/one", run);
	(void)snprintf(above, sizeof above, "/workspaces/r%u", run);
	(void)snprintf(target, sizeof target, "%s/sandbox", above);
	(void)mkdir(above, 0755);
	(void)mkdir(target, 0555);
	if (mount(source, target, "nfs4", MS_NOSUID | MS_NODEV | MS_NOATIME, options) < 0)
		die("mount %s", source);
}

void floor_runs(struct bench *b)
{
	struct node server, agent;

	node_open("floor", &server);
	node_open("agent", &agent);
	join_server();
	b->began_us = now_us();
	for (unsigned run = b->first; run < b->first + b->n; run++) {
		export_run(run);
		node_join(&agent);
		mount_run(run);
		if (!is_listed(run))
			die("r%u is mounted, and not listed", run);
		listed(b, run);
		node_join(&server);
	}
}

void floor_end(struct bench *b)
{
	struct node server, agent, own;
	char path[80];

	node_open("floor", &server);
	node_open("agent", &agent);
	node_open_own(&own);
	join_server();
	for (unsigned run = b->first; run < b->first + b->n; run++) {
		node_join(&agent);
		(void)snprintf(path, sizeof path, "/workspaces/r%u/sandbox", run);
		if (umount2(path, 0) < 0)
			die("%s", path);
		node_join(&server);
		(void)snprintf(path, sizeof path, ROOT "/workspaces/r%u/one", run);
		(void)umount2(path, MNT_DETACH);
		(void)rmdir(path);
		*strrchr(path, '/') = '\0';
		(void)rmdir(path);
	}
	node_join_mounts(&own);
	if (channel_flush(UPCALL_EXPORT, NULL) < 0 || channel_flush(UPCALL_KEY, NULL) < 0)
		die("flush");
	node_join_mounts(&server);
	tell_client(ROOT);
}

/* All trees first: they are cloned in one namespace and bound in the other. */
void floor_restart(struct bench *b)
{
	_cleanup_free_ int *trees = calloc(b->n, sizeof *trees);
	struct rlimit files = {b->n + 64, b->n + 64};
	struct node server, own;

	node_open("floor", &server);
	node_open_own(&own);
	if (!trees || setrlimit(RLIMIT_NOFILE, &files) < 0)
		die("descriptors");
	b->began_us = now_us();
	join_server();
	node_join_mounts(&own);
	if (channel_flush(UPCALL_IP, NULL) < 0 || channel_flush(UPCALL_EXPORT, NULL) < 0 ||
		channel_flush(UPCALL_KEY, NULL) < 0)
		die("flush");
	node_join_mounts(&server);
	for (unsigned i = 0; i < b->n; i++)
		trees[i] = clone_folder(b->first + i);
	if (unshare(CLONE_NEWNS) < 0 ||
		private_root_become("floor", "mode=0711", "/mnt", NULL) < 0 ||
		mkdir("/workspaces", 0711) < 0)
		die("pseudo-root");
	for (unsigned i = 0; i < b->n; i++)
		bind_run("", b->first + i, trees[i]);
	tell_client("");
	for (unsigned i = 0; i < b->n; i++)
		tell_run("", b->first + i);
	printf("%" PRIu64 " %" PRIu64 "\n", now_us() - b->began_us, cpu_us());
}
