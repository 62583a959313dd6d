/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a command in a test node: node-exec [-i | -t] NODE-DIRECTORY [command]. Exits with its
 * status; 255 when the node is gone. */

#include "proto.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <termios.h>
#include <unistd.h>

#define GONE	      255
#define PORTS	      12
#define BUSY_RETRY_US 20000

static struct termios saved_terminal;
static volatile sig_atomic_t resized;

static void on_resize(int signo)
{
	(void)signo;
	resized = 1;
}

static void restore_terminal(void)
{
	(void)tcsetattr(0, TCSANOW, &saved_terminal);
}

static void raw_terminal(void)
{
	struct termios raw;

	if (tcgetattr(0, &saved_terminal) < 0)
		return;
	raw = saved_terminal;
	cfmakeraw(&raw);
	(void)tcsetattr(0, TCSANOW, &raw);
	(void)atexit(restore_terminal);
	(void)sigaction(SIGWINCH, &(struct sigaction){.sa_handler = on_resize}, NULL);
}

/* The lock lives as long as this process: a free lock is a free port. */
static int connect_port(int number)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	char lock[32];
	int fd, s;

	(void)snprintf(lock, sizeof(lock), "port%d.lock", number);
	fd = open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		(void)close(fd);
		return -EBUSY;
	}
	(void)snprintf(address.sun_path, sizeof(address.sun_path), "port%d", number);
	s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (s < 0 || connect(s, (struct sockaddr *)&address, sizeof(address)) < 0)
		return -errno;
	return s;
}

static int connect_node(void)
{
	for (;;) {
		for (int i = 1; i <= PORTS; i++) {
			int s = connect_port(i);

			if (s != -EBUSY)
				return s;
		}
		(void)usleep(BUSY_RETRY_US);
	}
}

static int write_all(int fd, const void *data, size_t len)
{
	const char *p = data;

	while (len > 0) {
		ssize_t n = write(fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

static int read_all(int fd, void *data, size_t len)
{
	char *p = data;

	while (len > 0) {
		ssize_t n = read(fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -EPIPE;
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

static int send_frame(int s, enum frame_type type, const void *data, size_t len)
{
	static char out[sizeof(struct frame) + FRAME_PAYLOAD_MAX];
	struct frame head = {FRAME_MAGIC, (uint32_t)getpid(), type, (uint32_t)len};

	memcpy(out, &head, sizeof(head));
	if (len > 0)
		memcpy(out + sizeof(head), data, len);
	return write_all(s, out, sizeof(head) + len);
}

static struct window window_size(void)
{
	struct winsize size = {.ws_row = 24, .ws_col = 80};

	(void)ioctl(0, TIOCGWINSZ, &size);
	return (struct window){size.ws_row, size.ws_col};
}

static int send_command(int s, const char *command, bool terminal)
{
	static char payload[FRAME_PAYLOAD_MAX];
	struct window window = window_size();
	size_t skip = terminal ? sizeof(window) : 0, len = strlen(command);

	if (len + skip > sizeof(payload))
		return -E2BIG;
	memcpy(payload, &window, skip);
	memcpy(payload + skip, command, len);
	return send_frame(s, terminal ? FRAME_TERMINAL : FRAME_COMMAND, payload, len + skip);
}

/* Skips what an earlier, interrupted session left in the pipe. */
static int read_head(int s, struct frame *head)
{
	if (read_all(s, head, sizeof(*head)) < 0)
		return -EPIPE;
	while (head->magic != FRAME_MAGIC || head->len > FRAME_PAYLOAD_MAX) {
		memmove(head, (char *)head + 1, sizeof(*head) - 1);
		if (read_all(s, (char *)head + sizeof(*head) - 1, 1) < 0)
			return -EPIPE;
	}
	return 0;
}

/* The exit status, -1 to go on. */
static int take_output(int s)
{
	static char data[FRAME_PAYLOAD_MAX];
	struct frame head;
	uint32_t status;

	if (read_head(s, &head) < 0 || read_all(s, data, head.len) < 0)
		return GONE;
	if (head.session != (uint32_t)getpid())
		return -1;
	switch (head.type) {
	case FRAME_OUT:
		(void)write_all(1, data, head.len);
		return -1;
	case FRAME_ERR:
		(void)write_all(2, data, head.len);
		return -1;
	case FRAME_EXIT:
		memcpy(&status, data, sizeof(status));
		return (int)(status & 0xff);
	default:
		return -1;
	}
}

static bool send_input(int s)
{
	char data[4096];
	ssize_t n = read(0, data, sizeof(data));

	if (n < 0 && errno == EINTR)
		return true;
	(void)(n > 0 ? send_frame(s, FRAME_INPUT, data, (size_t)n)
		     : send_frame(s, FRAME_INPUT_END, NULL, 0));
	return n > 0;
}

static int talk(int s, bool input)
{
	for (;;) {
		struct pollfd fds[2] = {
			{.fd = s, .events = POLLIN}, {.fd = input ? 0 : -1, .events = POLLIN}};
		int status = -1;

		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			return GONE;
		if (resized) {
			struct window window = window_size();

			resized = 0;
			(void)send_frame(s, FRAME_WINDOW, &window, sizeof(window));
			continue;
		}
		if (fds[0].revents)
			status = take_output(s);
		if (status >= 0)
			return status;
		if (fds[1].revents)
			input = send_input(s);
	}
}

int main(int argc, char **argv)
{
	bool terminal = argc > 1 && strcmp(argv[1], "-t") == 0;
	bool input = terminal || (argc > 1 && strcmp(argv[1], "-i") == 0);
	int first = input ? 2 : 1, s, status;

	if (argc < first + 1 || argc > first + 2) {
		(void)fprintf(stderr, "usage: %s [-i | -t] NODE-DIRECTORY [command]\n", argv[0]);
		return 2;
	}
	(void)signal(SIGPIPE, SIG_IGN);
	s = chdir(argv[first]) < 0 ? -errno : connect_node();
	if (s < 0) {
		(void)fprintf(stderr, "node %s: %s\n", argv[first], strerror(-s));
		return GONE;
	}
	if (send_command(s, argc > first + 1 ? argv[first + 1] : "", terminal) < 0)
		return GONE;
	if (terminal)
		raw_terminal();
	if (!input)
		(void)send_frame(s, FRAME_INPUT_END, NULL, 0);
	status = talk(s, input);
	if (status == GONE)
		(void)fprintf(stderr, "node %s: gone\n", argv[first]);
	return status;
}
