/* SPDX-License-Identifier: Apache-2.0 */
/* Attempts through sockets, System V objects, keys and the kernel's own surface. */
#pragma once

#include <arpa/inet.h>
#include <linux/keyctl.h>
#include <netinet/in.h>
#include <sched.h>
#include <stddef.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "attack_process.h"

#define SHM_FILE  "/dev/shm/kora-run-b"
#define UFFD_USER 1
#define KEY_NAME  "kora-run-b"

static int connecting(int type, const void *sa, socklen_t len)
{
	int fd = socket(((const struct sockaddr *)sa)->sa_family, type | SOCK_CLOEXEC, 0);
	int e = fd < 0 || connect(fd, sa, len) < 0 ? errno : 0;

	close(fd);
	return e;
}

static int ipc_abstract(const struct target *t)
{
	struct sockaddr_un sa = {.sun_family = AF_UNIX};
	size_t len = strlen(t->abstract);

	memcpy(sa.sun_path + 1, t->abstract, len);
	return connecting(
		SOCK_STREAM, &sa, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + len));
}
static int ipc_pathname(const struct target *t)
{
	struct sockaddr_un sa = {.sun_family = AF_UNIX};

	snprintf(sa.sun_path, sizeof(sa.sun_path), "%s/socket", t->b);
	return connecting(SOCK_STREAM, &sa, sizeof(sa));
}
static int loopback(int type, int port)
{
	struct sockaddr_in sa = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};

	sa.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	return connecting(type, &sa, sizeof(sa));
}
static int ipc_tcp(const struct target *t)
{
	return loopback(SOCK_STREAM, t->tcp);
}
static int ipc_udp(const struct target *t)
{
	return loopback(SOCK_DGRAM, t->udp);
}
static int ipc_shm(const struct target *t)
{
	return shmat(t->shm, NULL, 0) == (void *)-1 ? errno : 0;
}
static int ipc_msg(const struct target *t)
{
	struct {
		long type;
		char text[8];
	} m = {1, "x"};

	return outcome(msgsnd(t->msg, &m, 1, IPC_NOWAIT));
}
static int ipc_sem(const struct target *t)
{
	struct sembuf up = {0, 1, IPC_NOWAIT};

	return outcome(semop(t->sem, &up, 1));
}
static int ipc_dev_shm(const struct target *t)
{
	(void)t;
	return closing(open(SHM_FILE, O_RDWR));
}
static int ipc_keyring(const struct target *t)
{
	char text[16];
	long key = syscall(SYS_keyctl, KEYCTL_SEARCH, KEY_SPEC_USER_KEYRING, "user", KEY_NAME, 0);

	(void)t;
	return key < 0 ? errno : outcome(syscall(SYS_keyctl, KEYCTL_READ, key, text, sizeof(text)));
}
static int ipc_request_key(const struct target *t)
{
	(void)t;
	return outcome(syscall(SYS_request_key, "user", KEY_NAME, NULL, 0));
}

/* These are not about the victim, and done in a child: some change the caller. */
static int in_child(int (*what)(void))
{
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(what());
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}
static int unshare_user(void)
{
	return outcome(unshare(CLONE_NEWUSER));
}
static int kernel_userns(const struct target *t)
{
	(void)t;
	return in_child(unshare_user);
}
static int kernel_io_uring(const struct target *t)
{
	char params[120] = {0};

	(void)t;
	return closing((int)syscall(SYS_io_uring_setup, 1, params));
}
static int kernel_userfaultfd(const struct target *t)
{
	(void)t;
	return closing((int)syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER));
}
