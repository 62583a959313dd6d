/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two runs of one pod: what the first may do to the second. Every cell is asserted, for the same
 * and for another uid, with Landlock alone and with the strict filter, on whatever ABI the kernel
 * has: a regression shows, and so does an improvement.
 *
 *   driver (root) --+-- kora-launch --run b -- victim      objects of every kind
 *                   +-- attacker without launcher          control: what works at all here
 *                   +-- kora-launch --run a -- attacker    one line a row: name, errno
 *
 * usage: run_a_run_b KORA-LAUNCH WORKDIR
 */
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <sys/ipc.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "attack.h"
#include "check.h"
#include "landlock/landlock_abi.h"

#define VICTIM_UID 10001
#define OTHER_UID  10002
#define TCP_PORT   "39251"
#define UDP_PORT   "39252"

static const char *launcher, *work;
static char self[PATH_MAX], self_dir[PATH_MAX], dir_a[PATH_MAX / 2], dir_b[PATH_MAX / 2];

struct child {
	pid_t pid;
	FILE *out;
	int in;
};

static struct child start(char *const *argv, uid_t uid)
{
	int in[2], out[2];
	struct child c;

	if (pipe2(in, O_CLOEXEC) < 0 || pipe2(out, O_CLOEXEC) < 0)
		die("pipe");
	c.pid = fork();
	if (c.pid == 0) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		if (uid && (setgroups(0, NULL) < 0 || setresgid(uid, uid, uid) < 0 ||
				   setresuid(uid, uid, uid) < 0))
			_exit(99);
		execv(argv[0], argv);
		_exit(98);
	}
	close(in[0]);
	close(out[1]);
	c.in = in[1];
	c.out = fdopen(out[0], "r");
	return c;
}

static int finish(struct child *c)
{
	int status;

	close(c->in);
	fclose(c->out);
	waitpid(c->pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void own_file(const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", dir_b, name);
	int fd = open(path, O_WRONLY | O_CREAT, 0600);

	if (fd < 0 || write(fd, "secret", 6) != 6 || fchown(fd, VICTIM_UID, VICTIM_UID) < 0)
		die("%s", path);
	close(fd);
}

static void remove_in(const char *dir, const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	(void)remove(path);
}

/* As before any attempt. */
static void reset(uid_t attacker)
{
	static const char *const files[] = {"open", "unlink", "rename", "link", "truncate", "stat",
		"chmod", "chown", "utime", "xattr", "inotify"};
	static const char *const made[] = {"new", "newdir", "newlink"};

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		own_file(files[i]);
	for (size_t i = 0; i < sizeof(made) / sizeof(made[0]); i++)
		remove_in(dir_b, made[i]);
	remove_in(dir_a, "stolen");
	remove_in(dir_a, "linked");
	if (chown(dir_a, attacker, attacker) < 0)
		die("%s", dir_a);
	char tmp[PATH_MAX];

	snprintf(tmp, sizeof(tmp), "%s/.tmp", dir_a);
	(void)rmdir(tmp);
}

static void make_workspaces(void)
{
	snprintf(dir_a, sizeof(dir_a), "%s/a", work);
	snprintf(dir_b, sizeof(dir_b), "%s/b", work);
	if ((mkdir(work, 0755) < 0 && errno != EEXIST) ||
		(mkdir(dir_a, 0700) < 0 && errno != EEXIST) ||
		(mkdir(dir_b, 0700) < 0 && errno != EEXIST) ||
		chown(dir_b, VICTIM_UID, VICTIM_UID) < 0)
		die("%s", work);
	chmod(work, 0755);
}

static int attack_main(char **argv)
{
	const struct target t = {
		.a = argv[0],
		.b = argv[1],
		.pid = atoi(argv[2]),
		.shm = atoi(argv[3]),
		.msg = atoi(argv[4]),
		.sem = atoi(argv[5]),
		.fd = atoi(argv[6]),
		.tcp = atoi(TCP_PORT),
		.udp = atoi(UDP_PORT),
		.abstract = argv[7],
		.uid = VICTIM_UID,
		.gid = VICTIM_UID,
	};

	for (size_t i = 0; i < n_rows; i++)
		printf("%d\n", rows[i].attack(&t));
	return 0;
}

struct victim {
	struct child child;
	char words[5][16]; /* pid, shm, msg, sem, fd */
	char abstract[32];
};

static void victim_start(struct victim *v)
{
	char min[8] = "1";

	snprintf(v->abstract, sizeof(v->abstract), "kora-b-%d", getpid());
	char *argv[] = {(char *)(uintptr_t)launcher, "--profile", "runtime", "--run", "b",
		"--workspaces", (char *)(uintptr_t)work, "--uid", "10001", "--seccomp", "none",
		"--landlock-min", min, "--tcp-bind", TCP_PORT, "--udp-bind", UDP_PORT, "--write",
		"/dev/shm", "--exec", self_dir, "--", self, "victim", dir_b, v->abstract, TCP_PORT,
		UDP_PORT, NULL};

	v->child = start(argv, 0);
	if (fscanf(v->child.out, "%15s %15s %15s %15s %15s", v->words[0], v->words[1], v->words[2],
		    v->words[3], v->words[4]) != 5)
		die("the victim did not start");
}

/* One attacker: results per row. */
static bool attack(const struct victim *v, uid_t uid, const char *filter, int *results)
{
	char number[16];
	char *tail[] = {self, "attack", dir_a, dir_b, (char *)(uintptr_t)v->words[0],
		(char *)(uintptr_t)v->words[1], (char *)(uintptr_t)v->words[2],
		(char *)(uintptr_t)v->words[3], (char *)(uintptr_t)v->words[4],
		(char *)(uintptr_t)v->abstract, NULL};
	char *argv[40] = {(char *)(uintptr_t)launcher, "--profile", "runtime", "--run", "a",
		"--workspaces", (char *)(uintptr_t)work, "--uid", number, "--seccomp",
		(char *)(uintptr_t)filter, "--landlock-min", "1", "--read-only-root=no", "--exec",
		self_dir, "--"};
	struct child c;
	size_t n = 0;

	reset(uid);
	snprintf(number, sizeof(number), "%u", uid);
	memcpy(argv + 17, tail, sizeof(tail));
	c = filter ? start(argv, 0) : start(tail, uid);
	while (n < n_rows && fscanf(c.out, "%d", &results[n]) == 1)
		n++;
	int code = finish(&c);

	return check(n == n_rows && code == 0, "attacker uid %u, %s: ran (%zu rows, exit %d)", uid,
		filter ? filter : "no launcher", n, code);
}

static int expected(const struct row *r, int abi, bool other, bool strict)
{
	if (strict && r->filtered)
		return r->filtered;
	if (other && r->other_uid)
		return r->other_uid;
	return r->from && abi >= r->from ? r->refused : 0;
}

static const char *word(int e)
{
	return e ? strerrorname_np(e) : "allowed";
}

static void compare(
	const struct victim *v, int abi, uid_t uid, const char *filter, const int *control)
{
	int results[128];
	const bool other = uid != VICTIM_UID, strict = strcmp(filter, "strict") == 0;

	if (!attack(v, uid, filter, results))
		return;
	for (size_t i = 0; i < n_rows; i++) {
		int want = expected(&rows[i], abi, other, strict);

		/* What a plain process can't do here proves nothing. */
		if (control[i] && !(strict && rows[i].filtered)) {
			skip("%s: %s without a launcher", rows[i].name, word(control[i]));
			continue;
		}
		check(results[i] == want, "%-22s %s uid, filter %-6s: %s%s%s", rows[i].name,
			other ? "other" : "same", filter, word(results[i]),
			results[i] == want ? "" : ", expected ",
			results[i] == want ? "" : word(want));
	}
}

int main(int argc, char **argv)
{
	int control[128], abi = ll_create_ruleset(NULL, 0, LL_CREATE_VERSION);
	struct victim v;

	if (argc > 2 && strcmp(argv[1], "victim") == 0)
		return victim_main(argv + 2);
	if (argc > 2 && strcmp(argv[1], "attack") == 0)
		return attack_main(argv + 2);
	if (argc != 3 || geteuid() != 0) {
		fprintf(stderr, "usage (as root): run_a_run_b KORA-LAUNCH WORKDIR\n");
		return 2;
	}
	launcher = argv[1];
	work = argv[2];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (len < 0 || abi < 1)
		die("this needs /proc and Landlock");
	snprintf(self_dir, sizeof(self_dir), "%s", self);
	*strrchr(self_dir, '/') = '\0';
	signal(SIGPIPE, SIG_IGN);
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("Landlock ABI %d\n", abi);
	make_workspaces();
	reset(VICTIM_UID);
	victim_start(&v);
	if (attack(&v, VICTIM_UID, NULL, control)) {
		compare(&v, abi, VICTIM_UID, "none", control);
		compare(&v, abi, OTHER_UID, "none", control);
		compare(&v, abi, VICTIM_UID, "strict", control);
		compare(&v, abi, OTHER_UID, "strict", control);
	}
	check(finish(&v.child) == 0, "the victim lived to its end");
	return check_end();
}
