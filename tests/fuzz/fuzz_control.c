/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The control socket's protocol through its real socket, on a daemon that plans nothing. Two
 * packets a turn: the fuzzed one and a good one, which must find the daemon alive and well.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "mountd/control.h"
#include "mountd/mountinfo.h"
#include "mountd/server.h"

#define ANSWER_MS 2

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct daemon d;
static char folder[] = "/tmp/fuzz-control.XXXXXX";

static void do_nothing(void *data)
{
	(void)data;
}

static void stop_loop(void *data)
{
	loop_stop(data);
}

static struct loop_timer *patience;

static void require(int condition)
{
	if (!condition)
		abort();
}

static void remove_folder(void)
{
	char command[64];

	(void)snprintf(command, sizeof command, "rm -rf %s", folder);
	if (system(command) != 0) /* NOLINT */
		(void)fprintf(stderr, "%s is left behind\n", folder);
}

static void set_up(void)
{
	struct kerr e;

	require(mkdtemp(folder) != NULL);
	(void)atexit(remove_folder);
	log_set(LOG_FORMAT_TEXT, LOG_LEVEL_ERROR);
	d.preflight = PREFLIGHT_NONE;
	d.preflight.state = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	d.preflight.control_gid = getgid();
	d.options.runtime_dir = d.options.state_dir = folder;
	require(loop_new(&d.loop) == 0);
	require(loop_timer_new(d.loop, do_nothing, NULL, &d.plan_timer) == 0);
	require(loop_timer_new(d.loop, stop_loop, d.loop, &patience) == 0);
	require(server_new(&d, &d.server) == 0);
	require(mountinfo_new(&d, &d.mountinfo) == 0);
	require(source_dir_new(d.loop, folder, &d.desired, do_nothing, NULL, &d.source, &e) == 0);
	require(control_new(&d, &d.control, &e) == 0);
}

static int connect_peer(void)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	(void)snprintf(name.sun_path, sizeof name.sun_path, "%s/control.sock", folder);
	require(fd >= 0 && connect(fd, (struct sockaddr *)&name, sizeof name) == 0);
	return fd;
}

static void turn(uint64_t ms)
{
	loop_timer_set(patience, ms);
	loop_run(d.loop);
}

/* Every packet that comes back is one JSON object. */
static int read_answers(int fd)
{
	static char buffer[1 << 20];
	int answers = 0;
	ssize_t n;

	while ((n = recv(fd, buffer, sizeof buffer, 0)) > 0) {
		json_t *object = json_loadb(buffer, (size_t)n, JSON_REJECT_DUPLICATES, NULL);

		require(json_is_object(object));
		json_decref(object);
		answers++;
	}
	return answers;
}

static void clean_up(void)
{
	while (d.desired.n) {
		char *name = strdup(d.desired.files[0]->name);

		require(name && source_dir_remove(d.source, name) == 0);
		free(name);
	}
	while (d.runs.n)
		runs_drop(&d.runs, d.runs.list[0]);
	(void)daemon_set_drained(&d, false);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char good[] = "{\"verb\":\"runs\"}";
	int fd, other;

	if (!d.loop)
		set_up();
	fd = connect_peer();
	other = connect_peer();
	if (size)
		(void)send(fd, data, size, MSG_NOSIGNAL);
	require(send(other, good, sizeof good - 1, 0) == sizeof good - 1);
	turn(ANSWER_MS);
	(void)read_answers(fd);
	for (int i = 0; !read_answers(other); i++) {
		require(i < 1000);
		turn(ANSWER_MS);
	}
	(void)close(fd);
	(void)close(other);
	turn(0);
	clean_up();
	return 0;
}
