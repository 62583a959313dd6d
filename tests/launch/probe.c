/* SPDX-License-Identifier: Apache-2.0 */
/* A static program to run under the launcher: tries one thing, prints "ok" or an errno's name. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static int say(long r)
{
	puts(r < 0 ? strerrorname_np(errno) : "ok");
	return 0;
}

static void *nothing(void *arg)
{
	return arg;
}

static int thread(char **argv)
{
	pthread_t t;

	(void)argv;
	errno = pthread_create(&t, NULL, nothing, NULL);
	return say(errno ? -1 : pthread_join(t, NULL));
}

static int numbered(char **argv)
{
	return say(syscall(strtol(argv[0], NULL, 0), 0, 0, 0, 0, 0, 0));
}

static int openable(char **argv)
{
	int flags = !argv[1] ? O_RDONLY : strcmp(argv[1], "w") == 0 ? O_WRONLY : O_RDWR;

	return say(open(argv[0], flags | O_NONBLOCK | O_NOCTTY));
}

static int fds(char **argv)
{
	(void)argv;
	for (int fd = 0; fd < 64; fd++)
		if (fcntl(fd, F_GETFD) >= 0)
			printf("%d ", fd);
	puts("");
	return 0;
}

static int port(const char *number, int type, bool listening)
{
	struct sockaddr_in sa = {.sin_family = AF_INET};
	int fd = socket(AF_INET, type | SOCK_NONBLOCK, 0);

	sa.sin_port = htons((uint16_t)atoi(number));
	sa.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	return say((listening ? bind : connect)(fd, (struct sockaddr *)&sa, sizeof(sa)));
}

static int tcp_bind(char **argv)
{
	return port(argv[0], SOCK_STREAM, true);
}
static int tcp_connect(char **argv)
{
	return port(argv[0], SOCK_STREAM, false);
}
static int udp_bind(char **argv)
{
	return port(argv[0], SOCK_DGRAM, true);
}
static int udp_connect(char **argv)
{
	return port(argv[0], SOCK_DGRAM, false);
}

static int unix_connect(char **argv)
{
	struct sockaddr_un sa = {.sun_family = AF_UNIX};

	snprintf(sa.sun_path, sizeof(sa.sun_path), "%s", argv[0]);
	return say(connect(socket(AF_UNIX, SOCK_DGRAM, 0), (struct sockaddr *)&sa, sizeof(sa)));
}

static int unix_serve(char **argv)
{
	struct sockaddr_un sa = {.sun_family = AF_UNIX};

	snprintf(sa.sun_path, sizeof(sa.sun_path), "%s", argv[0]);
	unlink(argv[0]);
	if (bind(socket(AF_UNIX, SOCK_DGRAM, 0), (struct sockaddr *)&sa, sizeof(sa)) < 0)
		return say(-1);
	chmod(argv[0], 0777);
	say(0);
	fflush(stdout);
	for (char byte; read(0, &byte, 1) > 0;)
		;
	return 0;
}

/* Pushing input into the terminal, plainly and with a bit set above what the kernel looks at. */
static int tiocsti(char **argv)
{
	unsigned long request = TIOCSTI;
	int master = posix_openpt(O_RDWR | O_NOCTTY);

	if (argv[0])
		request |= 1UL << 32;
	if (master < 0 || grantpt(master) < 0 || unlockpt(master) < 0)
		return say(-1);
	return say(syscall(SYS_ioctl, open(ptsname(master), O_RDWR | O_NOCTTY), request, "x"));
}

static int attributes(char **argv)
{
	struct rlimit core, files, procs, size;

	(void)argv;
	getrlimit(RLIMIT_CORE, &core);
	getrlimit(RLIMIT_NOFILE, &files);
	getrlimit(RLIMIT_NPROC, &procs);
	getrlimit(RLIMIT_FSIZE, &size);
	mode_t mask = umask(0);
	int death = 0;

	prctl(PR_GET_PDEATHSIG, &death);
	printf("uid=%u gid=%u nnp=%d secbits=%#x seccomp=%d core=%lu nofile=%lu:%lu nproc=%lu "
	       "fsize=%lu umask=%03o pdeathsig=%d session=%d init=%d bnd=%d\n",
		getuid(), getgid(), prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0),
		(unsigned int)prctl(PR_GET_SECUREBITS), prctl(PR_GET_SECCOMP), core.rlim_max,
		files.rlim_cur, files.rlim_max, procs.rlim_cur, size.rlim_cur, mask, death,
		getsid(0) == getpid(), getppid() == 1, prctl(PR_CAPBSET_READ, 21, 0, 0, 0));
	return 0;
}

/* An orphan of ours is for our init to reap: it must go although we never wait. */
static int orphan(char **argv)
{
	int p[2];

	(void)argv;
	if (pipe(p) < 0)
		return say(-1);
	if (fork() == 0) {
		pid_t grandchild = fork();

		if (grandchild == 0)
			_exit(0);
		_exit(write(p[1], &grandchild, sizeof(grandchild)) < 0);
	}
	wait(NULL);
	pid_t pid;

	if (read(p[0], &pid, sizeof(pid)) != sizeof(pid))
		return say(-1);
	for (int i = 0; i < 5000; i++) { /* a zombie can still be signalled */
		if (kill(pid, 0) < 0)
			return say(0);
		sched_yield();
		poll(NULL, 0, 1);
	}
	puts("zombie");
	return 0;
}

static int stay(char **argv)
{
	sigset_t none;

	(void)argv;
	puts("ready");
	fflush(stdout);
	sigemptyset(&none);
	sigsuspend(&none);
	return 0;
}

/* Waits, with a deadline, for a file that appears in a mount that comes later. */
static int await(char **argv)
{
	puts("ready");
	fflush(stdout);
	for (int i = 0; i < 20000; i++) {
		if (access(argv[0], F_OK) == 0)
			return say(open(argv[0], O_RDONLY));
		poll(NULL, 0, 1);
	}
	puts("timeout");
	return 1;
}

static const struct {
	const char *name;
	int (*run)(char **argv);
} commands[] = {
	{"thread", thread},
	{"syscall", numbered},
	{"open", openable},
	{"fds", fds},
	{"tcp-bind", tcp_bind},
	{"tcp-connect", tcp_connect},
	{"udp-bind", udp_bind},
	{"udp-connect", udp_connect},
	{"unix-connect", unix_connect},
	{"unix-serve", unix_serve},
	{"tiocsti", tiocsti},
	{"attributes", attributes},
	{"orphan", orphan},
	{"stay", stay},
	{"await", await},
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc > 1 && i < sizeof(commands) / sizeof(commands[0]); i++)
		if (strcmp(argv[1], commands[i].name) == 0)
			return commands[i].run(argv + 2);
	fprintf(stderr, "usage: probe COMMAND [ARGUMENT...]\n");
	return 2;
}
