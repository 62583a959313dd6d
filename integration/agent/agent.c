/* SPDX-License-Identifier: Apache-2.0 */
/* PID 1 of a test node after init: runs the host's commands, one worker process for each
 * virtio-serial port. */

#include "ports.h"
#include "proto.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * Data and the host's coming and going reach us on different queues: right after one client has
 * left, the next one's command may be here before the news of the leaving. Only a port that stays
 * without a host has lost it.
 */
#define HOST_GONE_MS 300

struct worker {
	int port, epoll;
	uint32_t session;
	pid_t pid; /* 0: no command is running */
	int pidfd, in, out, err;
	bool terminal, host_away;
	size_t used;
	char buffer[sizeof(struct frame) + FRAME_PAYLOAD_MAX];
};

static void watch(struct worker *w, int fd, uint32_t events)
{
	struct epoll_event event = {.events = events, .data.fd = fd};

	if (epoll_ctl(w->epoll, EPOLL_CTL_ADD, fd, &event) < 0)
		perror("agent: epoll_ctl");
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		(void)close(*fd);
	*fd = -1;
}

static bool host_gone(const struct worker *w)
{
	for (int waited = 0; waited < HOST_GONE_MS; waited += 10) {
		struct pollfd p = {.fd = w->port, .events = POLLOUT};

		(void)poll(&p, 1, 0);
		if (!(p.revents & POLLHUP))
			return false;
		(void)usleep(10 * 1000);
	}
	return true;
}

/* -EPIPE when the host has gone. */
static int write_port(struct worker *w, const char *data, size_t len)
{
	while (len > 0) {
		ssize_t n = write(w->port, data, len);

		if (n > 0) {
			data += n;
			len -= (size_t)n;
			continue;
		}
		if (n < 0 && errno != EAGAIN)
			return -EPIPE;
		struct pollfd p = {.fd = w->port, .events = POLLOUT};
		(void)poll(&p, 1, -1);
		if ((p.revents & POLLHUP) && host_gone(w))
			return -EPIPE;
	}
	return 0;
}

static int send_frame(struct worker *w, enum frame_type type, const void *data, uint32_t len)
{
	char out[sizeof(struct frame) + 16384];
	struct frame head = {FRAME_MAGIC, w->session, type, len};

	memcpy(out, &head, sizeof(head));
	memcpy(out + sizeof(head), data, len);
	return write_port(w, out, sizeof(head) + len);
}

static void end_session(struct worker *w)
{
	close_fd(&w->in);
	if (w->err >= 0)
		close_fd(&w->err);
	close_fd(&w->out);
	close_fd(&w->pidfd);
	w->pid = 0;
}

/* The host hung up: what it started in the foreground ends with it. */
static void abort_session(struct worker *w)
{
	w->used = 0;
	if (w->pid == 0)
		return;
	(void)kill(-w->pid, SIGKILL);
	(void)waitpid(w->pid, NULL, 0);
	end_session(w);
}

static void run_shell(const char *command, bool terminal)
{
	sigset_t none;

	sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	if (terminal && *command == '\0')
		execl("/bin/bash", "bash", "-il", (char *)NULL);
	else
		execl("/bin/bash", "bash", "-c", command, (char *)NULL);
	perror("agent: /bin/bash");
	_exit(127);
}

static int start_terminal(struct worker *w, const char *payload)
{
	struct window window;
	struct winsize size;

	memcpy(&window, payload, sizeof(window));
	size = (struct winsize){.ws_row = window.rows, .ws_col = window.columns};
	w->pid = forkpty(&w->out, NULL, NULL, &size);
	if (w->pid == 0)
		run_shell(payload + sizeof(window), true);
	if (w->pid < 0)
		return -errno;
	w->in = fcntl(w->out, F_DUPFD_CLOEXEC, 3);
	return 0;
}

static int start_pipes(struct worker *w, const char *command)
{
	int in[2], out[2], err[2];

	if (pipe2(in, O_CLOEXEC) < 0 || pipe2(out, O_CLOEXEC) < 0 || pipe2(err, O_CLOEXEC) < 0)
		return -errno;
	w->pid = fork();
	if (w->pid == 0) {
		(void)setsid();
		(void)dup2(in[0], 0);
		(void)dup2(out[1], 1);
		(void)dup2(err[1], 2);
		run_shell(command, false);
	}
	(void)close(in[0]);
	(void)close(out[1]);
	(void)close(err[1]);
	w->in = in[1];
	w->out = out[0];
	w->err = err[0];
	return w->pid < 0 ? -errno : 0;
}

static void start_session(struct worker *w, const struct frame *head, char *payload)
{
	int r;

	abort_session(w);
	w->session = head->session;
	w->terminal = head->type == FRAME_TERMINAL;
	r = w->terminal ? start_terminal(w, payload) : start_pipes(w, payload);
	if (r < 0) {
		uint32_t status = 126;

		w->pid = 0;
		end_session(w);
		(void)send_frame(w, FRAME_EXIT, &status, sizeof(status));
		return;
	}
	w->pidfd = pidfd_open(w->pid, 0);
	(void)fcntl(w->in, F_SETFL, O_NONBLOCK);
	(void)fcntl(w->out, F_SETFL, O_NONBLOCK);
	watch(w, w->pidfd, EPOLLIN);
	watch(w, w->out, EPOLLIN);
	watch(w, w->in, EPOLLOUT | EPOLLET);
	if (w->err >= 0) {
		(void)fcntl(w->err, F_SETFL, O_NONBLOCK);
		watch(w, w->err, EPOLLIN);
	}
}

/* False when the command does not take its input yet; what it took is cut out of the frame. */
static bool take_input(struct worker *w, struct frame *head, char *payload)
{
	ssize_t n;

	if (w->in < 0 || head->session != w->session || head->len == 0)
		return true;
	n = write(w->in, payload, head->len);
	if (n < 0)
		return errno != EAGAIN;
	if ((uint32_t)n == head->len)
		return true;
	head->len -= (uint32_t)n;
	memmove(payload, payload + n, w->used - sizeof(*head) - (size_t)n);
	memcpy(w->buffer, head, sizeof(*head));
	w->used -= (size_t)n;
	return false;
}

static void take_command(struct worker *w, const struct frame *head, const char *payload)
{
	size_t used = w->used;
	char *text = calloc(1, (size_t)head->len + 1);

	if (!text)
		return;
	memcpy(text, payload, head->len);
	start_session(w, head, text);
	w->used = used; /* this frame is still in the buffer */
	free(text);
}

static bool take_frame(struct worker *w, struct frame *head, char *payload)
{
	struct window window;

	switch (head->type) {
	case FRAME_COMMAND:
	case FRAME_TERMINAL:
		take_command(w, head, payload);
		return true;
	case FRAME_INPUT:
		return take_input(w, head, payload);
	case FRAME_INPUT_END:
		if (head->session == w->session)
			close_fd(&w->in);
		return true;
	case FRAME_WINDOW:
		memcpy(&window, payload, sizeof(window));
		if (w->terminal && w->out >= 0)
			(void)ioctl(w->out, TIOCSWINSZ,
				&(struct winsize){.ws_row = window.rows, .ws_col = window.columns});
		return true;
	default:
		return true;
	}
}

static void parse(struct worker *w)
{
	struct frame head;

	while (w->used >= sizeof(head)) {
		size_t whole;

		memcpy(&head, w->buffer, sizeof(head));
		if (head.magic != FRAME_MAGIC || head.len > FRAME_PAYLOAD_MAX) {
			memmove(w->buffer, w->buffer + 1, --w->used);
			continue;
		}
		whole = sizeof(head) + head.len;
		if (w->used < whole || !take_frame(w, &head, w->buffer + sizeof(head)))
			return;
		w->used -= whole;
		memmove(w->buffer, w->buffer + whole, w->used);
	}
}

static void read_port(struct worker *w)
{
	for (;;) {
		ssize_t n;

		parse(w);
		if (w->used == sizeof(w->buffer))
			return;
		n = read(w->port, w->buffer + w->used, sizeof(w->buffer) - w->used);
		w->host_away = n == 0;
		if (n <= 0)
			return;
		w->used += (size_t)n;
	}
}

/* What is there now; false when the stream has ended. */
static bool forward(struct worker *w, int fd, enum frame_type type)
{
	char data[16384];

	for (;;) {
		ssize_t n = read(fd, data, sizeof(data));

		if (n <= 0)
			return n < 0 && errno == EAGAIN;
		if (send_frame(w, type, data, (uint32_t)n) < 0) {
			abort_session(w);
			return true;
		}
	}
}

/* A program left in the background may keep the pipes open: the command's own end counts. */
static void finish(struct worker *w)
{
	int status = 0;
	uint32_t code;

	if (w->out >= 0)
		(void)forward(w, w->out, FRAME_OUT);
	if (w->err >= 0)
		(void)forward(w, w->err, FRAME_ERR);
	if (w->pid == 0)
		return;
	(void)waitpid(w->pid, &status, 0);
	code = WIFEXITED(status) ? (uint32_t)WEXITSTATUS(status)
				 : 128u + (uint32_t)WTERMSIG(status);
	(void)send_frame(w, FRAME_EXIT, &code, sizeof(code));
	end_session(w);
}

static void handle(struct worker *w, int fd)
{
	if (fd == w->port)
		read_port(w);
	else if (fd == w->pidfd)
		finish(w);
	else if (fd == w->in)
		read_port(w);
	else if (fd == w->out && !forward(w, fd, FRAME_OUT))
		close_fd(&w->out);
	else if (fd == w->err && !forward(w, fd, FRAME_ERR))
		close_fd(&w->err);
}

static void serve(const char *path)
{
	static struct worker w = {.pidfd = -1, .in = -1, .out = -1, .err = -1};

	(void)signal(SIGPIPE, SIG_IGN);
	w.epoll = epoll_create1(EPOLL_CLOEXEC);
	w.port = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (w.port < 0 || w.epoll < 0) {
		perror(path);
		_exit(1);
	}
	/* Edge-triggered: an idle port reports POLLHUP as long as the host is away. */
	watch(&w, w.port, EPOLLIN | EPOLLET);
	for (;;) {
		struct epoll_event event;

		if (epoll_wait(w.epoll, &event, 1, w.host_away ? HOST_GONE_MS : -1) == 1) {
			handle(&w, event.data.fd);
			continue;
		}
		w.host_away = false;
		if (host_gone(&w))
			abort_session(&w);
	}
}

int main(void)
{
	static char paths[PORTS_MAX][PORT_PATH_SIZE];
	int n = find_ports(paths);

	for (int i = 0; i < n; i++) {
		if (fork() == 0)
			serve(paths[i]);
	}
	for (;;) {
		if (wait(NULL) < 0)
			(void)pause();
	}
}
