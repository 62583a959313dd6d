/* SPDX-License-Identifier: Apache-2.0 */
/* What runs in the pods of the test cluster; which of them, its name says: pause, sandbox-exec,
 * harness. */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define FOLDER "/workspaces/4f2a/sandbox"

static void on_term(int signal)
{
	(void)signal;
	_exit(0);
}

static void fail(const char *what)
{
	printf("ERROR %s: %s\n", what, strerror(errno));
	fflush(stdout);
}

static int put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	size_t n = strlen(text);
	int r = fd < 0 || write(fd, text, n) != (ssize_t)n || fsync(fd) < 0 ? -1 : 0;

	if (fd >= 0 && close(fd) < 0)
		r = -1;
	return r;
}

static int get(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, size - 1);

	if (fd >= 0)
		(void)close(fd);
	if (n < 0)
		return -1;
	text[n] = '\0';
	return 0;
}

/* The sandbox: one file for the agent to see. */
static void sandbox(void)
{
	if (put(FOLDER "/hello", "from the sandbox\n") < 0)
		fail("write hello");
}

/* The agent: reads it, then writes and reads as long as it lives, and says how far it has come. */
static void harness(void)
{
	char text[64], want[64];

	if (get(FOLDER "/hello", text, sizeof text) < 0)
		fail("read hello");
	else
		printf("sees %s", text);
	for (unsigned long round = 1;; round++) {
		(void)snprintf(want, sizeof want, "%lu\n", round);
		if (put(FOLDER "/round", want) < 0)
			fail("write");
		else if (get(FOLDER "/round", text, sizeof text) < 0)
			fail("read");
		else if (strcmp(text, want) != 0)
			fail("another text was read");
		else
			printf("round %lu\n", round);
		fflush(stdout);
		(void)nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
	}
}

int main(int argc, char **argv)
{
	const char *name = argc > 0 ? basename(argv[0]) : "";

	(void)signal(SIGTERM, on_term);
	(void)signal(SIGINT, on_term);
	if (strcmp(name, "sandbox-exec") == 0)
		sandbox();
	else if (strcmp(name, "harness") == 0)
		harness();
	for (;;)
		(void)pause();
}
