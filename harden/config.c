/* SPDX-License-Identifier: Apache-2.0 */
/* A strict parser: a line that is not understood stops the start and is named. */
#include "harden/config.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "harden/keys.h"
#include "mountd/base/cleanup.h"

#define MAX_FILE (64 * 1024)
#define MAX_KEYS 64

static char *trim(char *s)
{
	while (isspace((unsigned char)*s))
		s++;
	for (size_t len = strlen(s); len && isspace((unsigned char)s[len - 1]); len--)
		s[len - 1] = '\0';
	return s;
}

static int apply_line(struct policy *p, const char *at, char *line, unsigned int *seen,
	unsigned int number, struct fail *f)
{
	char *text = trim(line);
	char *equals = strchr(text, '=');
	struct fail why = {0};

	if (!*text || *text == '#')
		return 0;
	if (!equals)
		return fail_set(f, EINVAL, "%s:%u: key = value is needed", at, number);
	*equals = '\0';
	char *name = trim(text), *value = trim(equals + 1);
	int i = key_find(name);

	if (i < 0)
		return fail_set(f, EINVAL, "%s:%u: unknown key '%.100s'", at, number, name);
	if (keys[i].cmdline)
		return fail_set(
			f, EINVAL, "%s:%u: '%s' is for the command line only", at, number, name);
	if (seen[i] && !keys[i].many)
		return fail_set(f, EINVAL, "%s:%u: duplicate key '%s', first in line %u", at,
			number, name, seen[i]);
	seen[i] = number;
	int r = keys[i].set(p, value, &why);

	if (r == -EINVAL)
		return fail_set(
			f, EINVAL, "%s:%u: %s '%.200s': %s", at, number, name, value, why.text);
	return r < 0 ? fail_set(f, -r, "%s:%u: %s", at, number, strerror(-r)) : 0;
}

int config_parse(struct policy *p, const char *name, const char *text, size_t len, struct fail *f)
{
	_cleanup_free_ char *copy = strndup(text, len);
	unsigned int seen[MAX_KEYS] = {0}, number = 0;

	if (!copy)
		return fail_set(f, ENOMEM, "%s: out of memory", name);
	for (char *rest = copy; rest;) {
		char *line = strsep(&rest, "\n");

		number++;
		/* A zero byte would hide what follows it. */
		if (!rest && (size_t)(line - copy) + strlen(line) != len)
			return fail_set(f, EINVAL, "%s:%u: a zero byte", name, number);
		int r = apply_line(p, name, line, seen, number, f);

		if (r < 0)
			return r;
	}
	return 0;
}

static int load_file(struct policy *p, const char *file, struct fail *f)
{
	_cleanup_close_ int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return fail_set(f, errno, "%s: %s", file, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return fail_set(f, EINVAL, "%s: not a regular file", file);
	if (st.st_mode & S_IWOTH)
		return fail_set(f, EPERM, "%s: everybody may write it: chmod o-w", file);
	if (st.st_size > MAX_FILE)
		return fail_set(f, EFBIG, "%s: larger than 64 KiB", file);
	_cleanup_free_ char *text = malloc((size_t)st.st_size + 1);

	if (!text)
		return fail_set(f, ENOMEM, "%s: out of memory", file);
	ssize_t n = read(fd, text, (size_t)st.st_size);

	if (n < 0)
		return fail_set(f, errno, "%s: %s", file, strerror(errno));
	return config_parse(p, file, text, (size_t)n, f);
}

static int is_conf(const struct dirent *d)
{
	size_t len = strlen(d->d_name);

	return d->d_name[0] != '.' && len > 5 && strcmp(d->d_name + len - 5, ".conf") == 0;
}

/* Who may put a file into it decides, too. A volume of Kubernetes has that mode, and is read-only.
 */
static int check_directory(struct fail *f)
{
	struct stat st;
	struct statvfs fs;

	if (stat(CONFIG_DIR, &st) < 0)
		return 0; /* to be told with what is looked for in it */
	if (!(st.st_mode & S_IWOTH) || (statvfs(CONFIG_DIR, &fs) == 0 && fs.f_flag & ST_RDONLY))
		return 0;
	return fail_set(f, EPERM, CONFIG_DIR ": everybody may write it: chmod o-w");
}

static int load_directory(struct policy *p, struct fail *f)
{
	struct dirent **names;
	int n = scandir(CONFIG_DIR, &names, is_conf, alphasort), r = 0;

	if (n < 0)
		return errno == ENOENT ? 0 : fail_set(f, errno, CONFIG_DIR ": %s", strerror(errno));
	for (int i = 0; i < n; i++) {
		char file[sizeof(CONFIG_DIR) + 257];

		(void)snprintf(file, sizeof(file), CONFIG_DIR "/%s", names[i]->d_name);
		if (r == 0)
			r = load_file(p, file, f);
		free(names[i]);
	}
	free(names);
	return r;
}

int config_load(struct policy *p, struct fail *f)
{
	char file[PATH_MAX];

	if (p->config && strchr(p->config, '/'))
		return load_file(p, p->config, f);
	int r = check_directory(f);

	if (r < 0)
		return r;
	if (!p->config)
		return load_directory(p, f);
	if (strlen(p->config) > 200)
		return fail_set(f, ENAMETOOLONG, "--config: %s", strerror(ENAMETOOLONG));
	(void)snprintf(file, sizeof(file), CONFIG_DIR "/%s.conf", p->config);
	return load_file(p, file, f);
}
