/* SPDX-License-Identifier: Apache-2.0 */
/* Clients are expired in turn, and one that the kernel does not let go holds up its own address. */
#include "nfs/client_expire.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mountd/base/cleanup.h"

#define SOON_MS	 20000
#define WHILE_MS 1000

static char folder[] = "/tmp/kora-test-expire.XXXXXX";
static int fs = -1;

static void put(const char *file, const char *text)
{
	_cleanup_close_ int fd = openat(fs, file, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	cr_assert_geq(fd, 0, "%s: %s", file, strerror(errno));
	cr_assert_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
}

static void add_client(const char *name, const char *address)
{
	char file[64], text[128];

	(void)snprintf(file, sizeof file, "clients/%s", name);
	cr_assert_eq(mkdirat(fs, file, 0700), 0);
	(void)snprintf(file, sizeof file, "clients/%s/info", name);
	(void)snprintf(text, sizeof text, "clientid: 0x1\naddress: \"%s:921\"\n", address);
	put(file, text);
	(void)snprintf(file, sizeof file, "clients/%s/ctl", name);
	put(file, "");
}

/* As nfsd does for as long as a call of it is under way: who opens it to write waits. */
static void hang(const char *name)
{
	char file[64];

	(void)snprintf(file, sizeof file, "clients/%s/ctl", name);
	cr_assert_eq(unlinkat(fs, file, 0), 0);
	cr_assert_eq(mkfifoat(fs, file, 0600), 0);
}

static void set_up(void)
{
	cr_assert(mkdtemp(folder));
	fs = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	cr_assert_geq(fs, 0);
	put("threads", "8\n");
	cr_assert_eq(mkdirat(fs, "clients", 0700), 0);
	add_client("1", "10.20.0.2");
	add_client("2", "10.20.0.2");
	add_client("3", "10.20.0.3");
}

static void tear_down(void)
{
	char command[64];

	(void)snprintf(command, sizeof command, "rm -rf %s", folder);
	cr_expect_eq(system(command), 0);
	(void)close(fs);
}

TestSuite(client_expire, .init = set_up, .fini = tear_down, .timeout = 120);

struct worker {
	pid_t pid;
	int pidfd;
};

static struct worker expire(const char *name, client_meant_fn *meant)
{
	struct worker w = {.pid = fork()};

	cr_assert_geq(w.pid, 0);
	if (w.pid == 0)
		_exit(client_expire(fs, name, meant, NULL, NULL) == 0 ? 0 : 1);
	w.pidfd = pidfd_open(w.pid, 0);
	cr_assert_geq(w.pidfd, 0);
	return w;
}

static bool ends(const struct worker *w, int ms)
{
	struct pollfd p = {.fd = w->pidfd, .events = POLLIN};

	return poll(&p, 1, ms) == 1;
}

static void reap(struct worker *w)
{
	(void)kill(w->pid, SIGKILL);
	(void)waitpid(w->pid, NULL, 0);
	(void)close(w->pidfd);
}

static bool was_told(const char *name)
{
	char file[64], text[16] = "";
	_cleanup_close_ int fd = -1;

	(void)snprintf(file, sizeof file, "clients/%s/ctl", name);
	fd = openat(fs, file, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	cr_assert_geq(fd, 0);
	return read(fd, text, sizeof text - 1) > 0 && strcmp(text, "expire\n") == 0;
}

static bool falls_asleep(const struct worker *w)
{
	char path[64], text[128];

	(void)snprintf(path, sizeof path, "/proc/%d/stat", (int)w->pid);
	for (int i = 0; i < SOON_MS / 20; i++) {
		_cleanup_fclose_ FILE *file = fopen(path, "re");
		char state = 0;
		if (file && fgets(text, sizeof text, file) && strrchr(text, ')'))
			state = strrchr(text, ')')[2];
		if (state == 'S')
			return true;
		(void)poll(NULL, 0, 20);
	}
	return false;
}

Test(client_expire, one_that_hangs_holds_up_its_own_address_alone)
{
	struct worker stuck, same, other;

	hang("1");
	stuck = expire("1", NULL);
	cr_assert(falls_asleep(&stuck));
	other = expire("3", NULL);
	same = expire("2", NULL);
	cr_expect(ends(&other, SOON_MS), "another address waits");
	cr_expect(was_told("3"));
	cr_expect_not(ends(&same, WHILE_MS), "the same address does not");
	cr_expect_not(was_told("2"));
	reap(&stuck);
	cr_expect(ends(&same, SOON_MS));
	cr_expect(was_told("2"));
	reap(&same);
	reap(&other);
}

static bool is_not_meant(int at, const char *name, const void *data)
{
	(void)at;
	(void)name;
	(void)data;
	return false;
}

Test(client_expire, who_is_meant_no_more_stays)
{
	cr_expect_eq(client_expire(fs, "1", is_not_meant, NULL, NULL), 0);
	cr_expect_not(was_told("1"));
	cr_expect_eq(client_expire(fs, "1", NULL, NULL, NULL), 0);
	cr_expect(was_told("1"));
}

Test(client_expire, one_that_is_gone_is_no_failure)
{
	cr_expect_eq(client_expire(fs, "99", NULL, NULL, NULL), 0);
}
