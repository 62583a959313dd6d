/* SPDX-License-Identifier: Apache-2.0 */
/* Drives the real kora-mountctl, and plays the daemon to it from a script. */
#pragma once

#include <criterion/criterion.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

struct outcome {
	int code;
	char out[16384], err[8192];
};

static inline void take_text(int fd, char *text, size_t size)
{
	ssize_t n = pread(fd, text, size - 1, 0);

	cr_assert_geq(n, 0);
	text[n] = '\0';
	close(fd);
}

/* argv without the program's name, NULL at its end. */
static inline void run_ctl(struct outcome *o, const char *const *argv)
{
	const char *program = getenv("KORA_MOUNTCTL");
	const char *all[32] = {"kora-mountctl"};
	int out = memfd_create("out", 0), err = memfd_create("err", 0), status;

	cr_assert_not_null(program, "KORA_MOUNTCTL names the program under test");
	for (size_t i = 0; argv[i]; i++)
		all[i + 1] = argv[i];
	pid_t pid = fork();
	if (pid == 0) {
		dup2(out, STDOUT_FILENO);
		dup2(err, STDERR_FILENO);
		execv(program, (char *const *)(uintptr_t)all);
		_exit(127);
	}
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_assert(WIFEXITED(status), "ended by a signal");
	o->code = WEXITSTATUS(status);
	take_text(out, o->out, sizeof o->out);
	take_text(err, o->err, sizeof o->err);
}

#define RUN(o, ...) run_ctl((o), (const char *const[]){__VA_ARGS__, NULL})

struct server {
	char path[64];
	int request; /* what was asked, as a file */
	pid_t pid;
};

static inline void serve_one(int fd, int request, const char *const *packets)
{
	static char text[65537];
	ssize_t n = recv(fd, text, sizeof text, 0);

	if (n > 0 && write(request, text, (size_t)n) < 0)
		_exit(1);
	for (; *packets; packets++)
		if (send(fd, *packets, strlen(*packets), MSG_NOSIGNAL) < 0)
			_exit(1);
}

static inline _Noreturn void serve(int listener, int request, const char *const *packets, bool hang)
{
	for (;;) {
		int fd = accept(listener, NULL, NULL);
		serve_one(fd, request, packets);
		while (hang)
			pause();
		close(fd);
	}
}

/* packets: NULL at its end, sent whatever is asked, on each connection. hang: never close. */
static inline void server_start(struct server *s, const char *const *packets, bool hang)
{
	char folder[] = "/tmp/kora-ctl-XXXXXX";
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	cr_assert_not_null(mkdtemp(folder));
	snprintf(s->path, sizeof s->path, "%s/s", folder);
	snprintf(address.sun_path, sizeof address.sun_path, "%s", s->path);
	cr_assert_eq(bind(listener, (struct sockaddr *)&address, sizeof address), 0);
	cr_assert_eq(listen(listener, 4), 0);
	s->request = memfd_create("request", MFD_CLOEXEC);
	s->pid = fork();
	if (s->pid == 0)
		serve(listener, s->request, packets, hang);
	close(listener);
}

static inline void server_end(struct server *s, char *request, size_t size)
{
	kill(s->pid, SIGKILL);
	waitpid(s->pid, NULL, 0);
	take_text(s->request, request, size);
	unlink(s->path);
	*strrchr(s->path, '/') = '\0';
	rmdir(s->path);
}
