/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The mount engine on a real kernel, against the two servers of mount_engine.sh.
 *
 *   mount_engine [CASE...]                  every case, or these; one line each
 *   mount_engine detach clean|cut RUN       by hand, for a look at its system calls
 */
#include "mountd/base/cleanup.h"
#include "nfs/actual.h"
#include "nfs/mount.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>

#define VOLUME	"/workspaces/volume"
#define SOURCES "/workspaces/sources"
#define TARGET	VOLUME "/r1/sandbox"

static struct mount_config config = {.client_identifier = "node-test-0001", .staging = -1};

/* Shared with forked workers: what an attempt said. */
struct report {
	int error;
	struct mount_outcome out;
	struct kerr e;
};

#define check(condition, ...) \
	do { \
		if (!(condition)) { \
			(void)printf("  line %d: %s is not so: ", __LINE__, #condition); \
			(void)printf(__VA_ARGS__); \
			(void)printf("\n"); \
			(void)fflush(stdout); \
			_exit(1); \
		} \
	} while (0)

static double now(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static bool kernel_at_least(unsigned major, unsigned minor)
{
	struct utsname name;
	unsigned x = 0, y = 0;

	(void)uname(&name);
	(void)sscanf(name.release, "%u.%u", &x, &y);
	return x > major || (x == major && y >= minor);
}

static bool wait_exit(pid_t pid, double seconds, int *status)
{
	double end = now() + seconds;

	do {
		if (waitpid(pid, status, WNOHANG) == pid)
			return true;
		(void)poll(NULL, 0, 2);
	} while (now() < end);
	return false;
}

static void shell(const char *command)
{
	check(system(command) == 0, "%s", command);
}

static struct addr address(const char *text)
{
	struct addr a = {0};

	check(addr_parse(text, &a) == 0, "%s", text);
	return a;
}

static struct mount nfs_mount(const char *server, const char *incarnation)
{
	struct mount m = {.kind = MOUNT_NFS, .port = 20490, .uid = 10001, .gid = 10001};

	(void)strcpy(m.id.run, "r1");
	(void)snprintf(m.id.incarnation, sizeof m.id.incarnation, "%s", incarnation);
	m.server = address(server);
	m.volume = strdup(VOLUME);
	return m;
}

static struct mount bind_mount(const char *folder, const char *incarnation)
{
	struct mount m = nfs_mount("10.20.0.1", incarnation);

	m.kind = MOUNT_BIND;
	m.source_volume = strdup(SOURCES);
	m.source_folder = strdup(folder);
	return m;
}

static pid_t attach_start(const struct mount *m, int *ret_pipe)
{
	int ends[2];

	check(pipe2(ends, O_CLOEXEC) == 0, "pipe");
	(void)fflush(stdout);
	pid_t pid = fork();
	if (pid == 0) {
		struct report r = {0};
		r.error = mount_attach(&config, m, &r.out, &r.e);
		(void)!write(ends[1], &r, sizeof r);
		_exit(0);
	}
	(void)close(ends[1]);
	*ret_pipe = ends[0];
	return pid;
}

static struct report attach(const struct mount *m)
{
	struct report r = {.error = -ETIME};
	int end, status;
	pid_t pid = attach_start(m, &end);

	if (!wait_exit(pid, 30, &status)) {
		(void)kill(pid, SIGKILL);
		return r;
	}
	check(read(end, &r, sizeof r) == (ssize_t)sizeof r, "the worker died, status %d", status);
	(void)close(end);
	return r;
}

static const char *explain(const struct report *r)
{
	static char text[700];

	kerr_format(&r->e, text, sizeof text);
	return text;
}

static struct mount_outcome attached(const struct mount *m, const char *rung)
{
	struct report r = attach(m);

	check(r.error == 0, "%d %s", r.error, explain(&r));
	check(strcmp(r.out.rung, rung) == 0, "it is %s, not %s", r.out.rung, rung);
	return r.out;
}

static void refused(const struct mount *m, int error)
{
	struct report r = attach(m);

	check(r.error == error, "%d %s", r.error, explain(&r));
	(void)printf("  %s\n", explain(&r));
}

static int detach_here(enum detach_how how, const char **rung, struct kerr *e)
{
	return mount_detach(&config, VOLUME, "r1", NULL, how, rung, e);
}

static void detached(enum detach_how how, const char *wanted)
{
	const char *rung = "";
	struct report r = {0};
	double start = now();

	r.error = detach_here(how, &rung, &r.e);
	check(r.error == 0, "%s", explain(&r));
	check(!wanted || strcmp(rung, wanted) == 0, "it is %s, not %s", rung, wanted);
	(void)printf("  detached by %s in %.2f s\n", rung, now() - start);
}

static size_t mounts_below(const char *path, struct actual_mount *ret_last)
{
	struct actual_mounts mounts;
	size_t n = 0;

	check(actual_mounts_read_own(&mounts) == 0, "mountinfo");
	for (size_t i = 0; i < mounts.n; i++)
		if (strncmp(mounts.list[i].target, path, strlen(path)) == 0) {
			if (ret_last)
				*ret_last = mounts.list[i];
			n++;
		}
	return n; /* the table is left to the caller's last mount */
}

static int read_id(char text[16])
{
	_cleanup_close_ int fd = open(TARGET "/id", O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : read(fd, text, 15);

	if (got < 0)
		return -errno;
	text[got] = '\0';
	return 0;
}

static void shows(const char *wanted)
{
	char text[16] = "";
	int error = read_id(text);

	check(error == 0 && strcmp(text, wanted) == 0, "error %d, \"%s\"", error, text);
}

static void is_bare(void)
{
	struct stat st;

	check(mounts_below(VOLUME "/", NULL) == 0, "something is still mounted");
	check(stat(TARGET, &st) == 0, "no mountpoint");
	check((st.st_mode & 0777) == 0555 && st.st_uid == 0, "mode %o uid %u", st.st_mode,
		st.st_uid);
}

static void drop(const char *server)
{
	char command[256];

	(void)snprintf(command, sizeof command,
		"nft 'add table inet cut; "
		"add chain inet cut out {type filter hook output priority 0;}; "
		"add rule inet cut out ip daddr %s drop'",
		server);
	shell(command);
}

static void heal(void)
{
	(void)!system("nft delete table inet cut 2>/dev/null");
}

/* Processes blocked on the mount in many ways; each ends as soon as its call fails. */
#define N_HOLDERS 5
static pid_t holder(int kind)
{
	static char block[65536];

	(void)fflush(stdout);
	pid_t pid = fork();
	if (pid)
		return pid;
	int fd = open(TARGET "/big", O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (fd < 0)
		_exit(9);
	if (kind == 3 && chdir(TARGET) < 0)
		_exit(9);
	for (;;) {
		struct stat st;
		int bad = 0;
		switch (kind) {
		case 0:
			(void)posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
			bad = pread(fd, block, sizeof block, 0) < 0;
			break;
		case 1:
			bad = pwrite(fd, block, sizeof block, 0) < 0 || fsync(fd) < 0;
			break;
		case 2:
			bad = stat(TARGET "/id", &st) < 0;
			break;
		case 3:
			bad = statfs(".", &(struct statfs){0}) < 0;
			break;
		default: {
			int other = open(TARGET "/id", O_RDONLY | O_CLOEXEC);
			bad = other < 0;
			(void)close(other);
		}
		}
		if (bad)
			_exit(0);
		(void)poll(NULL, 0, 1);
	}
}

static void holders_start(pid_t pids[N_HOLDERS])
{
	for (int i = 0; i < N_HOLDERS; i++)
		pids[i] = holder(i);
	(void)poll(
		NULL, 0, 300); /* long enough for each to be in its loop; nothing depends on it */
}

static double holders_end(const pid_t pids[N_HOLDERS], double deadline)
{
	double start = now();
	int status;

	for (int i = 0; i < N_HOLDERS; i++)
		check(wait_exit(pids[i], start + deadline - now(), &status),
			"holder %d is still blocked", i);
	return now() - start;
}

static void case_attach(void)
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

static void case_ipv6(void)
{
	struct mount m = nfs_mount("fd20::1", "i2");

	struct mount_outcome out = attached(&m, "attach");
	check(!out.options_fault[0], "%s", out.options_fault);
	shows("i2");
	(void)attached(&m, "adopted");
	detached(DETACH_CLEAN, "umount");
}

static void case_not_exported(void)
{
	struct mount unknown = nfs_mount("10.20.0.1", "i9"), gone = nfs_mount("10.20.0.1", "gone");

	refused(&unknown, -ENOENT);
	refused(&gone, -ENOENT);
	is_bare();
}

static void case_unknown_client(void)
{
	struct mount m = nfs_mount("10.20.0.1", "i1");

	shell("ip address add 10.20.0.4/32 dev eth0 && "
	      "ip route add 10.20.0.1/32 dev eth0 src 10.20.0.4");
	refused(&m, -EACCES);
	shell("ip route del 10.20.0.1/32 dev eth0 && ip address del 10.20.0.4/32 dev eth0");
	is_bare();
}

static void case_foreign_name(void)
{
	struct mount m = nfs_mount("10.20.0.1", "i1");

	config.client_identifier = "another-name";
	struct mount_outcome out = attached(&m, "attach");
	check(strcmp(out.client_fault, "client identifier is node-test-0001, not another-name") ==
			0,
		"%s", out.client_fault);
	detached(DETACH_CLEAN, "umount");
}

static void case_nobody_listens(void)
{
	struct mount m = nfs_mount("10.20.0.1", "i1");

	m.port = 20491;
	refused(&m, -ECONNREFUSED);
	m.server = address("192.0.2.1");
	refused(&m, -ENETUNREACH);
	is_bare();
}

/* Reads through the mountpoint without a pause; its exit status counts what it must never see. */
static pid_t watcher(int *ret_stop)
{
	int ends[2];

	check(pipe2(ends, O_CLOEXEC) == 0, "pipe");
	(void)fflush(stdout);
	pid_t pid = fork();
	if (pid == 0) {
		int missing = 0;
		char text[16];
		struct pollfd stop = {.fd = ends[0], .events = POLLIN};
		(void)close(ends[1]);
		while (poll(&stop, 1, 0) == 0)
			if (read_id(text) == -ENOENT && missing < 100)
				missing++;
		_exit(missing);
	}
	(void)close(ends[0]);
	*ret_stop = ends[1];
	return pid;
}

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

static void case_replace(void)
{
	bool beneath = kernel_at_least(6, 5);

	check(beneath == !!(mount_rungs() & MOUNT_RUNG_BENEATH), "the kernel's rungs are wrong");
	replace(beneath ? "beneath" : "detach-attach", beneath);
}

static void case_replace_old_rung(void)
{
	config.masked_rungs = MOUNT_RUNG_BENEATH;
	replace("detach-attach", false);
}

/* A replacement that was killed between its two steps: the old one still covers the new one. */
static void case_killed_replacement(void)
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

static void case_busy(void)
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

static void case_dead_server(void)
{
	bool shutdown = kernel_at_least(6, 5);

	cut(shutdown ? "shutdown" : "force", shutdown);
}

static void case_dead_server_old_rung(void)
{
	config.masked_rungs = MOUNT_RUNG_SHUTDOWN;
	cut("force", false);
}

/* The mount that shows is dead, and its sandbox lives on another node already. */
static void case_replace_dead(void)
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

static void case_killed_attempt(void)
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

static void make_source(const char *folder)
{
	char command[256];

	(void)snprintf(command, sizeof command,
		"mkdir -p " SOURCES "/%s && echo -n %s >" SOURCES "/%s/id", folder, folder, folder);
	shell(command);
}

static void case_bind(void)
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

static void case_bind_and_nfs(void)
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

static void case_bind_busy(void)
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

static void case_foreign(void)
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

static void case_bad_targets(void)
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

static void case_mountpoint(void)
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

static void case_private_volume(void)
{
	struct mount m = bind_mount("b1", "i1");

	make_source("b1");
	shell("mount --bind " VOLUME " " VOLUME " && mount --make-private " VOLUME);
	struct mount_outcome out = attached(&m, "attach");
	check(!out.propagates, "it says that pods see it");
	detached(DETACH_CLEAN, "umount");
	shell("umount " VOLUME);
}

/* Shared storage that knows no root: everything on it is the owner's to do. */
static void case_squashed_root(void)
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

/* A container that receives mounts sees it come, and go although it sits inside. */
static void case_container(void)
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

/* What a look at a mount of a lost server costs is a process that hangs: only umount2 names it. */
static void case_never_looks(void)
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

static void case_renamed_run(void)
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

static void case_exchanged_symlinks(void)
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

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
	{"attach", case_attach},
	{"ipv6", case_ipv6},
	{"not-exported", case_not_exported},
	{"unknown-client", case_unknown_client},
	{"foreign-name", case_foreign_name},
	{"nobody-listens", case_nobody_listens},
	{"replace", case_replace},
	{"replace-old-rung", case_replace_old_rung},
	{"killed-replacement", case_killed_replacement},
	{"busy", case_busy},
	{"dead-server", case_dead_server},
	{"dead-server-old-rung", case_dead_server_old_rung},
	{"replace-dead", case_replace_dead},
	{"killed-attempt", case_killed_attempt},
	{"bind", case_bind},
	{"bind-and-nfs", case_bind_and_nfs},
	{"bind-busy", case_bind_busy},
	{"foreign", case_foreign},
	{"bad-targets", case_bad_targets},
	{"mountpoint", case_mountpoint},
	{"private-volume", case_private_volume},
	{"squashed-root", case_squashed_root},
	{"container", case_container},
	{"renamed-run", case_renamed_run},
	{"never-looks", case_never_looks},
	{"exchanged-symlinks", case_exchanged_symlinks},
};

static void clean_up(void)
{
	const char *rung;

	heal();
	(void)detach_here(DETACH_CUT, &rung, NULL);
	(void)!system("umount -l " TARGET " 2>/dev/null; umount -l " VOLUME "/r1 2>/dev/null; "
		      "umount -l " VOLUME " 2>/dev/null; rm -rf "
		      "--one-file-system " VOLUME "; mkdir -p " VOLUME " " SOURCES);
}

static bool run_case(size_t i)
{
	double start = now();
	int status = -1;

	clean_up();
	(void)printf("%s\n", cases[i].name);
	(void)fflush(stdout);
	pid_t pid = fork();
	if (pid == 0) {
		(void)setpgid(0, 0);
		cases[i].run();
		(void)fflush(stdout);
		_exit(0);
	}
	bool ended = wait_exit(pid, 120, &status);
	(void)kill(-pid, SIGKILL);
	bool good = ended && status == 0;
	(void)printf("%s %s (%.1f s)\n", good ? "ok" : "FAILED", cases[i].name, now() - start);
	(void)fflush(stdout);
	return good;
}

static int detach_by_hand(const char *how, const char *run)
{
	struct report r = {0};
	const char *rung = "";

	r.error = mount_detach(&config, VOLUME, run, NULL,
		strcmp(how, "cut") == 0 ? DETACH_CUT : DETACH_CLEAN, &rung, &r.e);
	(void)puts(r.error < 0 ? explain(&r) : rung);
	return r.error < 0;
}

int main(int argc, char **argv)
{
	int failed = 0, ran = 0;

	if (argc == 4 && strcmp(argv[1], "detach") == 0)
		return detach_by_hand(argv[2], argv[3]);
	struct kerr e = {0};
	(void)mkdir("/run/engine", 0700); /* traces go there */
	check(mount_staging_new(&config.staging, &e) == 0, "%s %s", e.stage, strerror(-e.error));
	(void)printf("rungs: %s%s\n", mount_rungs() & MOUNT_RUNG_BENEATH ? "beneath " : "",
		mount_rungs() & MOUNT_RUNG_SHUTDOWN ? "shutdown" : "");
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		bool wanted = argc == 1;
		for (int j = 1; j < argc; j++)
			wanted = wanted || strcmp(argv[j], cases[i].name) == 0;
		if (!wanted)
			continue;
		ran++;
		failed += !run_case(i);
	}
	clean_up();
	(void)printf("%d of %d cases failed\n", failed, ran);
	return failed || !ran;
}
