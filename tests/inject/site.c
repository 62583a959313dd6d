/* SPDX-License-Identifier: Apache-2.0 */
/* What a call is told by. */
#include <ctype.h>
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "tests/inject/inject.h"

#define DEPTH	     2	   /* functions told */
#define STACK_SIZE   24576 /* a library's frames may lie between */
#define NEAR_LIBRARY 256
#define NEAR	     2048 /* … which hold remains of other calls, as the loop's do */

static uint64_t base, library_start, library_end;

void site_learn_program(pid_t pid)
{
	const uint64_t *aux = (const void *)slurp(2, "/proc/%d/auxv", (int)pid);

	for (; aux[0] != AT_NULL; aux += 2)
		if (aux[0] == AT_ENTRY)
			base = aux[1] - symbols_entry();
}

static size_t copy(pid_t pid, uint64_t from, void *to, size_t size)
{
	struct iovec local = {to, size}, remote = {(void *)from, size};
	ssize_t n = process_vm_readv(pid, &local, 1, &remote, 1, 0);

	return n < 0 ? 0 : (size_t)n;
}

/* Where the loop's library lies: beyond its frames are remains of other calls only. */
static void learn_library(pid_t pid)
{
	const char *line = slurp(2, "/proc/%d/maps", (int)pid);
	unsigned long from, to;

	for (; *line; line = strchr(line, '\n') + 1) {
		const char *name = strstr(line, "/libuv.so");

		if (name && name < strchr(line, '\n') &&
			sscanf(line, "%lx-%lx r-xp", &from, &to) == 2 &&
			strstr(line, " r-xp ") < name) {
			library_start = from;
			library_end = to;
		}
	}
}

struct search {
	char *text;
	size_t size;
	unsigned found;
	uint64_t end;
};

/* Returns true at the last one. */
static bool take_caller(struct search *s, uint64_t at, uint64_t value)
{
	const char *name = symbols_returns_to(value - base);

	if (value >= library_start && value < library_end) {
		if (s->end > at + NEAR_LIBRARY)
			s->end = at + NEAR_LIBRARY;
		return s->found;
	}
	if (!name)
		return false;
	s->text += snprintf(s->text, s->size, "%s%.40s", s->found ? " < " : "", name);
	s->size -= (s->found ? strlen(" < ") : 0) + strnlen(name, 40);
	if (s->end > at + NEAR)
		s->end = at + NEAR;
	return ++s->found == DEPTH;
}

/* At the end of the stack, less than a whole piece can be read. */
static bool find_callers(const struct call *call, char *text, size_t size)
{
	struct search s = {text, size, 0, call->stack + STACK_SIZE};
	uint64_t stack[64];
	size_t n = 0;

	if (!library_start)
		learn_library(call->pid);
	for (uint64_t at = call->stack, k = 0; at < s.end; at += sizeof *stack, k++) {
		if (k % 64 == 0)
			n = copy(call->pid, at, stack, sizeof stack) / sizeof *stack;
		if (k % 64 >= n || take_caller(&s, at, stack[k % 64]))
			break;
	}
	if (!s.found && s.end < call->stack + STACK_SIZE)
		(void)snprintf(text, size, "the loop");
	/* The loader, before it has come to the program. */
	return base && text[0] && strcmp(text, "main < main") != 0;
}

/* Numbers, names of runs and temporary names differ from one time to the next. */
static void generalise(char *text)
{
	char *out = text;

	for (const char *in = text; *in;) {
		size_t word = strspn(in, "0123456789abcdef-");
		size_t digits = strspn(in, "0123456789");

		if (word < 8)
			word = digits;
		if (!word) {
			*out++ = isprint((unsigned char)*in) ? *in : '?';
			in++;
			continue;
		}
		in += word;
		*out++ = '#';
	}
	*out = '\0';
}

static void describe_fd(pid_t pid, uint64_t fd, char *text, size_t size)
{
	char path[64];
	ssize_t n;

	(void)snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)pid, (int)fd);
	n = readlink(path, text, size - 1);
	text[n < 0 ? 0 : n] = '\0';
}

/* Where the path is, or -1 for a descriptor, or -2 for neither. */
static int path_argument(int number)
{
	switch (number) {
	case SYS_openat:
	case SYS_openat2:
	case SYS_newfstatat:
	case SYS_statx:
	case SYS_mkdirat:
	case SYS_unlinkat:
	case SYS_renameat:
	case SYS_renameat2:
	case SYS_readlinkat:
	case SYS_faccessat:
	case SYS_faccessat2:
	case SYS_fchownat:
	case SYS_fchmodat:
	case SYS_symlinkat:
	case SYS_mknodat:
	case SYS_linkat:
	case SYS_utimensat:
	case SYS_open_tree:
	case SYS_move_mount:
	case SYS_mount_setattr:
	case SYS_mount:
	case SYS_fsconfig:
	case SYS_inotify_add_watch:
		return 1;
	case SYS_open:
	case SYS_stat:
	case SYS_lstat:
	case SYS_access:
	case SYS_readlink:
	case SYS_mkdir:
	case SYS_rmdir:
	case SYS_unlink:
	case SYS_rename:
	case SYS_chdir:
	case SYS_chmod:
	case SYS_statfs:
	case SYS_umount2:
	case SYS_chroot:
	case SYS_fsopen:
	case SYS_mknod:
		return 0;
	case SYS_socket:
	case SYS_socketpair:
	case SYS_pipe2:
	case SYS_mmap:
	case SYS_clone:
	case SYS_clone3:
	case SYS_prctl:
	case SYS_close_range:
	case SYS_unshare:
	case SYS_poll:
	case SYS_ppoll:
	case SYS_getrandom:
	case SYS_waitid:
	case SYS_wait4:
	case SYS_kill:
		return -2;
	default:
		return -1;
	}
}

static void describe_object(const struct call *call, char *text, size_t size)
{
	int at = path_argument(call->number);

	text[0] = '\0';
	if (call->number == SYS_epoll_ctl) {
		static const char *const commands[] = {"?", "add ", "delete ", "change "};
		size_t n = (size_t)(stpcpy(text, commands[call->args[1] % 4]) - text);

		describe_fd(call->pid, call->args[2], text + n, size - n);
	} else if (at == -1) {
		describe_fd(call->pid, call->args[0], text, size);
	} else if (call->number == SYS_fsconfig) {
		/* A command, and then a key where it has one. */
		text[0] = (char)('0' + call->args[1]);
		text[1] = ' ';
		text[2 + (call->args[2] ? copy(call->pid, call->args[2], text + 2, 15) : 0)] = '\0';
	} else if (at >= 0) {
		size_t n = copy(call->pid, call->args[at], text, size - 1);

		/* The text may end where its page does. */
		if (!n)
			n = copy(call->pid, call->args[at], text,
				4096 - call->args[at] % 4096 < size ? 4096 - call->args[at] % 4096
								    : size - 1);
		text[n] = '\0';
		if (!text[0])
			describe_fd(call->pid, call->args[at ? at - 1 : 0], text, size);
	}
	generalise(text);
}

bool site_name(const struct call *call, bool worker, char *name, size_t size)
{
	char callers[96] = "", object[PATH_MAX], kind[32] = "daemon";

	if (!find_callers(call, callers, sizeof callers))
		return false;
	describe_object(call, object, 256);
	if (worker)
		(void)snprintf(
			kind, sizeof kind, "%.*s", 15, slurp(2, "/proc/%d/comm", (int)call->pid));
	kind[strcspn(kind, "\n")] = '\0';
	(void)snprintf(
		name, size, "%s: %s(%.60s) in %s", kind, call_name(call->number), object, callers);
	return true;
}
