/* SPDX-License-Identifier: Apache-2.0 */
/* What stands in the way of a start, and what must not. Needs root, as the daemon does. */
#include "mountd/preflight.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mountd/base/log.h"

static char folder[] = "/tmp/test-preflight.XXXXXX";
static char state[64], runtime[64], other[64], other_runtime[64];
static bool able;

static void set_up(void)
{
	log_set(LOG_FORMAT_TEXT, LOG_LEVEL_ERROR);
	able = geteuid() == 0 && unshare(CLONE_NEWNET | CLONE_NEWNS) == 0 &&
	       mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
	cr_assert(mkdtemp(folder));
	(void)snprintf(state, sizeof state, "%s/state", folder);
	(void)snprintf(runtime, sizeof runtime, "%s/run", folder);
	(void)snprintf(other, sizeof other, "%s/other", folder);
	(void)snprintf(other_runtime, sizeof other_runtime, "%s/other-run", folder);
	if (!able)
		cr_skip_test("needs root");
}

static void tear_down(void)
{
	char command[64];

	(void)umount2(folder, MNT_DETACH);
	(void)snprintf(command, sizeof command, "rm -rf %s", folder);
	cr_expect_eq(system(command), 0); /* NOLINT */
}

TestSuite(preflight, .init = set_up, .fini = tear_down);

static int try(const char *state_dir, const char *runtime_dir, struct preflight *p)
{
	struct options o = {.state_dir = state_dir, .runtime_dir = runtime_dir, .node_name = "n"};
	struct kerr e = {0};
	int r = preflight(&o, p, &e);
	char text[640];

	kerr_format(&e, text, sizeof text);
	if (r < 0 && r != -EBUSY)
		cr_log_warn("%s", text);
	return r;
}

Test(preflight, one_daemon_per_network_namespace)
{
	struct preflight first = PREFLIGHT_NONE, second = PREFLIGHT_NONE;

	cr_assert_eq(try(state, runtime, &first), 0);
	for (int i = 0; i < 10; i++) /* as one that is started again and again */
		cr_expect_eq(try(other, other_runtime, &second), -EBUSY, "%d", i);
	cr_expect_neq(access(other, F_OK), 0, "refused before anything was made");
	cr_assert_eq(unshare(CLONE_NEWNET), 0);
	cr_expect_eq(try(other, other_runtime, &second), 0, "another namespace");
	preflight_clear(&second);
	preflight_clear(&first);
	cr_expect_eq(try(state, runtime, &first), 0, "free again");
	preflight_clear(&first);
}

/* A child with another uid binds the name, and tells by a byte. */
static void squat(int ready, bool listens)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX, .sun_path = "\0kora-sandbox-mount"};
	int fd = setuid(65534) < 0 ? -1 : socket(AF_UNIX, SOCK_STREAM, 0);

	if (fd < 0 ||
		bind(fd, (struct sockaddr *)&name,
			offsetof(struct sockaddr_un, sun_path) + sizeof "kora-sandbox-mount") < 0 ||
		(listens && listen(fd, 1) < 0) || write(ready, "", 1) != 1)
		_exit(1);
	(void)pause();
	_exit(0);
}

static void start_beside_squatter(bool listens)
{
	struct preflight p = PREFLIGHT_NONE;
	int ends[2];
	char byte;
	pid_t pid;

	cr_assert_eq(pipe(ends), 0);
	pid = fork();
	if (pid == 0)
		squat(ends[1], listens);
	(void)close(ends[1]);
	cr_assert_eq(read(ends[0], &byte, 1), 1);
	for (int i = 0; i < 10; i++) {
		cr_expect_eq(try(state, runtime, &p), 0, "%d", i);
		preflight_clear(&p);
	}
	(void)close(ends[0]);
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, NULL, 0);
}

Test(preflight, name_taken_by_another_user)
{
	start_beside_squatter(true);
	start_beside_squatter(false);
}

Test(preflight, read_only_state)
{
	struct preflight p = PREFLIGHT_NONE;

	cr_assert_eq(try(state, runtime, &p), 0);
	preflight_clear(&p);
	cr_assert_eq(mount(state, state, NULL, MS_BIND, NULL), 0);
	cr_assert_eq(mount(NULL, state, NULL, MS_BIND | MS_REMOUNT | MS_RDONLY, NULL), 0);
	cr_expect_eq(try(state, runtime, &p), 0);
	preflight_clear(&p);
	cr_expect_eq(umount2(state, MNT_DETACH), 0);
}
