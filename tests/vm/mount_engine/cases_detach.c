/* SPDX-License-Identifier: Apache-2.0 */
/* Mounts in use and mounts of dead servers come off. */
#include "tests/vm/mount_engine/mount_engine.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <sys/mount.h>
#include <unistd.h>

void case_busy(void)
{
	struct mount m = nfs_mount("10.20.0.1", "i1");
	pid_t pids[N_HOLDERS];

	(void)attached(&m, "attach");
	holders_start(pids);
	detached(DETACH_CLEAN, "detach");
	is_bare();
	for (int i = 0; i < N_HOLDERS; i++)
		(void)kill(pids[i], SIGKILL);
	(void)attached(&m, "attach");
	shows("i1");
	detached(DETACH_CLEAN, "umount");
}

static void cut(const char *rung, bool all_end)
{
	struct mount m = nfs_mount("10.20.0.1", "i1");
	pid_t pids[N_HOLDERS];
	int status, left = 0;

	(void)attached(&m, "attach");
	holders_start(pids);
	drop("10.20.0.1");
	(void)poll(NULL, 0, 2000); /* the server is lost for a while, as it will be in the field */
	double start = now();
	detached(DETACH_CUT, rung);
	check(now() - start < 5, "detaching took %.1f s", now() - start);
	is_bare();
	if (all_end)
		(void)printf("  holders ended after %.2f s\n", holders_end(pids, 20));
	for (int i = 0; i < N_HOLDERS && !all_end; i++) {
		left += !wait_exit(pids[i], 1, &status);
		(void)kill(pids[i], SIGKILL);
	}
	if (left)
		(void)printf("  %d holders had to be killed\n", left);
	struct mount other = nfs_mount("10.20.0.3", "i1");
	(void)attached(&other, "attach");
	heal();
	(void)attached(&m, kernel_at_least(6, 5) ? "beneath" : "detach-attach");
	shows("i1");
	detached(DETACH_CLEAN, "umount");
}

void case_dead_server(void)
{
	bool shutdown = kernel_at_least(6, 5);

	cut(shutdown ? "shutdown" : "force", shutdown);
}

void case_dead_server_old_rung(void)
{
	config.masked_rungs = MOUNT_RUNG_SHUTDOWN;
	cut("force", false);
}

/* What a look at a mount of a lost server costs is a process that hangs: only umount2 names it. */
void case_never_looks(void)
{
	static const char *const how[] = {"clean", "cut"};
	struct mount m = nfs_mount("10.20.0.1", "i1");
	char command[PATH_MAX + 256], self[PATH_MAX] = "";

	check(readlink("/proc/self/exe", self, sizeof self - 1) > 0, "readlink");
	for (size_t i = 0; i < 2; i++) {
		(void)attached(&m, "attach");
		(void)snprintf(command, sizeof command,
			"strace -f -o /run/engine/trace %s detach %s r1", self, how[i]);
		shell(command);
		shell("grep -q 'umount2(.*sandbox' /run/engine/trace");
		shell("! grep -v 'read(' /run/engine/trace | grep sandbox | grep -v umount2");
		is_bare();
	}
}

/* What has come over it since it was seen to stand alone is not taken off for it. */
static void not_as_seen(const struct mount_outcome *out)
{
	const char *rung = "";
	struct kerr e = {0};
	int seen = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);

	check(seen > 0, "mountinfo");
	known = (struct mount_known){
		.at = out->target, .unique_id = out->unique_id, .unchanged_since = seen};
	shell("mount -t tmpfs foreign " TARGET);
	check(detach_here(DETACH_CLEAN, &rung, &e) == -EEXIST, "a foreign mount covers it");
	shell("umount " TARGET);
	(void)close(seen);
	known.unchanged_since = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
	detached(DETACH_CLEAN, "umount");
	is_bare();
	(void)close(known.unchanged_since);
}

/* What is known to be the run's only mount is believed only as far as it can be seen to be. */
static void not_as_known(const struct mount_outcome *out)
{
	const char *rung = "";
	struct kerr e = {0};

	known = (struct mount_known){.at = out->target, .unique_id = out->unique_id};
	shell("mount -t tmpfs foreign " TARGET);
	check(detach_here(DETACH_CLEAN, &rung, &e) == -EEXIST, "a foreign mount covers it");
	shell("umount " TARGET "; mv " VOLUME "/r1 " VOLUME "/elsewhere");
	detached(DETACH_CLEAN, "umount");
	check(mounts_below(VOLUME "/", NULL) == 0, "still mounted");
}

/* Where the kernel can be asked for one mount, the others of the node are not read. */
void case_only_mount(void)
{
	struct mount m = nfs_mount("10.20.0.1", "i1");
	bool told = kernel_at_least(6, 8);
	struct mount_outcome out = attached(&m, "attach");
	char command[2 * PATH_MAX + 256], self[PATH_MAX] = "";

	check(told == (out.unique_id != 0), "its unique id is %" PRIu64, out.unique_id);
	check(readlink("/proc/self/exe", self, sizeof self - 1) > 0, "readlink");
	(void)snprintf(command, sizeof command,
		"strace -f -o /run/engine/trace %s detach clean r1 %s %" PRIu64, self, out.target,
		out.unique_id);
	shell(command);
	shell(told ? "! grep mountinfo /run/engine/trace" : "grep -q mountinfo /run/engine/trace");
	is_bare();
	out = attached(&m, "attach");
	not_as_seen(&out);
	out = attached(&m, "attach");
	not_as_known(&out);
}
