/* SPDX-License-Identifier: Apache-2.0 */
/* The place of a mount: what is there, who owns it, whither it propagates, and who exchanges it. */
#include "tests/vm/mount_engine/mount_engine.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

void case_foreign(void)
{
	struct mount m = nfs_mount("10.20.0.1", "i1"), b = bind_mount("b1", "i1");

	make_source("b1");
	(void)attached(&m, "attach");
	detached(DETACH_CLEAN, "umount");
	shell("mount -t tmpfs theirs " TARGET);
	refused(&m, -EEXIST);
	refused(&b, -EEXIST);
	detached(DETACH_CLEAN, "absent");
	check(mounts_below(VOLUME "/", NULL) == 1, "the foreign mount is gone");
	shell("umount " TARGET);
	(void)attached(&m, "attach");
	shell("mount -t tmpfs theirs " VOLUME " && mkdir -p " TARGET);
	const char *rung;
	check(detach_here(DETACH_CUT, &rung, NULL) == -EEXIST, "what is covered was detached");
	shell("umount " VOLUME);
	detached(DETACH_CLEAN, "umount");
	shell("mount --bind " SOURCES "/b1 " TARGET);
	refused(&b, -EEXIST);
	detached(DETACH_CUT, "absent");
	shell("umount " TARGET);
}

/* A number that is free the kernel gives to the next mount: what was seen is another's now. */
void case_seen_and_replaced(void)
{
	struct mount m = nfs_mount("10.20.0.1", "i1");
	_cleanup_mounts_ struct actual_mounts table = {0};
	struct mount_outcome out = attached(&m, "attach");
	struct mount_seen seen;
	struct actual_mount theirs = {0};
	struct kerr e = {0};

	check(actual_mounts_read_own(&table) == 0 && mount_see(&table, &m, &seen), "not seen");
	check(mount_attach(&config, &m, &seen, &out, &e) == 0 && strcmp(out.rung, "adopted") == 0,
		"%s", out.rung);
	shell("umount " TARGET);
	for (unsigned i = 0; i < 200 && theirs.id != seen.id; i++) {
		if (theirs.id)
			shell("umount " TARGET " && mount -t tmpfs lower /run/engine");
		shell("mount -t tmpfs theirs " TARGET);
		check(mounts_below(TARGET, &theirs) == 1, "not one mount");
	}
	check(theirs.id == seen.id, "the number is not given again");
	int error = mount_attach(&config, &m, &seen, &out, &e);
	check(error == -EEXIST, "%d: it is %s", error, out.rung);
	shell("umount " TARGET "; while umount /run/engine 2>/dev/null; do :; done");
}

void case_bad_targets(void)
{
	struct mount m = bind_mount("b1", "i1");

	make_source("b1");
	shell("mkdir -p " VOLUME "/r1 && touch " TARGET);
	refused(&m, -ENOTDIR);
	shell("rm " TARGET " && mkfifo " TARGET);
	refused(&m, -ENOTDIR);
	shell("rm " TARGET " && ln -s /etc " TARGET);
	refused(&m, -ELOOP);
	shell("rm -rf " VOLUME "/r1 && ln -s /etc " VOLUME "/r1");
	refused(&m, -ELOOP);
	shell("rm " VOLUME "/r1 && mkdir " VOLUME "/r1 && mount -t tmpfs x " VOLUME "/r1");
	refused(&m, -EXDEV);
	shell("umount " VOLUME "/r1");
	m.source_folder = strdup("missing");
	refused(&m, -ENOENT);
	m.source_folder = strdup("b1/id");
	refused(&m, -ENOTDIR);
	shell("ln -sfn /etc " SOURCES "/link");
	m.source_folder = strdup("link");
	refused(&m, -ELOOP);
	m.volume = strdup("/workspaces/nowhere");
	refused(&m, -ENOENT);
}

void case_mountpoint(void)
{
	struct mount m = bind_mount("b1", "i1");
	struct stat st;

	make_source("b1");
	(void)attached(&m, "attach");
	detached(DETACH_CLEAN, "umount");
	is_bare();
	check(stat(VOLUME "/r1", &st) == 0 && st.st_uid == 10001 && (st.st_mode & 0777) == 0700,
		"the run's directory: mode %o, uid %u", st.st_mode, st.st_uid);
	shell("! setpriv --reuid 10001 --regid 10001 --clear-groups touch " TARGET
	      "/x 2>/dev/null");
	shell("chown 10001 " TARGET " && chmod 777 " TARGET " && touch " TARGET "/left");
	struct report r = attach(&m);
	check(r.error == 0 && strstr(r.out.target_fault, "holds files"), "%s", r.out.target_fault);
	detached(DETACH_CLEAN, "umount");
	is_bare();
}

void case_private_volume(void)
{
	struct mount m = bind_mount("b1", "i1");

	make_source("b1");
	shell("mount --bind " VOLUME " " VOLUME " && mount --make-private " VOLUME);
	struct mount_outcome out = attached(&m, "attach");
	check(!out.propagates, "it says that pods see it");
	detached(DETACH_CLEAN, "umount");
	shell("umount " VOLUME);
}

/* A container that receives mounts sees it come, and go although it sits inside. */
void case_container(void)
{
	struct mount m = nfs_mount("10.20.0.1", "i1");
	int ready[2], status;
	char byte;

	check(pipe2(ready, O_CLOEXEC) == 0, "pipe");
	shell("mkdir -p " VOLUME "/r1");
	pid_t pid = fork();
	if (pid == 0) {
		char text[16];
		if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) < 0)
			_exit(9);
		(void)!write(ready[1], "x", 1);
		while (read_id(text) < 0)
			(void)poll(NULL, 0, 1);
		if (chdir(TARGET) < 0)
			_exit(8);
		(void)!write(ready[1], "y", 1);
		while (read_id(text) == 0)
			(void)poll(NULL, 0, 1);
		while (mounts_below(VOLUME "/", NULL))
			(void)poll(NULL, 0, 1);
		_exit(0);
	}
	check(read(ready[0], &byte, 1) == 1, "pipe");
	(void)attached(&m, "attach");
	check(read(ready[0], &byte, 1) == 1, "pipe");
	detached(DETACH_CLEAN, NULL);
	check(wait_exit(pid, 10, &status) && status == 0, "the container: %d", WEXITSTATUS(status));
}

void case_renamed_run(void)
{
	struct mount m = nfs_mount("10.20.0.1", "i1");

	(void)attached(&m, "attach");
	shell("mv " VOLUME "/r1 " VOLUME "/elsewhere");
	detached(DETACH_CLEAN, "umount");
	check(mounts_below(VOLUME "/", NULL) == 0, "still mounted");
}

/* Exchanges the mountpoint and symbolic links for as long as it lives. */
static void exchange(void)
{
	for (;;) {
		(void)syscall(SYS_renameat2, AT_FDCWD, TARGET, AT_FDCWD, VOLUME "/r1/away", 0);
		(void)!symlink("/etc", TARGET);
		(void)unlink(TARGET);
		(void)syscall(SYS_renameat2, AT_FDCWD, VOLUME "/r1/away", AT_FDCWD, TARGET, 0);
		(void)syscall(SYS_renameat2, AT_FDCWD, VOLUME "/r1", AT_FDCWD, VOLUME "/trap",
			2 /* RENAME_EXCHANGE */);
		(void)poll(NULL, 0, 3); /* some attempts must get through */
	}
}

static bool outside(void)
{
	struct actual_mounts mounts;
	bool found = false;

	check(actual_mounts_read_own(&mounts) == 0, "mountinfo");
	for (size_t i = 0; i < mounts.n; i++)
		if ((strstr(mounts.list[i].root, "/sources/") ||
			    actual_mount_is_marker(&mounts.list[i], NULL)) &&
			strncmp(mounts.list[i].target, VOLUME "/", sizeof VOLUME) != 0)
			found = true;
	actual_mounts_clear(&mounts);
	return found;
}

void case_exchanged_symlinks(void)
{
	struct mount m = bind_mount("b1", "i1");
	int done = 0, status;

	make_source("b1");
	shell("mkdir -p " TARGET " && ln -sfn / " VOLUME "/trap");
	pid_t pid = fork();
	if (pid == 0)
		exchange();
	for (int i = 0; i < 200; i++) {
		struct report r = attach(&m);
		const char *rung;
		check(!outside(), "a mount escaped");
		done += r.error == 0;
		(void)detach_here(DETACH_CLEAN, &rung, NULL);
	}
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, &status, 0);
	detached(DETACH_CLEAN, NULL);
	check(mounts_below(VOLUME "/", NULL) == 0, "still mounted");
	(void)printf("  %d of 200 attempts mounted\n", done);
}
