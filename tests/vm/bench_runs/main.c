/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long until runs can be listed, in microseconds, one a line.
 *	bench_runs ours|floor FIRST N		bench_runs ours-end|floor-end FIRST N
 *	bench_runs floor-prepare		bench_runs floor-restart FIRST N
 * Of one that comes and goes, N times, microseconds of the processor for either, one line a time:
 *	bench_runs floor-exports FIRST N	bench_runs floor-mounts FIRST N
 * The sandbox's folders are /workspaces/local/r<i> there, with one file in each.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "mountd/base/cleanup.h"
#include "tests/vm/bench_runs/bench_runs.h"

void die(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	(void)fprintf(stderr, "bench_runs: ");
	(void)vfprintf(stderr, format, args);
	(void)fprintf(stderr, " (%s)\n", strerror(errno));
	va_end(args);
	exit(1);
}

static uint64_t read_us(clockid_t clock)
{
	struct timespec ts;

	(void)clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000 + (uint64_t)ts.tv_nsec / 1000;
}

uint64_t now_us(void)
{
	return read_us(CLOCK_MONOTONIC);
}

uint64_t cpu_us(void)
{
	return read_us(CLOCK_PROCESS_CPUTIME_ID);
}

static int open_namespace(pid_t init, const char *kind)
{
	char path[64];
	int fd;

	(void)snprintf(path, sizeof path, "/proc/%d/ns/%s", (int)init, kind);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		die("%s", path);
	return fd;
}

void node_open_own(struct node *ret)
{
	ret->init = getpid();
	ret->mnt = open_namespace(ret->init, "mnt");
	ret->net = open_namespace(ret->init, "net");
}

void node_open(const char *name, struct node *ret)
{
	char path[64], text[16] = "";
	int fd;

	(void)snprintf(path, sizeof path, "/run/nodes/%s/pid", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || read(fd, text, sizeof text - 1) <= 0)
		die("no node %s", name);
	(void)close(fd);
	ret->init = atoi(text);
	ret->mnt = open_namespace(ret->init, "mnt");
	ret->net = open_namespace(ret->init, "net");
}

void node_join_mounts(const struct node *node)
{
	if (setns(node->mnt, CLONE_NEWNS) < 0)
		die("join node");
}

void node_join_network(const struct node *node)
{
	if (setns(node->net, CLONE_NEWNET) < 0)
		die("join node");
}

void node_join(const struct node *node)
{
	node_join_network(node);
	node_join_mounts(node);
}

static bool has_entry(const char *path)
{
	_cleanup_closedir_ DIR *dir = opendir(path);
	const struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			return true;
	return false;
}

bool is_listed(unsigned run)
{
	char path[64];
	struct statx st;

	(void)snprintf(path, sizeof path, "/workspaces/r%u/sandbox", run);
	return statx(AT_FDCWD, path, AT_STATX_DONT_SYNC, STATX_INO, &st) == 0 &&
	       st.stx_attributes & STATX_ATTR_MOUNT_ROOT && has_entry(path);
}

void listed(struct bench *b, unsigned run)
{
	b->listed_us[run - b->first] = now_us() - b->began_us;
}

static void print(const struct bench *b)
{
	for (unsigned i = 0; i < b->n; i++)
		printf("%" PRIu64 "\n", b->listed_us[i]);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*fn)(struct bench *);
		bool measures;
	} ways[] = {{"ours", ours, true}, {"ours-end", ours_end, false},
		{"floor", floor_runs, true}, {"floor-end", floor_end, false},
		{"floor-restart", floor_restart, false},
		{"floor-exports", floor_export_changes, false},
		{"floor-mounts", floor_mount_changes, false}};
	struct bench b = {0};

	if (argc == 2 && strcmp(argv[1], "floor-prepare") == 0) {
		floor_prepare();
		return 0;
	}
	for (size_t i = 0; argc == 4 && i < sizeof ways / sizeof *ways; i++) {
		if (strcmp(argv[1], ways[i].name) != 0)
			continue;
		b.first = (unsigned)atoi(argv[2]);
		b.n = (unsigned)atoi(argv[3]);
		b.listed_us = calloc(b.n, sizeof *b.listed_us);
		if (!b.listed_us)
			die("out of memory");
		ways[i].fn(&b);
		if (ways[i].measures)
			print(&b);
		free(b.listed_us);
		return 0;
	}
	(void)fprintf(stderr,
		"usage: bench_runs ours|floor|ours-end|floor-end|floor-restart|floor-exports|"
		"floor-mounts FIRST N\n");
	return 2;
}
