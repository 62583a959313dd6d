/* SPDX-License-Identifier: Apache-2.0 */
/* Mounts in use and mounts of dead servers come off. */
#include "tests/vm/mount_engine/mount_engine.h"

#include <poll.h>
#include <signal.h>
#include <sys/mount.h>
#include <unistd.h>

void case_busy(void)
{
	struct mount m = nfs_mount("10.20.0.1", "i1");
	pid_t pids[N_HOLDERS];
	bool shutdown = kernel_at_least(6, 5);

	(void)attached(&m, "attach");
	holders_start(pids);
	detached(DETACH_CLEAN, shutdown ? "shutdown" : "detach");
	is_bare();
	if (shutdown)
		(void)printf("  holders ended after %.2f s\n", holders_end(pids, 20));
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
