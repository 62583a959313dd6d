/* SPDX-License-Identifier: Apache-2.0 */
/* Binds, cache entries and mounts, each by the fewest kernel calls. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "nfs/answer_entries.h"
#include "nfs/channel.h"
#include "nfs/mount_ids.h"
#include "tests/vm/bench_runs/floor.h"

#define REFUSED_UNTIL 60 /* seconds from now; ours says the same */

static struct channels channels = CHANNELS_CLOSED;
static char domain[UPCALL_DOMAIN_SIZE];
static struct addr client;
static const unsigned char pseudo_uuid[FSID_UUID_SIZE] = {1};

static void tell(const struct upcall_entry *entry)
{
	int error = channel_write(&channels, entry);

	if (error < 0)
		die("write %s %s: %d", upcall_cache_name(entry->cache),
			entry->path ? entry->path : "", error);
}

static void tell_key(struct upcall_fsid fsid, const char *path)
{
	struct upcall_entry entry = entry_key(domain, &fsid, path);

	tell(&entry);
}

static void refuse(struct upcall_entry entry)
{
	entry.negative = true;
	entry.expiry = time(NULL) + REFUSED_UNTIL;
	tell(&entry);
}

static void refuse_key(struct upcall_fsid fsid)
{
	refuse(entry_key(domain, &fsid, NULL));
}

static void uuid_of(unsigned run, unsigned char uuid[FSID_UUID_SIZE])
{
	memset(uuid, 0, FSID_UUID_SIZE);
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
static void tell_directory(const char *path, struct upcall_fsid fsid)
{
	struct upcall_entry entry = entry_directory(domain, path, pseudo_uuid);

	tell(&entry);
	tell_key(fsid, path);
}

/* The caches are those of the network, seen from the /proc that this process began with. */
void floor_join_server(const char *name, const char *address)
{
	struct node node;

	node_open(name, &node);
	node_join_network(&node);
	(void)addr_parse(address, &client);
	domain_of(&client, domain);
	if (channels_open(&channels, NULL) < 0)
		die("open the caches");
	node_join_mounts(&node);
}

void floor_tell_client(const char *root)
{
	struct upcall_entry entry = entry_ip(&client, domain);
	char path[64];

	tell(&entry);
	tell_directory(*root ? root : "/", fsid_uuid(pseudo_uuid));
	tell_key(fsid_root(), *root ? root : "/");
	(void)snprintf(path, sizeof path, "%s/workspaces", root);
	tell_directory(path, fsid_inode_uuid(inode_of(path), pseudo_uuid));
}

static void run_paths(const char *root, unsigned run, char above[64], char path[80])
{
	(void)snprintf(above, 64, "%s/workspaces/r%u", root, run);
	(void)snprintf(path, 80, "%s/one", above);
}

int floor_clone_folder(unsigned run)
{
	char folder[64];
	int tree;

	(void)snprintf(folder, sizeof folder, "/workspaces/local/r%u", run);
	tree = open_tree(AT_FDCWD, folder, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
	if (tree < 0)
		die("%s", folder);
	return tree;
}

void floor_bind_run(const char *root, unsigned run, int tree)
{
	char above[64], path[80];

	run_paths(root, run, above, path);
	if (mkdir(above, 0711) < 0 || mkdir(path, 0711) < 0 ||
		move_mount(tree, "", AT_FDCWD, path, MOVE_MOUNT_F_EMPTY_PATH) < 0)
		die("%s", path);
	(void)close(tree);
}

void floor_unbind_run(const char *root, unsigned run)
{
	char above[64], path[80];

	run_paths(root, run, above, path);
	if (umount2(path, MNT_DETACH) < 0 || rmdir(path) < 0 || rmdir(above) < 0)
		die("%s", path);
}

void floor_tell_run(const char *root, unsigned run)
{
	struct export_point point = {.export = {.uid = OWNER, .gid = OWNER}};
	char above[64], path[80];
	struct upcall_entry entry;

	run_paths(root, run, above, path);
	tell_directory(above, fsid_inode_uuid(inode_of(above), pseudo_uuid));
	uuid_of(run, point.uuid);
	entry = entry_folder(domain, path, &point);
	tell(&entry);
	tell_key(fsid_inode_uuid(inode_of(path), point.uuid), path);
}

void floor_refuse_run(const char *root, unsigned run)
{
	char above[64], path[80];
	unsigned char uuid[FSID_UUID_SIZE];

	run_paths(root, run, above, path);
	refuse_key(fsid_inode_uuid(inode_of(above), pseudo_uuid));
	refuse(entry_directory(domain, above, NULL));
	uuid_of(run, uuid);
	refuse_key(fsid_inode_uuid(inode_of(path), uuid));
	refuse(entry_directory(domain, path, NULL));
}

void floor_mount_run(const char *server, unsigned run)
{
	char source[80], above[32], target[64], options[256];

	(void)snprintf(source, sizeof source, "%s:/workspaces/r%u/one", server, run);
	(void)snprintf(above, sizeof above, "/workspaces/r%u", run);
	(void)snprintf(target, sizeof target, "%s/sandbox", above);
	(void)snprintf(options, sizeof options,
		"vers=4.2,sec=sys,hard,nosharecache,lookupcache=positive,actimeo=1,proto=tcp,"
		"port=20490,addr=%s,clientaddr=" AGENT_ADDRESS,
		server);
	(void)mkdir(above, 0755);
	(void)mkdir(target, 0555);
	if (mount(source, target, "nfs4", MS_NOSUID | MS_NODEV | MS_NOATIME, options) < 0)
		die("mount %s", source);
}

static uint64_t id_of(const char *target)
{
	int fd = open(target, O_PATH | O_CLOEXEC);
	uint64_t id = 0;

	if (fd < 0)
		die("%s", target);
	(void)mount_id_unique(fd, &id);
	(void)close(fd);
	return id;
}

/* Nothing covers it, and only it has gone: the kernel tells both by a walk over all mounts (6.8 and
 * later). */
void floor_umount_run(unsigned run)
{
	struct mount_ids left = {0};
	char target[64];

	(void)snprintf(target, sizeof target, "/workspaces/r%u/sandbox", run);
	(void)mount_id_is_alone(id_of(target), target, 0);
	if (umount2(target, 0) < 0)
		die("%s", target);
	(void)mount_ids_read(&left);
	mount_ids_clear(&left);
}
