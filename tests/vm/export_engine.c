/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The answering half of the export engine, driven by lines on a FIFO; one line back for each.
 *	export_engine STATE_DIR FIFO [procfs]
 *	add RUN INCARNATION FOLDER UID GID sync|async CLIENT...   remove RUN INCARNATION
 *	serve   pause   fd-wakeups SECONDS   quit
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "mountd/base/cleanup.h"
#include "nfs/export.h"

#define WORDS 80

static struct exporter *exporter;
static int held = -1; /* the mount of the export removed last */

static int split(char *line, char *words[WORDS])
{
	int n = 0;
	char *save = NULL;

	for (char *w = strtok_r(line, " \n", &save); w && n < WORDS;
		w = strtok_r(NULL, " \n", &save))
		words[n++] = w;
	return n;
}

static struct run_id id_of(char *words[])
{
	struct run_id id = {0};

	(void)snprintf(id.run, sizeof id.run, "%s", words[1]);
	(void)snprintf(id.incarnation, sizeof id.incarnation, "%s", words[2]);
	return id;
}

static int by_address(const void *a, const void *b)
{
	return addr_compare(a, b);
}

static int add(char *words[], int n, struct kerr *e)
{
	struct addr clients[EXPORT_CLIENTS_MAX];
	struct export export = {
		.id = id_of(words),
		.volume = words[3],
		.folder = (char[]){"."},
		.clients = clients,
		.uid = (uid_t)atoi(words[4]),
		.gid = (gid_t)atoi(words[5]),
		.sync = strcmp(words[6], "sync") == 0,
	};
	int tree = open_tree(AT_FDCWD, words[3], OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
	struct statx st;

	if (tree < 0 || statx(AT_FDCWD, words[3], 0, 0, &st) < 0)
		return kerr_set(e, -errno, "open tree", words[3], NULL);
	for (int i = 7; i < n; i++)
		if (addr_parse(words[i], &clients[export.n_clients++]) < 0)
			return kerr_set(e, -EINVAL, "parse client", words[i], NULL);
	qsort(clients, export.n_clients, sizeof *clients, by_address);
	return exporter_add(exporter, &export, tree, st.stx_attributes & STATX_ATTR_MOUNT_ROOT, e);
}

static int drop(char *words[], struct kerr *e)
{
	struct run_id id = id_of(words);

	cleanup_close(&held);
	held = -1;
	return exporter_remove(exporter, &id, &held, e);
}

static int64_t milliseconds(void)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * INT64_C(1000) + ts.tv_nsec / 1000000;
}

/* How often the engine wakes up its loop when nobody wants anything. */
static int count_wakeups(int seconds)
{
	int64_t left, end = milliseconds() + seconds * 1000;
	int wakeups = 0;

	while ((left = end - milliseconds()) > 0) {
		struct pollfd p = {.fd = exporter_get_fd(exporter), .events = POLLIN};
		if (poll(&p, 1, (int)left) > 0) {
			wakeups++;
			(void)exporter_dispatch(exporter, NULL);
		}
	}
	return wakeups;
}

static int run_command(char *words[], int n, struct kerr *e)
{
	if (n >= 8 && strcmp(words[0], "add") == 0)
		return add(words, n, e);
	if (n == 3 && strcmp(words[0], "remove") == 0)
		return drop(words, e);
	if (n == 1 && strcmp(words[0], "serve") == 0)
		return exporter_serve(exporter, e);
	if (n == 1 && strcmp(words[0], "pause") == 0) {
		exporter_pause(exporter);
		return 0;
	}
	if (n == 1 && strcmp(words[0], "release") == 0) {
		cleanup_close(&held);
		held = -1;
		return 0;
	}
	if (n == 2 && strcmp(words[0], "fd-wakeups") == 0)
		return count_wakeups(atoi(words[1]));
	if (n == 1 && strcmp(words[0], "quit") == 0)
		exit(0);
	return kerr_set(e, -EINVAL, "parse command", words[0], NULL);
}

static void on_line(char *line)
{
	char *words[WORDS], text[640];
	struct kerr e = {0};
	int64_t start = milliseconds();
	int n = split(line, words), result = run_command(words, n, &e);

	if (result < 0) {
		kerr_format(&e, text, sizeof text);
		printf("error %d: %s\n", -result, text);
	} else {
		printf("ok %d rung=%s ms=%d\n", result, exporter_cache_rung(exporter),
			(int)(milliseconds() - start));
	}
}

int main(int argc, char **argv)
{
	const struct addr any = {0};
	struct exporter_config config = {
		.listen = &any,
		.n_listen = 1,
		.port = 20490,
		.threads = 4,
		.lease_seconds = 90,
		.grace_seconds = 90,
		.state_dir = argv[1],
		.runtime_dir = "/run",
		.server_scope = "test",
		.masked_rungs = argc > 3 ? EXPORT_RUNG_NETLINK_CACHE : 0,
	};
	struct kerr e = {0};
	char text[640], line[4096];
	int commands = open(argv[2], O_RDWR | O_CLOEXEC);
	FILE *in = fdopen(commands, "r");

	setvbuf(stdout, NULL, _IOLBF, 0);
	setvbuf(in, NULL, _IONBF, 0);
	if (exporter_new(&config, &exporter, &e) < 0) {
		kerr_format(&e, text, sizeof text);
		printf("error new: %s\n", text);
		return 1;
	}
	printf("ready\n");
	for (;;) {
		struct pollfd p[] = {
			{.fd = exporter_get_fd(exporter), .events = POLLIN},
			{.fd = commands, .events = POLLIN},
		};
		if (poll(p, 2, -1) < 0)
			return 1;
		if (p[0].revents && exporter_dispatch(exporter, &e) < 0) {
			kerr_format(&e, text, sizeof text);
			fprintf(stderr, "dispatch: %s\n", text);
		}
		if (p[1].revents && fgets(line, sizeof line, in))
			on_line(line);
	}
}
