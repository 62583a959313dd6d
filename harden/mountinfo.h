/* SPDX-License-Identifier: Apache-2.0 */
/* One line of /proc/PID/mountinfo. Pure. */
#pragma once

#include <stddef.h>

struct mount_line {
	char *point;   /* unescaped; these point into the line that was parsed */
	char *options; /* of the mount */
	char *fstype;
	char *source; /* unescaped */
};

/* Splits line, changing it. -EBADMSG when it is not a mountinfo line. */
int mountinfo_parse(char *line, struct mount_line *ret);

/* The topmost mount at point in a whole mountinfo text (which is changed): -ENOENT, or 0. */
int mountinfo_find(char *text, const char *point, struct mount_line *ret);

/* All of a proc file, zero-terminated, owned by the caller. fd: read from its beginning. -errno. */
int proc_read_all(int fd, char **ret);
