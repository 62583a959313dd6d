/* SPDX-License-Identifier: Apache-2.0 */
/* kora-sandbox-mount: exports sandbox folders and mounts those of other nodes. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "mountd/base/cleanup.h"
#include "mountd/daemon.h"
#include "mountd/spec_dir.h"

/* Also in the man page. */
enum exit_code {
	EXIT_FINE = 0,
	EXIT_FAILED = 1,  /* the system refused something */
	EXIT_USAGE = 2,	  /* an option is wrong */
	EXIT_SPECS = 3,	  /* --check: a spec is wrong */
	EXIT_RUNNING = 4, /* another daemon has the network namespace or a directory */
	EXIT_DENIED = 5,  /* privilege is missing */
	EXIT_NO_KEY = 6,  /* the node key is lost, and the node has served before */
};

static int exit_code(const struct kerr *e)
{
	switch (e->error) {
	case -EPERM:
		return EXIT_DENIED;
	case -EBUSY:
		return EXIT_RUNNING;
	case -ENOKEY:
		return EXIT_NO_KEY;
	default:
		return EXIT_FAILED;
	}
}

static int fail(const struct kerr *e)
{
	char text[640];

	kerr_format(e, text, sizeof text);
	log_event(LOG_LEVEL_ERROR, "start-failed", log_text("errno", strerrorname_np(-e->error)),
		log_text("error", text));
	return exit_code(e);
}

/* Returns of how many files. */
static size_t say_faults(const struct desired *desired)
{
	size_t faulty = 0;

	for (size_t i = 0; i < desired->n; i++) {
		const struct desired_file *file = desired->files[i];
		const struct desired_file *first = desired_overruling(desired, file);

		if (file->fault)
			printf("%s: %s\n", file->name, file->fault);
		else if (first)
			printf("%s: %s speaks of the same run, and counts\n", file->name,
				first->name);
		faulty += file->fault || first;
	}
	return faulty;
}

static int complain(const struct kerr *e)
{
	char text[640];

	kerr_format(e, text, sizeof text);
	fprintf(stderr, "kora-sandbox-mount: %s\n", text);
	return exit_code(e);
}

/* What is not there yet the daemon makes. */
static int check_directories(const struct options *o, struct kerr *e)
{
	const char *const paths[] = {o->state_dir, o->runtime_dir};

	for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
		int r = preflight_directory(paths[i], e);
		if (r < 0 && r != -ENOENT)
			return r;
	}
	return 0;
}

/* Changes nothing, and needs no privilege beyond reading the specs. */
static int check(const struct options *o)
{
	_cleanup_(desired_clear) struct desired desired = {0};
	_cleanup_close_ int dir = -1;
	struct kerr e = {0};
	char path[PATH_MAX];
	size_t faulty;
	gid_t gid;
	int r;

	log_set(o->log_format, LOG_LEVEL_ERROR); /* what is refused is told in its order */
	if (o->control_group && control_group_find(o->control_group, &gid, &e) < 0)
		return complain(&e);
	if (check_directories(o, &e) < 0)
		return complain(&e);
	(void)snprintf(path, sizeof path, "%s%s", o->spec_dir ? o->spec_dir : o->state_dir,
		o->spec_dir ? "" : "/specs");
	dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir >= 0 && spec_dir_check(dir, path, &e) < 0)
		return complain(&e);
	r = dir < 0 ? -errno : spec_dir_scan(dir, &desired);
	if (r == -ENOENT && !o->spec_dir)
		r = 0; /* a fresh node: the daemon makes it */
	if (r < 0) {
		(void)kerr_set(&e, r, "read spec directory", path, NULL);
		return complain(&e);
	}
	faulty = say_faults(&desired);
	printf("%zu spec files in %s, %zu refused\n", desired.n, path, faulty);
	return faulty ? EXIT_SPECS : EXIT_FINE;
}

static int run(struct options *o)
{
	_cleanup_(preflight_clear) struct preflight p = PREFLIGHT_NONE;
	struct daemon *d;
	struct kerr e = {0};

	log_set(o->log_format, o->log_level);
	log_set_clock(loop_clock_ms);
	(void)signal(SIGPIPE, SIG_IGN);
	if (preflight(o, &p, &e) < 0 || daemon_new(o, &p, &d, &e) < 0)
		return fail(&e);
	daemon_run(d);
	daemon_free(d);
	log_event(LOG_LEVEL_INFO, "stopped");
	return EXIT_FINE;
}

/* A descriptor 0, 1 or 2 that is missing would be given to the next file opened. */
static void fill_standard_fds(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		(void)close(fd);
}

int main(int argc, char **argv)
{
	char fault[OPTIONS_FAULT_SIZE];
	struct options o;

	fill_standard_fds();
	if (options_parse(argc, argv, &o, fault) < 0) {
		fprintf(stderr, "kora-sandbox-mount: %s\n", fault);
		return EXIT_USAGE;
	}
	switch (o.action) {
	case ACTION_HELP:
		options_help(stdout);
		return EXIT_FINE;
	case ACTION_VERSION:
		puts("kora-sandbox-mount " KORA_VERSION);
		return EXIT_FINE;
	case ACTION_CHECK:
		return check(&o);
	case ACTION_RUN:
		break;
	}
	return run(&o);
}
