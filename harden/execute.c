/* SPDX-License-Identifier: Apache-2.0 */
/* execve(2) with a diagnosis: what is missing is often not the file that was named. */
#include "harden/execute.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harden/environ.h"
#include "mountd/base/cleanup.h"

static bool script_interpreter(const char *head, char *ret, size_t len)
{
	const char *at = head + 2 + strspn(head + 2, " \t");
	size_t n = strcspn(at, " \t\n");

	if (strncmp(head, "#!", 2) != 0 || !n || n >= len)
		return false;
	memcpy(ret, at, n);
	ret[n] = '\0';
	return true;
}

static bool elf_interpreter(int fd, const char *head, char *ret, size_t len)
{
	Elf64_Ehdr eh;
	Elf64_Phdr ph;

	memcpy(&eh, head, sizeof(eh));
	if (memcmp(eh.e_ident, ELFMAG, SELFMAG) != 0 || eh.e_ident[EI_CLASS] != ELFCLASS64)
		return false;
	for (unsigned int i = 0; i < eh.e_phnum; i++) {
		off_t at = (off_t)(eh.e_phoff + (uint64_t)i * sizeof(ph));

		if (pread(fd, &ph, sizeof(ph), at) != (ssize_t)sizeof(ph))
			return false;
		if (ph.p_type != PT_INTERP)
			continue;
		if (!ph.p_filesz || ph.p_filesz >= len ||
			pread(fd, ret, ph.p_filesz, (off_t)ph.p_offset) != (ssize_t)ph.p_filesz)
			return false;
		ret[ph.p_filesz] = '\0';
		return true;
	}
	return false;
}

static bool find_interpreter(const char *file, char *ret, size_t len)
{
	_cleanup_close_ int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char head[512] = "";

	if (fd < 0 || read(fd, head, sizeof(head) - 1) < 2)
		return false;
	return script_interpreter(head, ret, len) || elf_interpreter(fd, head, ret, len);
}

static bool is_wrong_machine(const char *file)
{
	_cleanup_close_ int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char head[SELFMAG] = "";

	return fd >= 0 && read(fd, head, sizeof(head)) == (ssize_t)sizeof(head) &&
	       memcmp(head, ELFMAG, SELFMAG) == 0;
}

static int explain_enoent(const char *file, struct fail *f)
{
	char interp[PATH_MAX];

	if (access(file, F_OK) == 0 && find_interpreter(file, interp, sizeof(interp))) {
		(void)fail_set(f, ENOENT, "%s: its interpreter %s does not exist%s", file, interp,
			strstr(interp, "/ld-") ? " (built for another C library or distribution?)"
					       : "");
		return EXIT_NOEXEC;
	}
	(void)fail_set(f, ENOENT, "%s: no such file", file);
	return EXIT_MISSING;
}

static int explain_eacces(const char *file, struct fail *f)
{
	char interp[PATH_MAX] = "";
	struct stat st;

	/* access(2) does not ask Landlock, so a yes here leaves only Landlock (or noexec). */
	if (stat(file, &st) == 0 && S_ISDIR(st.st_mode))
		(void)fail_set(f, EACCES, "%s: is a directory", file);
	else if (access(file, X_OK) < 0)
		(void)fail_set(f, EACCES, "%s: %s (mode or noexec mount)", file, strerror(errno));
	else if (find_interpreter(file, interp, sizeof(interp)) && access(interp, X_OK) < 0)
		(void)fail_set(
			f, EACCES, "%s: its interpreter %s: %s", file, interp, strerror(errno));
	else
		(void)fail_set(f, EACCES,
			"%s%s%s: execution is not granted: add --exec for its directory", file,
			*interp ? ", or its interpreter " : "", interp);
	return EXIT_NOEXEC;
}

static int explain(const char *file, int e, struct fail *f)
{
	switch (e) {
	case ENOENT:
	case ENOTDIR:
		return explain_enoent(file, f);
	case EACCES:
	case EPERM:
		return explain_eacces(file, f);
	case ENOEXEC:
		(void)fail_set(f, e, "%s: %s", file,
			is_wrong_machine(file) ? "built for another machine"
					       : "neither a program nor a script with a #! line");
		return EXIT_NOEXEC;
	default:
		(void)fail_set(f, e, "%s: %s", file, strerror(e));
		return EXIT_NOEXEC;
	}
}

/* Returns the errno that stopped the search; ret is the file that it is about. */
static int search(char *const *argv, char *const *env, const char *path, char *ret, size_t len)
{
	int e = ENOENT;

	(void)snprintf(ret, len, "%s", argv[0]);
	for (const char *at = path; at; at = strchr(at, ':') ? strchr(at, ':') + 1 : NULL) {
		char file[PATH_MAX];
		int n = (int)strcspn(at, ":");
		int w = snprintf(file, sizeof(file), "%.*s/%s", n ? n : 1, n ? at : ".", argv[0]);

		if (w < 0 || (size_t)w >= sizeof(file))
			continue;
		(void)execve(file, argv, env);
		if ((errno == ENOENT || errno == ENOTDIR || errno == EACCES) &&
			access(file, F_OK) < 0)
			continue;
		if (errno == ENOENT || e == ENOENT) { /* the first that exists decides */
			e = errno;
			(void)snprintf(ret, len, "%s", file);
		}
		if (e != EACCES)
			break;
	}
	return e;
}

int execute(char *const *argv, char *const *env, struct fail *f)
{
	char file[PATH_MAX];

	if (strchr(argv[0], '/')) {
		(void)execve(argv[0], argv, env);
		return explain(argv[0], errno, f);
	}
	const char *path = environ_get(env, "PATH");
	int e = search(argv, env, path, file, sizeof(file));

	if (e == ENOENT && strcmp(file, argv[0]) == 0) {
		(void)fail_set(f, ENOENT, "%s: not found in PATH %s", argv[0], path);
		return EXIT_MISSING;
	}
	return explain(file, e, f);
}
