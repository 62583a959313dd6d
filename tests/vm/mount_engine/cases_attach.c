/* SPDX-License-Identifier: Apache-2.0 */
/* Mounting, and mounts that are refused. */
#include "tests/vm/mount_engine/mount_engine.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "nfs/mount_client.h"

void case_attach(void)
{
	struct mount m = nfs_mount("10.20.0.1", "i1");
	double start = now();
	struct mount_outcome out = attached(&m, "attach");
	struct actual_mount a;
	char name[64] = "";
	struct run_id id;

	(void)printf("  %.2f s\n", now() - start);
	shows("i1");
	check(mounts_below(VOLUME "/", &a) == 1, "not one mount");
	check(a.id == out.mount_id && a.major == out.major && a.minor == out.minor, "ids differ");
	check(actual_mount_is_ours(&a, &id, NULL, NULL) && run_id_equal(&id, &m.id), "not ours");
	check(!out.options_fault[0] && !out.client_fault[0] && !out.target_fault[0], "%s %s %s",
		out.options_fault, out.client_fault, out.target_fault);
	check(out.propagates && a.shared, "does not propagate");
	(void)printf("  %s\n", a.options);
	check(!mount_client_knows("rdirplus", "force") || strstr(a.options, "rdirplus=force"),
		"directories come without attributes");
	_cleanup_close_ int fd =
		open("/sys/fs/nfs/net/nfs_client/identifier", O_RDONLY | O_CLOEXEC);
	check(read(fd, name, sizeof name - 1) > 0 && strncmp(name, "node-test-0001", 14) == 0,
		"identifier is %s", name);
	check(mounts_below("/run/engine", NULL) == 0, "staging is visible");

	struct mount_outcome again = attached(&m, "adopted");
	check(again.mount_id == out.mount_id && again.major == out.major, "another mount");
	detached(DETACH_CLEAN, "umount");
	is_bare();
	detached(DETACH_CLEAN, "absent");
}

void case_ipv6(void)
{
	struct mount m = nfs_mount("fd20::1", "i2");

	struct mount_outcome out = attached(&m, "attach");
	check(!out.options_fault[0], "%s", out.options_fault);
	shows("i2");
	(void)attached(&m, "adopted");
	detached(DETACH_CLEAN, "umount");
}

void case_not_exported(void)
{
	struct mount unknown = nfs_mount("10.20.0.1", "i9"), gone = nfs_mount("10.20.0.1", "gone");

	refused(&unknown, -ENOENT);
	refused(&gone, -ENOENT);
	is_bare();
}

void case_unknown_client(void)
{
	struct mount m = nfs_mount("10.20.0.1", "i1");

	shell("ip address add 10.20.0.4/32 dev eth0 && "
	      "ip route add 10.20.0.1/32 dev eth0 src 10.20.0.4");
	refused(&m, -EACCES);
	shell("ip route del 10.20.0.1/32 dev eth0 && ip address del 10.20.0.4/32 dev eth0");
	is_bare();
}

void case_foreign_name(void)
{
	struct mount m = nfs_mount("10.20.0.1", "i1");

	config.client_identifier = "another-name";
	struct mount_outcome out = attached(&m, "attach");
	check(strcmp(out.client_fault, "client identifier is node-test-0001, not another-name") ==
			0,
		"%s", out.client_fault);
	detached(DETACH_CLEAN, "umount");
}

void case_nobody_listens(void)
{
	struct mount m = nfs_mount("10.20.0.1", "i1");

	m.port = 20491;
	refused(&m, -ECONNREFUSED);
	m.server = address("192.0.2.1");
	refused(&m, -ENETUNREACH);
	is_bare();
}

void case_killed_attempt(void)
{
	struct mount m = nfs_mount("10.20.0.1", "i1"), other = nfs_mount("10.20.0.3", "i1");
	int end, status;

	drop("10.20.0.1");
	pid_t pid = attach_start(&m, &end);
	check(!wait_exit(pid, 3, &status), "the attempt did not hang");
	check(mounts_below(VOLUME "/", NULL) == 0, "the attempt shows");
	double start = now();
	(void)attached(&other, "attach");
	(void)printf("  another server meanwhile: %.2f s\n", now() - start);
	shows("i1");
	detached(DETACH_CLEAN, "umount");
	(void)kill(pid, SIGKILL);
	check(wait_exit(pid, 5, &status), "the attempt cannot be killed");
	is_bare();
	heal();
	start = now();
	(void)attached(&m, "attach");
	(void)printf("  the same server after it: %.2f s\n", now() - start);
	detached(DETACH_CLEAN, "umount");
}

/* Shared storage that knows no root: everything on it is the owner's to do. */
void case_squashed_root(void)
{
	struct mount m = bind_mount("b1", "i1"), n = nfs_mount("10.20.0.1", "i1");
	struct stat st;

	make_source("b1");
	shell("mount -t nfs4 -i -o vers=4.2,port=20490,addr=10.20.0.3,proto=tcp "
	      "10.20.0.3:/volume " VOLUME);
	struct mount_outcome out = attached(&m, "attach");
	check(attached(&m, "adopted").mount_id == out.mount_id, "another mount");
	(void)attached(&n, kernel_at_least(6, 5) ? "beneath" : "detach-attach");
	detached(DETACH_CLEAN, "umount");
	check(mounts_below(VOLUME "/", NULL) == 0, "still mounted");
	check(setegid(10001) == 0 && seteuid(10001) == 0, "setuid");
	check(stat(TARGET, &st) == 0 && st.st_uid == 10001 && (st.st_mode & 0777) == 0555,
		"mode %o uid %u", st.st_mode, st.st_uid);
	check(seteuid(0) == 0, "setuid");
	shell("umount " VOLUME);
}
