/* SPDX-License-Identifier: Apache-2.0 */
/* One incarnation after another, under the eyes of who looks all the time. */
#include "tests/vm/mount_engine/mount_engine.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

static void replace(const char *rung, bool seamless)
{
	struct mount first = nfs_mount("10.20.0.1", "i1"), second = nfs_mount("10.20.0.1", "i2");
	int stop, status;

	(void)attached(&first, "attach");
	pid_t pid = watcher(&stop);
	for (int i = 0; i < 5; i++) {
		(void)attached(&second, rung);
		shows("i2");
		(void)attached(&first, rung);
		shows("i1");
	}
	(void)close(stop);
	(void)waitpid(pid, &status, 0);
	check(WIFEXITED(status), "the watcher died");
	(void)printf("  bare directory seen %d times\n", WEXITSTATUS(status));
	check(!seamless || WEXITSTATUS(status) == 0, "the bare directory was seen");
	check(mounts_below(VOLUME "/", NULL) == 1, "leftovers");
	detached(DETACH_CLEAN, NULL);
	is_bare();
}

void case_replace(void)
{
	bool beneath = kernel_at_least(6, 5);

	check(beneath == !!(mount_rungs() & MOUNT_RUNG_BENEATH), "the kernel's rungs are wrong");
	replace(beneath ? "beneath" : "detach-attach", beneath);
}

void case_replace_old_rung(void)
{
	config.masked_rungs = MOUNT_RUNG_BENEATH;
	replace("detach-attach", false);
}

/* A replacement that was killed between its two steps: the old one still covers the new one. */
void case_killed_replacement(void)
{
	struct mount first = nfs_mount("10.20.0.1", "i1"), second = nfs_mount("10.20.0.1", "i2");

	if (!kernel_at_least(6, 5))
		return;
	struct mount_outcome out = attached(&first, "attach");
	struct mount_outcome top = attached(&second, "beneath");
	check(out.mount_id != top.mount_id, "same mount");
	/* The same picture by hand: i1 mounted over i2. */
	shell("mount -t nfs4 -i -o vers=4.2,port=20490,addr=10.20.0.1,proto=tcp,hard,nosuid,nodev "
	      "10.20.0.1:/workspaces/r1/i1 " TARGET);
	shows("i1");
	struct mount_outcome again = attached(&second, "adopted");
	check(again.mount_id == top.mount_id, "not the one beneath");
	shows("i2");
	check(mounts_below(VOLUME "/", NULL) == 1, "leftovers");
	detached(DETACH_CLEAN, "umount");
}

/* The mount that shows is dead, and its sandbox lives on another node already. */
void case_replace_dead(void)
{
	struct mount m = nfs_mount("10.20.0.1", "i1"), next = nfs_mount("10.20.0.3", "i2");
	double start;

	(void)attached(&m, "attach");
	shows("i1");
	drop("10.20.0.1");
	start = now();
	(void)attached(&next, kernel_at_least(6, 5) ? "beneath" : "detach-attach");
	(void)printf("  replaced in %.2f s\n", now() - start);
	shows("i2");
	heal();
	detached(DETACH_CLEAN, "umount");
}
