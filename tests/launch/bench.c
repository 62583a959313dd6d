/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What starting through the launcher costs, beside its peers, and what its filter and its domain
 * cost per call afterwards. Rounds are interleaved, so that a noisy machine is noisy for all.
 *
 * usage (as root): bench KORA-LAUNCH OUTPUT.json [ROUNDS]
 */
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>

#include "check.h"

#define MAX_ROUNDS 5000
#define MAX_ARGS   24

enum who {
	AS_ROOT,
	AS_POD, /* uid 10001 without capabilities: as a restricted pod starts it */
};

static struct start {
	const char *name;
	enum who who;
	const char *argv[MAX_ARGS];
} starts[] = {
	{"plain", AS_ROOT, {"TRUE"}},
	{"plain, as pod", AS_POD, {"TRUE"}},
	{"ours, pod, whole posture, verified", AS_POD,
		{"LAUNCH", "--profile", "runtime", "--run", "a", "--workspaces", "WS",
			"--read-only-root=no", "--exec", "DIR", "--", "TRUE"}},
	{"ours, pod, not verified", AS_POD,
		{"LAUNCH", "--profile", "runtime", "--run", "a", "--workspaces", "WS",
			"--read-only-root=no", "--verify=no", "--exec", "DIR", "--", "TRUE"}},
	{"ours, root, ids+caps+Landlock+filter", AS_ROOT,
		{"LAUNCH", "--profile", "runtime", "--run", "a", "--workspaces", "WS", "--uid",
			"10001", "--read-only-root=no", "--exec", "DIR", "--", "TRUE"}},
	{"ours, root, and a read-only root", AS_ROOT,
		{"LAUNCH", "--profile", "runtime", "--run", "a", "--workspaces", "WS", "--uid",
			"10001", "--exec", "DIR", "--", "TRUE"}},
	{"ours, 65535 ports", AS_POD,
		{"LAUNCH", "--profile", "runtime", "--run", "a", "--workspaces", "WS",
			"--read-only-root=no", "--tcp-connect", "any", "--exec", "DIR", "--",
			"TRUE"}},
	{"setpriv ids+caps+nnp", AS_ROOT,
		{"/usr/bin/setpriv", "--reuid=10001", "--regid=10001", "--clear-groups",
			"--inh-caps=-all", "--bounding-set=-all", "--no-new-privs", "TRUE"}},
	{"setpriv ids+caps+nnp+Landlock+filter", AS_ROOT,
		{"/usr/bin/setpriv", "--reuid=10001", "--regid=10001", "--clear-groups",
			"--inh-caps=-all", "--bounding-set=-all", "--no-new-privs",
			"--landlock-access", "fs", "--landlock-rule",
			"path-beneath:execute,read-file,read-dir:/", "--seccomp-filter", "BLOB",
			"TRUE"}},
	{"bwrap bind", AS_ROOT, {"/usr/bin/bwrap", "--bind", "/", "/", "TRUE"}},
	{"bwrap all namespaces", AS_ROOT,
		{"/usr/bin/bwrap", "--unshare-all", "--ro-bind", "/", "/", "--dev", "/dev",
			"--proc", "/proc", "--die-with-parent", "TRUE"}},
	{"minijail0", AS_ROOT,
		{"/usr/bin/minijail0", "-u", "10001", "-g", "10001", "-n", "-c", "0", "--ambient",
			"TRUE"}},
	{"firejail", AS_ROOT,
		{"/usr/bin/firejail", "--quiet", "--noprofile", "--caps.drop=all", "--seccomp",
			"TRUE"}},
	{"landrun", AS_ROOT, {"/usr/local/bin/landrun", "--best-effort", "--rox", "/", "TRUE"}},
	{"crun", AS_ROOT,
		{"/usr/bin/crun", "--cgroup-manager=disabled", "run", "-b", "BUNDLE",
			"kora-bench"}},
};
#define N_STARTS (sizeof(starts) / sizeof(starts[0]))

static double taken[N_STARTS][MAX_ROUNDS]; /* microseconds */
static bool absent[N_STARTS];

static char launcher[PATH_MAX], dir[PATH_MAX / 4], true_path[PATH_MAX / 2], ws[PATH_MAX / 2],
	bundle[PATH_MAX / 2], blob[PATH_MAX / 2];
static unsigned int rounds = 500;

static double now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e6 + (double)ts.tv_nsec / 1e3;
}

static double median(double *v, size_t n)
{
	for (size_t i = 1; i < n; i++) { /* insertion: a few hundred values */
		double x = v[i];
		size_t k = i;

		for (; k && v[k - 1] > x; k--)
			v[k] = v[k - 1];
		v[k] = x;
	}
	return n ? v[n / 2] : 0;
}

static void substitute(struct start *s)
{
	static const struct {
		const char *name;
		const char *value;
	} words[] = {{"TRUE", true_path}, {"LAUNCH", launcher}, {"DIR", dir}, {"WS", ws},
		{"BUNDLE", bundle}, {"BLOB", blob}};

	for (size_t i = 0; i < MAX_ARGS && s->argv[i]; i++)
		for (size_t k = 0; k < sizeof(words) / sizeof(words[0]); k++)
			if (strcmp(s->argv[i], words[k].name) == 0)
				s->argv[i] = words[k].value;
}

/* From before vfork until the program has ended: -1 when it did not run. */
static double once(const struct start *s)
{
	double begin = now_us();
	int status;
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

static void measure_starts(void)
{
	int devnull = open("/dev/null", O_WRONLY | O_CLOEXEC), err = fcntl(2, F_DUPFD_CLOEXEC, 10);
	struct pod pod = pod_start();

	dup2(devnull, 2);
	for (unsigned int r = 0; r < rounds + 5; r++) {
		for (unsigned int i = 0; i < N_STARTS; i++) {
			struct start *s = &starts[i];
			double us = absent[i] ? -1 : s->who == AS_POD ? as_pod(&pod, i) : once(s);

			absent[i] = us < 0;
			if (r >= 5) /* the first fill the caches */
				taken[i][r - 5] = us;
		}
	}
	dup2(err, 2);
	close(pod.ask);
}

/* Per-call costs: this program, plain and under the launcher. */
static double per_call(int (*call)(void))
{
	double best[21];

	for (size_t k = 0; k < 21; k++) {
		double begin = now_us();

		for (int i = 0; i < 20000; i++)
			call();
		best[k] = (now_us() - begin) / 20000 * 1000;
	}
	return median(best, 21);
}

static char deep[PATH_MAX];

static int call_getppid(void)
{
	return (int)syscall(SYS_getppid);
}
static int call_close(void)
{
	return close(-1);
}
static int call_socket(void)
{
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	return close(fd);
}
static int call_open(void)
{
	return close(open(deep, O_RDONLY));
}

static int (*const calls[])(void) = {call_getppid, call_close, call_socket, call_open};
static const char *const call_names[] = {
	"getppid", "close(-1)", "socket+close", "open+close at depth 12"};

static int calls_main(const char *path)
{
	snprintf(deep, sizeof(deep), "%s", path);
	for (size_t i = 0; i < 4; i++)
		printf("%f\n", per_call(calls[i]));
	return 0;
}

static void make_deep(void)
{
	size_t at = (size_t)snprintf(deep, sizeof(deep), "%s/a", ws);

	/* /DIR/bench-ws/a is depth 4 at most: what is left to 12 is made here. */
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

static void run_calls(const char *self, bool under, double out[4])
{
	char command[4 * PATH_MAX];

	if (under)
		snprintf(command, sizeof(command),
			"exec '%s' --profile runtime --run a --workspaces '%s' --uid 10001 "
			"--read-only-root=no --exec '%s' -- '%s' calls '%s'",
			launcher, ws, dir, self, deep);
	else
		snprintf(command, sizeof(command),
			"exec setpriv --reuid=10001 --regid=10001 "
			"--clear-groups '%s' calls '%s'",
			self, deep);
	FILE *f = popen(command, "r");

	for (size_t i = 0; i < 4; i++)
		if (!f || fscanf(f, "%lf", &out[i]) != 1)
			die("%s", command);
	pclose(f);
}

static FILE *json;
static unsigned int n_json;

static void record(const char *name, double ours, double beside, const char *unit, double target)
{
	double ratio = beside > 0 ? ours / beside : 0;

	fprintf(json,
		"%s  {\"name\": \"%s\", \"ours\": %.3f, \"beside\": %.3f, \"unit\": \"%s\", "
		"\"ratio\": %.3f, \"target\": ",
		n_json++ ? ",\n" : "", name, ours, beside, unit, ratio);
	if (target > 0)
		fprintf(json, "%.2f, \"met\": %s}", target, ratio <= target ? "true" : "false");
	else
		fprintf(json, "null, \"met\": null}");
	printf("%-58s %9.1f %9.1f %s  %6.2f", name, ours, beside, unit, ratio);
	if (target > 0)
		printf("  target %.2f %s", target, ratio <= target ? "met" : "MISSED");
	putchar('\n');
}

static double of(const char *name)
{
	for (size_t i = 0; i < N_STARTS; i++)
		if (strcmp(starts[i].name, name) == 0)
			return absent[i] ? 0 : median(taken[i], rounds);
	return 0;
}

static void report_starts(void)
{
	const double plain = of("plain"), pod = of("plain, as pod");
	const double whole = of("ours, pod, whole posture, verified"),
		     root = of("ours, root, ids+caps+Landlock+filter");

	record("start: whole posture, verified / plain exec", whole, pod, "us", 2.2);
	if (of("setpriv ids+caps+nnp+Landlock+filter") > 0)
		record("start: as root / setpriv ids+caps+Landlock+filter", root,
			of("setpriv ids+caps+nnp+Landlock+filter"), "us", 0.70);
	else if (of("setpriv ids+caps+nnp") > 0)
		record("start: as root / setpriv ids+caps only (it can no more here)", root,
			of("setpriv ids+caps+nnp"), "us", 0.70);
	if (of("bwrap all namespaces") > 0)
		record("start: as root / bwrap with all namespaces", root,
			of("bwrap all namespaces"), "us", 0.25);
	for (size_t i = 2; i < N_STARTS; i++) {
		char name[96];

		snprintf(name, sizeof(name), "start: %s / plain exec", starts[i].name);
		if (absent[i])
			skip("%s: not installed, or it did not run", starts[i].name);
		else
			record(name, of(starts[i].name), starts[i].who == AS_POD ? pod : plain,
				"us", 0);
	}
}

static void report_calls(const char *self)
{
	double plain[4][5], under[4][5], one[4];

	for (size_t k = 0; k < 5; k++) {
		run_calls(self, false, one);
		for (size_t i = 0; i < 4; i++)
			plain[i][k] = one[i];
		run_calls(self, true, one);
		for (size_t i = 0; i < 4; i++)
			under[i][k] = one[i];
	}
	for (size_t i = 0; i < 4; i++) {
		char name[96];

		snprintf(name, sizeof(name), "call: %s / unfiltered", call_names[i]);
		record(name, median(under[i], 5), median(plain[i], 5), "ns", i == 3 ? 1.5 : 1.3);
	}
}

static void make_bundle(void)
{
	char file[PATH_MAX + 16];

	mkdir(bundle, 0755);
	snprintf(file, sizeof(file), "%s/config.json", bundle);
	FILE *f = fopen(file, "w");

	if (!f)
		die("%s", file);
	fprintf(f,
		"{\"ociVersion\":\"1.0.2\",\"process\":{\"user\":{\"uid\":10001,\"gid\":10001},"
		"\"args\":[\"%s\"],\"cwd\":\"/\",\"noNewPrivileges\":true,\"capabilities\":{}},"
		"\"root\":{\"path\":\"/\",\"readonly\":true},\"mounts\":[{\"destination\":\"/"
		"proc\","
		"\"type\":\"proc\",\"source\":\"proc\"}],\"linux\":{\"namespaces\":[{\"type\":"
		"\"pid\"},{\"type\":\"mount\"},{\"type\":\"ipc\"},{\"type\":\"uts\"}]}}",
		true_path);
	fclose(f);
}

static void prepare(const char *self)
{
	char *slash;

	if (strlen(self) >= sizeof(dir))
		die("%s", self);
	strcpy(dir, self);
	slash = strrchr(dir, '/');
	*slash = '\0';
	snprintf(true_path, sizeof(true_path), "%s/static-true", dir);
	snprintf(ws, sizeof(ws), "%s-ws", dir);
	snprintf(bundle, sizeof(bundle), "%s/bench-bundle", dir);
	snprintf(blob, sizeof(blob), "%s/filter.bpf", dir);
	char a[PATH_MAX + 8];

	snprintf(a, sizeof(a), "%s/a", ws);
	mkdir(ws, 0755);
	mkdir(a, 0700);
	make_deep();
	if (chown(a, 10001, 10001) < 0 || access(true_path, X_OK) < 0)
		die("%s", true_path);
	make_bundle();
	for (size_t i = 0; i < N_STARTS; i++) {
		substitute(&starts[i]);
		absent[i] = access(starts[i].argv[0], X_OK) < 0;
	}
}

int main(int argc, char **argv)
{
	static char self[PATH_MAX];

	if (argc == 3 && strcmp(argv[1], "calls") == 0)
		return calls_main(argv[2]);
	if (argc < 3 || geteuid() != 0 || !realpath(argv[1], launcher)) {
		fprintf(stderr, "usage (as root): bench KORA-LAUNCH OUTPUT.json [ROUNDS]\n");
		return 2;
	}
	if (argc > 3)
		rounds = (unsigned int)atoi(argv[3]);
	if (rounds < 1 || rounds > MAX_ROUNDS ||
		readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		die("rounds");
	json = fopen(argv[2], "we");
	if (!json)
		die("%s", argv[2]);
	prepare(self);
	measure_starts();
	fputs("[\n", json);
	printf("%u interleaved rounds, medians\n%-58s %9s %9s %s\n", rounds, "", "ours", "beside",
		"       ratio");
	report_starts();
	report_calls(self);
	fputs("\n]\n", json);
	return fclose(json) == 0 ? 0 : 1;
}
