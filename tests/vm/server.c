/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The export engine on a real kernel, driven by words on standard input:
 *
 *	server OPTION... start|stop|status|serve
 *
 * serve answers the kernel and takes "add RUN INCARNATION VOLUME FOLDER CLIENT", "start",
 * "remove RUN INCARNATION" and "quit", a line each; every line is answered by one line. Exports
 * that clients may reclaim have to be added before the start.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "mountd/base/cleanup.h"
#include "nfs/export.h"

static struct addr listen_on[8];
static struct exporter_config config = {
	.listen = listen_on,
	.port = 20490,
	.threads = 4,
	.lease_seconds = 30,
	.grace_seconds = 30,
	.state_dir = "/var/lib/kora",
	.runtime_dir = "/run/kora",
	.server_scope = "node-a",
};

/* What is exported. */
static struct export exports[16];
static size_t n_exports;

static void print_failure(const char *what, const struct kerr *e)
{
	char text[1024];

	kerr_format(e, text, sizeof text);
	printf("%s failed %d: %s\n", what, e->error, text);
	fflush(stdout);
}

static double seconds(void)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* As a worker: its outcome is its exit status, its words are on standard output. */
static int run_start(void)
{
	struct kerr e = {0};
	double begun = seconds();

	if (server_start(&config, &e) < 0) {
		print_failure("start", &e);
		return 1;
	}
	printf("started in %.2f s\n", seconds() - begun);
	fflush(stdout);
	return 0;
}

struct gone {
	struct export export;
	int folder;
	struct other_exports others;
};

static int run_revoke(const struct gone *gone)
{
	const char *rung;
	struct kerr e;

	if (export_revoke(&config, &gone->export, gone->folder, false, &gone->others, &rung, &e) <
		0) {
		print_failure("revoke", &e);
		return 1;
	}
	printf("removed %s by %s\n", gone->export.id.run, rung);
	fflush(stdout);
	return 0;
}

/* Answers the kernel while a worker starts the server, or revokes what gone tells of. */
static int work(struct exporter *x, const struct gone *gone)
{
	struct kerr e;
	pid_t worker = fork();
	int status;

	if (worker == 0)
		_exit(gone ? run_revoke(gone) : run_start());
	while (waitpid(worker, &status, WNOHANG) == 0) {
		struct pollfd p = {.fd = exporter_get_fd(x), .events = POLLIN};
		if (poll(&p, 1, 10) > 0 && exporter_dispatch(x, &e) < 0)
			print_failure("dispatch", &e);
	}
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -EIO;
}

static void start_serving(struct exporter *x)
{
	struct kerr e;

	exporter_pause(x);
	if (work(x, NULL) < 0)
		return;
	if (exporter_serve(x, &e) < 0)
		print_failure("serve", &e);
	else
		printf("serving\n");
}

static struct export forget(const struct run_id *id)
{
	struct export gone = {0};

	for (size_t i = 0; i < n_exports; i++) {
		if (!run_id_equal(&exports[i].id, id))
			continue;
		gone = exports[i];
		exports[i] = exports[--n_exports];
	}
	return gone;
}

static void remember(const struct export *export)
{
	struct export before = forget(&export->id);

	export_clear(&before);
	if (n_exports == sizeof exports / sizeof *exports ||
		export_copy(export, &exports[n_exports++]) < 0)
		printf("too many\n");
	else
		printf("added %s\n", export->id.run);
}

static void add(struct exporter *x, const char *line)
{
	static char volume[1024], folder[1024];
	char client[64];
	struct export export = {.uid = 10001, .gid = 10001, .volume = volume, .folder = folder};
	struct addr addr;
	struct kerr e;
	int tree;
	bool root;

	if (sscanf(line, "add %63s %63s %1023s %1023s %63s", export.id.run, export.id.incarnation,
		    volume, folder, client) != 5 ||
		addr_parse(client, &addr) < 0) {
		printf("add what?\n");
		return;
	}
	export.clients = &addr;
	export.n_clients = 1;
	if (export_open_folder(&export, &tree, &root, &e) < 0)
		print_failure("open", &e);
	else if (exporter_add(x, &export, tree, root, &e) < 0)
		print_failure("add", &e);
	else
		remember(&export);
}

/* Borrowed until the next one comes or goes. */
static struct other_exports others(void)
{
	static const struct export *list[sizeof exports / sizeof *exports];

	for (size_t i = 0; i < n_exports; i++)
		list[i] = &exports[i];
	return (struct other_exports){.list = list, .n = n_exports, .n_staying = n_exports};
}

static void take_away(struct exporter *x, const char *line)
{
	struct run_id id = {0};
	struct gone gone = {.folder = -1};
	struct kerr e;

	if (sscanf(line, "remove %63s %63s", id.run, id.incarnation) != 2) {
		printf("remove what?\n");
		return;
	}
	if (exporter_remove(x, &id, &gone.folder, &e) < 0) {
		print_failure("remove", &e);
	} else {
		gone.export = forget(&id);
		gone.others = others();
		(void)work(x, &gone);
		cleanup_close(&gone.folder);
	}
	export_clear(&gone.export);
}

static int serve(void)
{
	struct exporter *x;
	struct kerr e;
	char line[4096];

	if (exporter_new(&config, &x, &e) < 0) {
		print_failure("exporter", &e);
		return 1;
	}
	printf("ready\n");
	for (;;) {
		struct pollfd p[] = {{.fd = exporter_get_fd(x), .events = POLLIN},
			{.fd = STDIN_FILENO, .events = POLLIN}};
		fflush(stdout);
		(void)poll(p, 2, -1);
		if (p[0].revents && exporter_dispatch(x, &e) < 0)
			print_failure("dispatch", &e);
		if (!p[1].revents)
			continue;
		if (!fgets(line, sizeof line, stdin) || strncmp(line, "quit", 4) == 0)
			break;
		if (strncmp(line, "add ", 4) == 0)
			add(x, line);
		else if (strncmp(line, "remove ", 7) == 0)
			take_away(x, line);
		else if (strncmp(line, "start", 5) == 0)
			start_serving(x);
		else
			printf("what?\n");
	}
	exporter_free(x);
	return 0;
}

static int stop(void)
{
	struct kerr e;

	if (server_stop(&config, &e) < 0) {
		print_failure("stop", &e);
		return 1;
	}
	printf("stopped\n");
	return 0;
}

static int status(void)
{
	static const char *const states[] = {"stopped", "ours", "foreign"};
	struct server_status s;
	struct kerr e;

	if (server_inspect(&config, &s, &e) < 0) {
		print_failure("status", &e);
		return 1;
	}
	printf("state=%s module=%d threads=%u all=%d foreign=%s server=%s cache=%s revoke=%s\n",
		states[s.state], s.module_available, s.threads, s.all_listening,
		s.foreign[0] ? s.foreign : "-", s.server_rung, s.cache_rung, s.revoke_rung);
	return 0;
}

static int act(const char *verb)
{
	if (strcmp(verb, "start") == 0)
		return run_start();
	if (strcmp(verb, "stop") == 0)
		return stop();
	if (strcmp(verb, "status") == 0)
		return status();
	return strcmp(verb, "serve") == 0 ? serve() : 2;
}

int main(int argc, char **argv)
{
	int option;

	setvbuf(stdin, NULL, _IONBF, 0); /* poll(2) must see what stdio has not read */
	while ((option = getopt(argc, argv, "a:p:l:g:m:n:r:d:")) != -1) {
		if (option == 'a' && addr_parse(optarg, &listen_on[config.n_listen++]) < 0)
			return 2;
		if (option == 'p')
			config.port = (uint16_t)atoi(optarg);
		if (option == 'l')
			config.lease_seconds = (unsigned)atoi(optarg);
		if (option == 'g')
			config.grace_seconds = (unsigned)atoi(optarg);
		if (option == 'm')
			config.masked_rungs = (unsigned)strtoul(optarg, NULL, 0);
		if (option == 'n')
			config.server_scope = optarg;
		if (option == 'r')
			config.runtime_dir = optarg;
		if (option == 'd')
			config.state_dir = optarg;
	}
	return optind < argc ? act(argv[optind]) : 2;
}
