/* SPDX-License-Identifier: Apache-2.0 */
/* What the cases do and look at. */
#include "tests/vm/mount_engine/mount_engine.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

double now(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

bool kernel_at_least(unsigned major, unsigned minor)
{
	struct utsname name;
	unsigned x = 0, y = 0;

	(void)uname(&name);
	(void)sscanf(name.release, "%u.%u", &x, &y);
	return x > major || (x == major && y >= minor);
}

bool wait_exit(pid_t pid, double seconds, int *status)
{
	double end = now() + seconds;

	do {
		if (waitpid(pid, status, WNOHANG) == pid)
			return true;
		(void)poll(NULL, 0, 2);
	} while (now() < end);
	return false;
}

void shell(const char *command)
{
	check(system(command) == 0, "%s", command);
}

struct addr address(const char *text)
{
	struct addr a = {0};

	check(addr_parse(text, &a) == 0, "%s", text);
	return a;
}

struct mount nfs_mount(const char *server, const char *incarnation)
{
	struct mount m = {.kind = MOUNT_NFS, .port = 20490, .uid = 10001, .gid = 10001};

	(void)strcpy(m.id.run, "r1");
	(void)snprintf(m.id.incarnation, sizeof m.id.incarnation, "%s", incarnation);
	m.server = address(server);
	m.volume = strdup(VOLUME);
	return m;
}

struct mount bind_mount(const char *folder, const char *incarnation)
{
	struct mount m = nfs_mount("10.20.0.1", incarnation);

	m.kind = MOUNT_BIND;
	m.source_volume = strdup(SOURCES);
	m.source_folder = strdup(folder);
	return m;
}

pid_t attach_start(const struct mount *m, int *ret_pipe)
{
	int ends[2];

	check(pipe2(ends, O_CLOEXEC) == 0, "pipe");
	(void)fflush(stdout);
	pid_t pid = fork();
	if (pid == 0) {
		struct report r = {0};
		r.error = mount_attach(&config, m, NULL, &r.out, &r.e);
		(void)!write(ends[1], &r, sizeof r);
		_exit(0);
	}
	(void)close(ends[1]);
	*ret_pipe = ends[0];
	return pid;
}

struct report attach(const struct mount *m)
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

const char *explain(const struct report *r)
{
	static char text[700];

	kerr_format(&r->e, text, sizeof text);
	return text;
}

struct mount_outcome attached(const struct mount *m, const char *rung)
{
	struct report r = attach(m);

	check(r.error == 0, "%d %s", r.error, explain(&r));
	check(strcmp(r.out.rung, rung) == 0, "it is %s, not %s", r.out.rung, rung);
	return r.out;
}

void refused(const struct mount *m, int error)
{
	struct report r = attach(m);

	check(r.error == error, "%d %s", r.error, explain(&r));
	(void)printf("  %s\n", explain(&r));
}

int detach_here(enum detach_how how, const char **rung, struct kerr *e)
{
	return mount_detach(&config, VOLUME, "r1", &known, how, rung, e);
}

void detached(enum detach_how how, const char *wanted)
{
	const char *rung = "";
	struct report r = {0};
	double start = now();

	r.error = detach_here(how, &rung, &r.e);
	check(r.error == 0, "%s", explain(&r));
	check(!wanted || strcmp(rung, wanted) == 0, "it is %s, not %s", rung, wanted);
	(void)printf("  detached by %s in %.2f s\n", rung, now() - start);
}

size_t mounts_below(const char *path, struct actual_mount *ret_last)
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

int read_id(char text[16])
{
	_cleanup_close_ int fd = open(TARGET "/id", O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : read(fd, text, 15);

	if (got < 0)
		return -errno;
	text[got] = '\0';
	return 0;
}

void shows(const char *wanted)
{
	char text[16] = "";
	int error = read_id(text);

	check(error == 0 && strcmp(text, wanted) == 0, "error %d, \"%s\"", error, text);
}

void is_bare(void)
{
	struct stat st;

	check(mounts_below(VOLUME "/", NULL) == 0, "something is still mounted");
	check(stat(TARGET, &st) == 0, "no mountpoint");
	check((st.st_mode & 0777) == 0555 && st.st_uid == 0, "mode %o uid %u", st.st_mode,
		st.st_uid);
}

void drop(const char *server)
{
	char command[256];

	(void)snprintf(command, sizeof command,
		"nft 'add table inet cut; "
		"add chain inet cut out {type filter hook output priority 0;}; "
		"add rule inet cut out ip daddr %s drop'",
		server);
	shell(command);
}

void heal(void)
{
	(void)!system("nft delete table inet cut 2>/dev/null");
}

/* Processes blocked on the mount in many ways; each ends as soon as its call fails. */
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

void holders_start(pid_t pids[N_HOLDERS])
{
	for (int i = 0; i < N_HOLDERS; i++)
		pids[i] = holder(i);
	(void)poll(
		NULL, 0, 300); /* long enough for each to be in its loop; nothing depends on it */
}

double holders_end(const pid_t pids[N_HOLDERS], double deadline)
{
	double start = now();
	int status;

	for (int i = 0; i < N_HOLDERS; i++)
		check(wait_exit(pids[i], start + deadline - now(), &status),
			"holder %d is still blocked", i);
	return now() - start;
}

void make_source(const char *folder)
{
	char command[256];

	(void)snprintf(command, sizeof command,
		"mkdir -p " SOURCES "/%s && echo -n %s >" SOURCES "/%s/id", folder, folder, folder);
	shell(command);
}

/* Reads through the mountpoint without a pause; its exit status counts what it must never see. */
pid_t watcher(int *ret_stop)
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
