/* SPDX-License-Identifier: Apache-2.0 */
/* Server and client are one node. */
#include "tests/vm/mount_engine/mount_engine.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

void case_bind(void)
{
	struct mount a = bind_mount("b1", "i1"), b = bind_mount("b2", "i2");
	const char *rung = kernel_at_least(6, 5) ? "beneath" : "detach-attach";

	make_source("b1");
	make_source("b2");
	struct mount_outcome out = attached(&a, "attach");
	shows("b1");
	check(out.propagates, "does not propagate");
	check(attached(&a, "adopted").mount_id == out.mount_id, "another mount");
	(void)attached(&b, rung);
	shows("b2");
	check(mounts_below(VOLUME "/", NULL) == 2, "not a bind on its marker");
	shell("rm -rf " SOURCES "/b2");
	make_source("b2");
	(void)attached(&b, rung);
	shows("b2");
	detached(DETACH_CLEAN, "umount");
	is_bare();
	shell("test -e " SOURCES "/b2/id");
}

void case_bind_and_nfs(void)
{
	struct mount local = bind_mount("b1", "i1"), far = nfs_mount("10.20.0.1", "i1");
	const char *rung = kernel_at_least(6, 5) ? "beneath" : "detach-attach";
	int stop, status;

	make_source("b1");
	(void)attached(&far, "attach");
	pid_t pid = watcher(&stop);
	(void)attached(&local, kernel_at_least(6, 5) ? "beneath" : "attach");
	shows("b1");
	(void)attached(&far, rung);
	shows("i1");
	(void)attached(&local, rung);
	shows("b1");
	(void)close(stop);
	(void)waitpid(pid, &status, 0);
	(void)printf("  bare directory seen %d times\n", WEXITSTATUS(status));
	check(!kernel_at_least(6, 5) || WEXITSTATUS(status) == 0, "the bare directory was seen");
	detached(DETACH_CLEAN, "umount");
	is_bare();
}

void case_bind_busy(void)
{
	struct mount m = bind_mount("b1", "i1");
	int status;

	make_source("b1");
	(void)attached(&m, "attach");
	pid_t pid = fork();
	if (pid == 0) {
		(void)!chdir(TARGET);
		(void)pause();
	}
	while (pid > 0) {
		char cwd[PATH_MAX] = "", link[64];
		(void)snprintf(link, sizeof link, "/proc/%d/cwd", pid);
		if (readlink(link, cwd, sizeof cwd - 1) > 0 && strcmp(cwd, TARGET) == 0)
			break;
	}
	detached(DETACH_CLEAN, "detach");
	is_bare();
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, &status, 0);
}
