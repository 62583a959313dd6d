/* SPDX-License-Identifier: Apache-2.0 */
/* The least that makes a run: the kernel calls alone. Client and server are told of once, before.
 */
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "mountd/base/cleanup.h"
#include "nfs/channel.h"
#include "nfs/private_root.h"
#include "tests/vm/bench_runs/floor.h"

#define ROOT "/run/floor"

void floor_prepare(void)
{
	floor_join_server("floor", AGENT_ADDRESS);
	(void)mkdir(ROOT, 0711);
	if (mount("floor", ROOT, "tmpfs", 0, "mode=0711") < 0 ||
		mkdir(ROOT "/workspaces", 0711) < 0)
		die(ROOT);
	floor_tell_client(ROOT);
}

void floor_runs(struct bench *b)
{
	struct node server, agent;

	node_open("floor", &server);
	node_open("agent", &agent);
	floor_join_server("floor", AGENT_ADDRESS);
	b->began_us = now_us();
	for (unsigned run = b->first; run < b->first + b->n; run++) {
		floor_bind_run(ROOT, run, floor_clone_folder(run));
		floor_tell_run(ROOT, run);
		node_join(&agent);
		floor_mount_run(FLOOR_ADDRESS, run);
		if (!is_listed(run))
			die("r%u is mounted, and not listed", run);
		listed(b, run);
		node_join(&server);
	}
}

static void flush_caches(void)
{
	if (channel_flush(UPCALL_EXPORT, NULL) < 0 || channel_flush(UPCALL_KEY, NULL) < 0)
		die("flush");
}

void floor_end(struct bench *b)
{
	struct node server, agent, own;

	node_open("floor", &server);
	node_open("agent", &agent);
	node_open_own(&own);
	floor_join_server("floor", AGENT_ADDRESS);
	for (unsigned run = b->first; run < b->first + b->n; run++) {
		node_join(&agent);
		floor_umount_run(run);
		node_join(&server);
		floor_unbind_run(ROOT, run);
	}
	node_join_mounts(&own);
	flush_caches();
	node_join_mounts(&server);
	floor_tell_client(ROOT);
}

/* In a mount namespace of its own. */
static void become_pseudo_root(void)
{
	if (private_root_become("floor", "mode=0711", "/mnt", NULL) < 0 ||
		mkdir("/workspaces", 0711) < 0)
		die("pseudo-root");
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
	floor_join_server("floor", AGENT_ADDRESS);
	node_join_mounts(&own);
	if (channel_flush(UPCALL_IP, NULL) < 0)
		die("flush");
	flush_caches();
	node_join_mounts(&server);
	for (unsigned i = 0; i < b->n; i++)
		trees[i] = floor_clone_folder(b->first + i);
	if (unshare(CLONE_NEWNS) < 0)
		die("unshare");
	become_pseudo_root();
	for (unsigned i = 0; i < b->n; i++)
		floor_bind_run("", b->first + i, trees[i]);
	floor_tell_client("");
	for (unsigned i = 0; i < b->n; i++)
		floor_tell_run("", b->first + i);
	printf("%" PRIu64 " %" PRIu64 "\n", now_us() - b->began_us, cpu_us());
}

/* A client of its own, in the caches that the daemon on the sandbox's node has filled. */
void floor_export_changes(struct bench *b)
{
	struct node sandbox, pseudo_root;

	node_open("sandbox", &sandbox);
	if (unshare(CLONE_NEWNS) < 0)
		die("unshare");
	node_open_own(&pseudo_root);
	floor_join_server("sandbox", STRANGER_ADDRESS);
	node_join_mounts(&pseudo_root);
	become_pseudo_root();
	floor_tell_client("");
	for (unsigned run = b->first; run < b->first + b->n; run++) {
		uint64_t begin, added;

		node_join_mounts(&sandbox);
		begin = cpu_us();
		int tree = floor_clone_folder(run);
		node_join_mounts(&pseudo_root);
		floor_bind_run("", run, tree);
		floor_tell_run("", run);
		added = cpu_us();
		floor_refuse_run("", run);
		floor_unbind_run("", run);
		printf("%" PRIu64 " %" PRIu64 "\n", added - begin, cpu_us() - added);
	}
}

void floor_mount_changes(struct bench *b)
{
	struct node agent;

	node_open("agent", &agent);
	node_join(&agent);
	for (unsigned i = 0; i < b->n; i++) {
		uint64_t begin = cpu_us(), added;

		floor_mount_run(SANDBOX_ADDRESS, b->first);
		added = cpu_us();
		floor_umount_run(b->first);
		printf("%" PRIu64 " %" PRIu64 "\n", added - begin, cpu_us() - added);
	}
}
