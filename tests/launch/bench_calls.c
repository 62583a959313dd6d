/* SPDX-License-Identifier: Apache-2.0 */
/* Each call in a loop; the median of many loops, and of several runs in turns. */
#include "bench_calls.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>

#include "check.h"

#define TIMES 1000 /* a loop is over before most interruptions */
#define LOOPS 101
#define RUNS  21

static const char *deep;

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
	return close(socket(AF_UNIX, SOCK_STREAM, 0));
}

/* A terminal's size and a limit: the filter looks at an argument each time. */
static int call_ioctl(void)
{
	struct winsize size;

	return ioctl(0, TIOCGWINSZ, &size);
}

static int call_prlimit(void)
{
	struct rlimit limit;

	return (int)syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, NULL, &limit);
}

static int call_open(void)
{
	return close(open(deep, O_RDONLY));
}

static const struct {
	const char *name;
	double target;
	int (*call)(void);
} calls[N_CALLS] = {
	{"getppid", 1.3, call_getppid},
	{"close(-1)", 1.3, call_close},
	{"socket+close", 1.3, call_socket},
	{"ioctl of a file", 1.3, call_ioctl},
	{"prlimit of itself", 1.3, call_prlimit},
	{"open+close at depth 12", 1.5, call_open},
};

static double now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *v, size_t n)
{
	qsort(v, n, sizeof(*v), compare);
	return v[n / 2];
}

static double per_call(int (*call)(void))
{
	double loops[LOOPS];

	for (size_t k = 0; k < LOOPS; k++) {
		double begin = now_ns();

		for (int i = 0; i < TIMES; i++)
			call();
		loops[k] = (now_ns() - begin) / TIMES;
	}
	return median(loops, LOOPS);
}

int bench_calls_main(const char *file)
{
	deep = file;
	for (size_t i = 0; i < N_CALLS; i++)
		printf("%f\n", per_call(calls[i].call));
	return 0;
}

static void run_once(const char *command, double out[N_CALLS])
{
	FILE *f = popen(command, "r");

	for (size_t i = 0; i < N_CALLS; i++)
		if (!f || fscanf(f, "%lf", &out[i]) != 1)
			die("%s", command);
	pclose(f);
}

void bench_calls(const char *self, const char *launcher, const char *dir, const char *ws,
	const char *file, struct call_cost ret[N_CALLS])
{
	char plain[3 * PATH_MAX], under[5 * PATH_MAX];
	double costs[2][N_CALLS][RUNS], one[N_CALLS];

	snprintf(plain, sizeof(plain),
		"exec setpriv --reuid=10001 --regid=10001 --clear-groups '%s' calls '%s' <'%s'",
		self, file, file);
	snprintf(under, sizeof(under),
		"exec '%s' --profile runtime --run a --workspaces '%s' --uid 10001 "
		"--read-only-root=no --exec '%s' -- '%s' calls '%s' <'%s'",
		launcher, ws, dir, self, file, file);
	for (size_t k = 0; k < RUNS; k++) {
		for (size_t side = 0; side < 2; side++) {
			run_once(side ? under : plain, one);
			for (size_t i = 0; i < N_CALLS; i++)
				costs[side][i][k] = one[i];
		}
	}
	for (size_t i = 0; i < N_CALLS; i++)
		ret[i] = (struct call_cost){calls[i].name, calls[i].target,
			median(costs[0][i], RUNS), median(costs[1][i], RUNS)};
}
