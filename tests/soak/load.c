/* SPDX-License-Identifier: Apache-2.0 */
/* A harness at work in its run: writes, reads back, keeps a file open, and tells of each error. */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/soak/soak.h"

#define PATIENCE_MS 30000

static bool failed(struct load *l, const char *call)
{
	l->error = errno;
	for (size_t i = 0; i < sizeof l->call && (i == 0 || call[i - 1]); i++)
		l->call[i] = call[i];
	l->errors++;
	return false;
}

static bool write_file(struct load *l, const char *path, const char *text, bool sync)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	ssize_t n;

	if (fd < 0)
		return failed(l, "open to write");
	n = write(fd, text, strlen(text));
	if (n < 0 || (sync && fsync(fd) < 0)) {
		(void)failed(l, n < 0 ? "write" : "fsync");
		(void)close(fd);
		return false;
	}
	return close(fd) == 0 || failed(l, "close");
}

static bool read_file(struct load *l, const char *path, const char *want)
{
	char text[64] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return failed(l, "open to read");
	n = read(fd, text, sizeof text - 1);
	if (n < 0)
		(void)failed(l, "read");
	(void)close(fd);
	if (n >= 0 && strcmp(text, want) != 0) {
		errno = 0;
		return failed(l, "read something else");
	}
	return n >= 0;
}

/* One file stays open for good, as a log does: its state must survive every restart. */
static bool keep(struct load *l, const char *path, int *fd)
{
	if (*fd < 0)
		*fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	if (*fd < 0)
		return failed(l, "open to keep");
	if (write(*fd, "line\n", 5) == 5 && fsync(*fd) == 0)
		return true;
	(void)failed(l, "write to what is kept open");
	(void)close(*fd);
	*fd = -1;
	return false;
}

_Noreturn static void work(void *arg)
{
	const struct run *r = arg;
	struct load *l = r->load;
	char dir[64], file[80], kept[80], text[64];
	struct stat st;
	int fd = -1;

	(void)prctl(PR_SET_NAME, "harness");
	if (setgroups(0, NULL) < 0 || setresgid(OWNER, OWNER, OWNER) < 0 ||
		setresuid(OWNER, OWNER, OWNER) < 0)
		_exit(1);
	(void)snprintf(dir, sizeof dir, "/workspaces/%s/sandbox", r->name);
	(void)snprintf(file, sizeof file, "%s/file", dir);
	(void)snprintf(kept, sizeof kept, "%s/kept", dir);
	for (unsigned n = 0;; n++) {
		unsigned asked = l->asked;
		bool good, anew = asked != l->clean;

		if (anew && fd >= 0)
			(void)close(fd);
		fd = anew ? -1 : fd;

		(void)snprintf(text, sizeof text, "%s round %u", r->name, n);
		good = write_file(l, file, text, n % 4 == 0) && read_file(l, file, text) &&
		       ((n % 8 != 0 && !anew) || keep(l, kept, &fd)) &&
		       (stat(dir, &st) == 0 || failed(l, "stat")) &&
		       (n % 16 != 0 || unlink(file) == 0 || failed(l, "unlink"));
		if (good) {
			l->rounds++;
			l->clean = asked;
		}
		nap(80);
	}
}

void load_start(struct world *w, struct run *r)
{
	memset((void *)r->load, 0, sizeof *r->load);
	r->forgiven = 0;
	r->worked = 0;
	r->load->pid = node_spawn(&w->nodes[AGENT], work, r);
}

/*
 * With nobody to cut it off, a call to a server that is away keeps even a killed process; and one
 * that nfsd cannot answer before its daemon has answered nfsd.
 */
bool load_can_end(const struct world *w)
{
	return serves(w) ? w->nodes[SANDBOX].daemon > 0 : w->nodes[AGENT].daemon > 0;
}

void load_stop(struct run *r)
{
	uint64_t end = now_ms() + PATIENCE_MS;
	pid_t pid = r->load->pid;

	r->load->pid = 0;
	if (!pid)
		return;
	(void)kill(pid, SIGKILL);
	while (kill(pid, 0) == 0 && now_ms() < end)
		nap(10);
	if (kill(pid, 0) == 0)
		broken("%s: its harness does not end: %s%s", r->name,
			slurp(0, "/proc/%d/stack", (int)pid), slurp(1, "/proc/%d/wchan", (int)pid));
}
