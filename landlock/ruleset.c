/* SPDX-License-Identifier: Apache-2.0 */
/* Thin layer over the three system calls: errno, file types, symbolic links. */
#include "landlock/ruleset.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "landlock/landlock_abi.h"
#include "mountd/base/cleanup.h"

#define FS_FILE \
	(LL_FS_EXECUTE | LL_FS_WRITE_FILE | LL_FS_READ_FILE | LL_FS_TRUNCATE | LL_FS_IOCTL_DEV | \
		LL_FS_RESOLVE_UNIX)

int ll_abi(void)
{
	int abi = ll_create_ruleset(NULL, 0, LL_CREATE_VERSION);

	return abi < 0 ? -errno : abi;
}

int ll_ruleset_new(const struct ll_set *set)
{
	const struct ll_ruleset_attr attr = {
		.handled_access_fs = set->fs,
		.handled_access_net = set->net,
		.scoped = set->scoped,
	};
	/* An older kernel must not see the tail: a short size is valid everywhere. */
	size_t size = set->scoped ? offsetof(struct ll_ruleset_attr, quiet_access_fs)
		      : set->net  ? offsetof(struct ll_ruleset_attr, scoped)
				  : offsetof(struct ll_ruleset_attr, handled_access_net);
	int fd = ll_create_ruleset(&attr, size, 0);

	return fd < 0 ? -errno : fd;
}

uint64_t ll_fit_mode(uint64_t fs, unsigned int mode)
{
	if (S_ISDIR(mode))
		return fs;
	fs &= FS_FILE;
	if (!S_ISCHR(mode) && !S_ISBLK(mode))
		fs &= ~(uint64_t)LL_FS_IOCTL_DEV;
	if (!S_ISSOCK(mode))
		fs &= ~(uint64_t)LL_FS_RESOLVE_UNIX;
	return fs;
}

int ll_ruleset_add_fd(
	int ruleset, const struct ll_set *handled, int fd, unsigned int mode, uint64_t fs)
{
	const struct ll_path_beneath_attr rule = {
		.allowed_access = ll_fit_mode(fs & handled->fs, mode),
		.parent_fd = fd,
	};

	if (!rule.allowed_access) /* the kernel calls an empty rule ENOMSG */
		return 0;
	return ll_add_rule(ruleset, LL_RULE_PATH_BENEATH, &rule) < 0 ? -errno : 0;
}

int ll_name_of_fd(int fd, char *buf, size_t len)
{
	char link[32];

	(void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	ssize_t n = readlink(link, buf, len);

	if (n < 0)
		return -errno;
	if ((size_t)n >= len)
		return -ENAMETOOLONG;
	buf[n] = '\0';
	return 0;
}

static int found_at(int fd, struct ll_path_found *found)
{
	if (fstat(fd, &found->st) < 0)
		return -errno;
	return ll_name_of_fd(fd, found->target, sizeof(found->target));
}

/* The name that /proc would give, if no component is a link. */
static bool is_canonical(const char *path)
{
	size_t len = 0;

	for (; path[len]; len++)
		if (path[len] == '/' && (path[len + 1] == '/' || path[len + 1] == '.'))
			return false;
	return path[0] == '/' && len > 1 && len < PATH_MAX && path[len - 1] != '/';
}

/* Without a link on the way /proc need not be asked, and few grants have one. -1: open it again. */
static int open_without_links(const char *path)
{
	const struct open_how how = {
		.flags = O_PATH | O_CLOEXEC,
		.resolve = RESOLVE_NO_SYMLINKS,
	};

	if (!is_canonical(path))
		return -1;
	return (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how));
}

int ll_open_path(const char *path, struct ll_path_found *found)
{
	_cleanup_close_ int plain = open_without_links(path);

	if (plain >= 0 && fstat(plain, &found->st) == 0) {
		found->symlink = false;
		memcpy(found->target, path, strlen(path) + 1);
		return TAKE_FD(plain);
	}
	_cleanup_close_ int fd = openat(AT_FDCWD, path, O_PATH | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	int r = found_at(fd, found);

	found->symlink = r == 0 && strcmp(path, found->target) != 0;
	return r < 0 ? r : TAKE_FD(fd);
}

/* Not by openat2(2) alone: container runtimes' filters know it only since 2020. */
int ll_open_below(const char *dir, const char *rest, struct ll_path_found *found)
{
	_cleanup_close_ int fd = open(dir, O_PATH | O_CLOEXEC);
	char name[NAME_MAX + 1];

	for (rest += strspn(rest, "/"); fd >= 0 && *rest; rest += strspn(rest, "/")) {
		size_t len = strcspn(rest, "/");
		struct stat st;

		if (len > NAME_MAX)
			return -ENAMETOOLONG;
		memcpy(name, rest, len);
		name[len] = '\0';
		int next = openat(fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);

		(void)close(fd);
		fd = next;
		if (fd >= 0 && fstat(fd, &st) == 0 && S_ISLNK(st.st_mode))
			return -ELOOP;
		rest += len;
	}
	if (fd < 0)
		return -errno;
	found->symlink = false;
	int r = found_at(fd, found);

	return r < 0 ? r : TAKE_FD(fd);
}

int ll_ruleset_add_port(int ruleset, const struct ll_set *handled, uint16_t port, uint64_t net)
{
	const struct ll_net_port_attr rule = {
		.allowed_access = net & handled->net,
		.port = port,
	};

	if (!rule.allowed_access)
		return 0;
	return ll_add_rule(ruleset, LL_RULE_NET_PORT, &rule) < 0 ? -errno : 0;
}

int ll_ruleset_restrict(int ruleset, const struct ll_set *handled)
{
	return ll_restrict_self(ruleset, handled->flags) < 0 ? -errno : 0;
}
