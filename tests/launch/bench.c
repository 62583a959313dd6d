/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What starting through the launcher costs, beside its peers, and what its filter and its domain
 * cost per call afterwards. Rounds are interleaved, so that a noisy machine is noisy for all.
 *
 * usage (as root): bench KORA-LAUNCH OUTPUT [ROUNDS]      OUTPUT: for integration/bench/report
 * NEWER=DIR: a newer setpriv with its libraries, unpacked there.
 */
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>

#include "bench_calls.h"
#include "bench_starts.h"
#include "check.h"
#include "seccomp/filter.h"

#define MAX_ROUNDS 5000
#define FILTER_FD  9 /* open in every child, read from its start by each */

static double taken[N_STARTS][MAX_ROUNDS]; /* microseconds */
static bool absent[N_STARTS];
static unsigned int rounds = 500;

static char launcher[PATH_MAX], dir[PATH_MAX / 4], true_path[PATH_MAX / 2], ws[PATH_MAX / 2],
	own[PATH_MAX], deep[PATH_MAX], floor_path[PATH_MAX / 2], musl_path[PATH_MAX / 2],
	bundle[PATH_MAX / 2], filter[PATH_MAX / 2];
static char newer_loader[PATH_MAX], newer_lib[PATH_MAX], newer_setpriv[PATH_MAX];

static double now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e6 + (double)ts.tv_nsec / 1e3;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void substitute(struct start *s)
{
	static const struct {
		const char *name;
		const char *value;
	} words[] = {{"TRUE", true_path}, {"MUSL", musl_path}, {"LAUNCH", launcher}, {"DIR", dir},
		{"WS", ws}, {"RUN", own}, {"FLOOR", floor_path}, {"BUNDLE", bundle},
		{"FILTER", filter}, {"FILTER_FD", "9"}, {"NEWER_LOADER", newer_loader},
		{"NEWER_LIB", newer_lib}, {"NEWER_SETPRIV", newer_setpriv}};

	for (size_t i = 0; i < MAX_ARGS && s->argv[i]; i++)
		for (size_t k = 0; k < sizeof(words) / sizeof(words[0]); k++)
			if (strcmp(s->argv[i], words[k].name) == 0)
				s->argv[i] = words[k].value;
}

/* From before vfork until the program has ended: -1 when it did not run. */
static double once(const struct start *s)
{
	int status;

	(void)lseek(FILTER_FD, 0, SEEK_SET);
	double begin = now_us();
	pid_t pid = vfork();

	if (pid == 0) {
		execv(s->argv[0], (char *const *)(uintptr_t)s->argv);
		_exit(99);
	}
	waitpid(pid, &status, 0);
	return status ? -1 : now_us() - begin;
}

/* A child that is what a pod's process is, and starts when told. */
struct pod {
	int ask, answer;
};

static struct pod pod_start(void)
{
	int ask[2], answer[2];

	if (pipe2(ask, O_CLOEXEC) < 0 || pipe2(answer, O_CLOEXEC) < 0)
		die("pipe");
	if (fork() == 0) {
		unsigned int i;

		for (int cap = 0; cap < 64; cap++)
			prctl(PR_CAPBSET_DROP, cap, 0, 0, 0);
		if (setgroups(0, NULL) < 0 || setresgid(10001, 10001, 10001) < 0 ||
			setresuid(10001, 10001, 10001) < 0)
			_exit(1);
		close(ask[1]);
		while (read(ask[0], &i, sizeof(i)) == sizeof(i)) {
			double us = once(&starts[i]);

			if (write(answer[1], &us, sizeof(us)) != sizeof(us))
				break;
		}
		_exit(0);
	}
	return (struct pod){ask[1], answer[0]};
}

static double as_pod(const struct pod *p, unsigned int i)
{
	double us = -1;

	if (write(p->ask, &i, sizeof(i)) != sizeof(i) || read(p->answer, &us, sizeof(us)) < 0)
		die("pod");
	return us;
}

static double start_one(const struct pod *pod, unsigned int i)
{
	if (absent[i])
		return -1;
	double us = starts[i].who == AS_POD ? as_pod(pod, i) : once(&starts[i]);

	absent[i] = us < 0;
	return us;
}

/* A start finds in the caches what the one before it left there, so no two always go in a row. */
static void shuffle(unsigned int order[N_STARTS], unsigned int *seed)
{
	for (unsigned int i = N_STARTS; i-- > 1;) {
		unsigned int k = (unsigned int)rand_r(seed) % (i + 1), other = order[k];

		order[k] = order[i];
		order[i] = other;
	}
}

static void measure_starts(void)
{
	unsigned int order[N_STARTS], seed = 1;
	int devnull = open("/dev/null", O_WRONLY | O_CLOEXEC);
	int out = fcntl(1, F_DUPFD_CLOEXEC, 10), err = fcntl(2, F_DUPFD_CLOEXEC, 10);

	fflush(stdout);
	dup2(devnull, 1);
	dup2(devnull, 2);
	struct pod pod = pod_start();

	for (unsigned int i = 0; i < N_STARTS; i++)
		order[i] = i;
	for (unsigned int r = 0; r < rounds + 5; r++) {
		shuffle(order, &seed);
		for (unsigned int k = 0; k < N_STARTS; k++) {
			double us = start_one(&pod, order[k]);

			if (r >= 5) /* the first find nothing in the caches */
				taken[order[k]][r - 5] = us;
		}
	}
	dup2(out, 1);
	dup2(err, 2);
	close(pod.ask);
	for (unsigned int i = 0; i < N_STARTS; i++)
		qsort(taken[i], rounds, sizeof(taken[i][0]), compare);
}

static FILE *measures;

static void record(const char *name, double ours, double beside, const char *unit, double target)
{
	fprintf(measures, "%s\t%.3f\t%.3f\t%s\t", name, ours, beside, unit);
	if (target > 0)
		fprintf(measures, "%.2f\tat-most\n", target);
	else
		fprintf(measures, "-\tat-most\n");
}

static double of(const char *name)
{
	for (size_t i = 0; i < N_STARTS; i++)
		if (strcmp(starts[i].name, name) == 0)
			return absent[i] ? 0 : taken[i][rounds / 2];
	die("%s: no such start", name);
}

static void beside(const char *ours, const char *peer, double target)
{
	char name[160];

	if (of(peer) <= 0)
		return;
	snprintf(name, sizeof(name), "start: %s / %s", ours, peer);
	record(name, of(ours), of(peer), "us", target);
}

static const char *plain_of(const struct start *s)
{
	if (s->who == AS_ROOT)
		return PLAIN;
	return strstr(s->name, "musl") ? PLAIN_MUSL : PLAIN_POD;
}

static void report_starts(void)
{
	beside(OURS_POD, PLAIN_POD, 2.2);
	beside(OURS_ROOT, SETPRIV, 0.70);
	beside(OURS_ROOT, SETPRIV_NEW, 0.70);
	beside(OURS_ROOT, SETPRIV_OLD, 0);
	beside(OURS_ROOT, BWRAP_ROOT, 0.25);
	beside(OURS_POD, BWRAP_POD, 0.25);
	beside(FLOOR, BWRAP_POD, 0);
	beside(OURS_MUSL, BWRAP_MUSL, 0);
	for (size_t i = 0; i < N_STARTS; i++) {
		if (strcmp(starts[i].name, plain_of(&starts[i])) == 0)
			continue;
		if (absent[i])
			skip("%s: not installed, or it did not run", starts[i].name);
		else
			beside(starts[i].name, plain_of(&starts[i]), 0);
	}
}

static void report_calls(const char *self)
{
	struct call_cost costs[N_CALLS];

	bench_calls(self, launcher, dir, ws, deep, costs);
	for (size_t i = 0; i < N_CALLS; i++) {
		char name[96];

		snprintf(name, sizeof(name), "call: %s / unfiltered", costs[i].name);
		record(name, costs[i].under, costs[i].plain, "ns", costs[i].target);
	}
}

/* dir and the run's folder are a few levels deep: what is left to 12 is made here. */
static void make_deep(void)
{
	size_t at = (size_t)snprintf(deep, sizeof(deep), "%s", own);
	unsigned int depth = 0;

	for (const char *c = deep; *c; c++)
		depth += *c == '/';
	for (; depth < 11; depth++) {
		at += (size_t)snprintf(deep + at, sizeof(deep) - at, "/d");
		mkdir(deep, 0755);
	}
	snprintf(deep + at, sizeof(deep) - at, "/file");
	close(open(deep, O_WRONLY | O_CREAT, 0644));
}

static void make_bundle(void)
{
	static const char *const parts[] = {"", "/rootfs", "/rootfs/proc", "/rootfs/dev"};
	char file[PATH_MAX + 16];

	for (size_t i = 0; i < 4; i++) {
		snprintf(file, sizeof(file), "%s%s", bundle, parts[i]);
		mkdir(file, 0755);
	}
	snprintf(file, sizeof(file), "%s/rootfs/true", bundle);
	if (link(true_path, file) < 0)
		die("%s", file);
	snprintf(file, sizeof(file), "%s/config.json", bundle);
	FILE *f = fopen(file, "we");

	if (!f)
		die("%s", file);
	fprintf(f, "{\"ociVersion\":\"1.0.2\",\"process\":{\"user\":{\"uid\":10001,\"gid\":10001},"
		   "\"args\":[\"/true\"],\"cwd\":\"/\",\"noNewPrivileges\":true,"
		   "\"capabilities\":{}},\"root\":{\"path\":\"rootfs\",\"readonly\":true},"
		   "\"mounts\":[{\"destination\":\"/proc\",\"type\":\"proc\",\"source\":\"proc\"}],"
		   "\"linux\":{\"namespaces\":[{\"type\":\"pid\"},{\"type\":\"mount\"},"
		   "{\"type\":\"ipc\"},{\"type\":\"uts\"},{\"type\":\"network\"}]}}");
	fclose(f);
}

/* The peers get our filter. */
static void make_filter(void)
{
	size_t len;
	const struct sock_filter *insns = seccomp_builtin(FILTER_STRICT, &len);
	int fd = open(filter, O_RDWR | O_CREAT | O_TRUNC, 0644);

	if (fd < 0 || write(fd, insns, len * sizeof(*insns)) != (ssize_t)(len * sizeof(*insns)) ||
		dup2(fd, FILTER_FD) < 0)
		die("%s", filter);
	if (fd != FILTER_FD)
		close(fd);
}

static void prepare(const char *self)
{
	const char *newer = getenv("NEWER");

	if (strlen(self) >= sizeof(dir))
		die("%s", self);
	strcpy(dir, self);
	*strrchr(dir, '/') = '\0';
	snprintf(true_path, sizeof(true_path), "%s/static-true", dir);
	snprintf(musl_path, sizeof(musl_path), "%s/musl-true", dir);
	snprintf(floor_path, sizeof(floor_path), "%s/floor", dir);
	snprintf(ws, sizeof(ws), "%s-ws", dir);
	snprintf(own, sizeof(own), "%s/a", ws);
	snprintf(bundle, sizeof(bundle), "%s-bundle", dir);
	snprintf(filter, sizeof(filter), "%s/filter.bpf", dir);
	snprintf(newer_setpriv, sizeof(newer_setpriv), "%s/usr/bin/setpriv", newer ? newer : "");
	snprintf(newer_lib, sizeof(newer_lib), "%s/usr/lib/x86_64-linux-gnu", newer ? newer : "");
	snprintf(newer_loader, sizeof(newer_loader), "%s/usr/lib64/ld-linux-x86-64.so.2",
		newer ? newer : "/none");
	mkdir(ws, 0755);
	mkdir(own, 0700);
	make_deep();
	if (chown(own, 10001, 10001) < 0 || access(true_path, X_OK) < 0)
		die("%s", true_path);
	make_bundle();
	make_filter();
	for (size_t i = 0; i < N_STARTS; i++) {
		substitute(&starts[i]);
		absent[i] = access(starts[i].argv[0], X_OK) < 0;
	}
}

int main(int argc, char **argv)
{
	static char self[PATH_MAX];
	double load = 0;

	if (argc == 3 && strcmp(argv[1], "calls") == 0)
		return bench_calls_main(argv[2]);
	if (argc < 3 || geteuid() != 0 || !realpath(argv[1], launcher)) {
		fprintf(stderr, "usage (as root): bench KORA-LAUNCH OUTPUT [ROUNDS]\n");
		return 2;
	}
	if (argc > 3)
		rounds = (unsigned int)atoi(argv[3]);
	if (rounds < 1 || rounds > MAX_ROUNDS ||
		readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		die("rounds");
	measures = fopen(argv[2], "we");
	if (!measures)
		die("%s", argv[2]);
	prepare(self);
	(void)getloadavg(&load, 1);
	measure_starts();
	printf("%u interleaved rounds; load at the beginning %.1f\n", rounds, load);
	report_starts();
	report_calls(self);
	return fclose(measures) == 0 ? 0 : 1;
}
