/* SPDX-License-Identifier: Apache-2.0 */
/* Time, chance, files and the shell. */
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/soak/soak.h"

uint64_t now_ms(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

void nap(unsigned ms)
{
	(void)usleep(ms * 1000);
}

/* splitmix64: the whole run follows from the seed. */
static uint64_t next(struct world *w)
{
	uint64_t z = w->random += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

unsigned pick(struct world *w, unsigned n)
{
	return (unsigned)(next(w) % n);
}

bool chance(struct world *w, unsigned percent)
{
	return pick(w, 100) < percent;
}

void say(struct world *w, const char *format, ...)
{
	size_t used = strlen(w->what);
	va_list args;

	if (used && used + 2 < sizeof w->what)
		used = (size_t)(stpcpy(w->what + used, "; ") - w->what);
	va_start(args, format);
	(void)vsnprintf(w->what + used, sizeof w->what - used, format, args);
	va_end(args);
}

void broken(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	(void)vfprintf(stderr, format, args);
	va_end(args);
	(void)fputc('\n', stderr);
	exit(2);
}

static char *expand(const char *format, va_list args)
{
	char *text;

	if (vasprintf(&text, format, args) < 0)
		abort();
	return text;
}

int shell(const char *format, ...)
{
	va_list args;
	char *command;
	int status;

	va_start(args, format);
	command = expand(format, args);
	va_end(args);
	status = system(command);
	free(command);
	return status;
}

const char *slurp(unsigned slot, const char *format, ...)
{
	static char texts[4][256 * 1024];
	char *text = texts[slot];
	size_t used = 0;
	va_list args;
	ssize_t n;
	char *path;
	int fd;

	va_start(args, format);
	path = expand(format, args);
	va_end(args);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	free(path);
	while (fd >= 0 && used < sizeof texts[0] - 1 &&
		(n = read(fd, text + used, sizeof texts[0] - 1 - used)) > 0)
		used += (size_t)n;
	if (fd >= 0)
		(void)close(fd);
	text[used] = '\0';
	return text;
}

bool spit(const char *text, const char *format, ...)
{
	va_list args;
	char *path;
	bool good;
	int fd;

	va_start(args, format);
	path = expand(format, args);
	va_end(args);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	free(path);
	good = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
	if (fd >= 0)
		(void)close(fd);
	return good;
}
