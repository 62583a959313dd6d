/* SPDX-License-Identifier: Apache-2.0 */
/* Parser of mountinfo lines, with the kernel's octal escapes. */
#include "harden/mountinfo.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mountd/base/cleanup.h"

static bool octal(char c)
{
	return c >= '0' && c <= '7';
}

static void unescape(char *s)
{
	char *to = s;

	while (*s) {
		if (s[0] == '\\' && octal(s[1]) && octal(s[2]) && octal(s[3])) {
			*to++ = (char)((s[1] - '0') << 6 | (s[2] - '0') << 3 | (s[3] - '0'));
			s += 4;
		} else {
			*to++ = *s++;
		}
	}
	*to = '\0';
}

int mountinfo_parse(char *line, struct mount_line *ret)
{
	/* id parent major:minor root POINT OPTIONS [optional fields...] - FSTYPE SOURCE super */
	char *fields[6], *rest = line, *word;

	for (size_t i = 0; i < 6; i++) {
		fields[i] = strsep(&rest, " ");
		if (!fields[i] || !*fields[i])
			return -EBADMSG;
	}
	do {
		word = strsep(&rest, " ");
	} while (word && strcmp(word, "-") != 0);
	if (!word || !rest)
		return -EBADMSG;
	char *fstype = strsep(&rest, " ");
	char *source = rest ? strsep(&rest, " ") : NULL;

	if (!*fstype || !source)
		return -EBADMSG;
	unescape(fields[4]);
	unescape(source);
	*ret = (struct mount_line){fields[4], fields[5], fstype, source};
	return 0;
}

int mountinfo_find(char *text, const char *point, struct mount_line *ret)
{
	struct mount_line m;
	int r = -ENOENT;

	while (text && *text) {
		char *line = strsep(&text, "\n");

		/* Later lines lie on top of earlier ones. */
		if (mountinfo_parse(line, &m) == 0 && strcmp(m.point, point) == 0) {
			*ret = m;
			r = 0;
		}
	}
	return r;
}

int proc_read_all(int fd, char **ret)
{
	_cleanup_free_ char *buf = NULL;
	size_t size = 16384, len = 0;

	if (lseek(fd, 0, SEEK_SET) < 0)
		return -errno;
	for (;;) {
		char *more = realloc(buf, size);

		if (!more)
			return -ENOMEM;
		buf = more;
		ssize_t n = read(fd, buf + len, size - len - 1);

		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		len += (size_t)n;
		if (size - len < 4096)
			size *= 2;
	}
	buf[len] = '\0';
	*ret = TAKE_PTR(buf);
	return 0;
}
