/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of the GNU C library that the distribution's static libcap-ng and jansson refer to, over
 * musl. The size that the "_chk" forms are given is checked where the plain form takes one.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <syslog.h>

#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

#define FORWARD(result, call) \
	va_list ap; \
	va_start(ap, fmt); \
	(result) = (call); \
	va_end(ap); \
	return (result)

int __printf_chk(int flag, const char *fmt, ...)
{
	int n;

	(void)flag;
	FORWARD(n, vprintf(fmt, ap));
}

int __fprintf_chk(FILE *f, int flag, const char *fmt, ...)
{
	int n;

	(void)flag;
	FORWARD(n, vfprintf(f, fmt, ap));
}

int __vsnprintf_chk(char *s, size_t n, int flag, size_t size, const char *fmt, va_list ap)
{
	(void)flag;
	if (n > size)
		abort();
	return vsnprintf(s, n, fmt, ap);
}

int __snprintf_chk(char *s, size_t n, int flag, size_t size, const char *fmt, ...)
{
	int w;

	FORWARD(w, __vsnprintf_chk(s, n, flag, size, fmt, ap));
}

int __sprintf_chk(char *s, int flag, size_t size, const char *fmt, ...)
{
	int w;
	size_t room = size > (size_t)0x7fffffff ? (size_t)0x7fffffff : size;

	(void)flag;
	FORWARD(w, vsnprintf(s, room, fmt, ap));
}

int __asprintf_chk(char **s, int flag, const char *fmt, ...)
{
	int n;

	(void)flag;
	FORWARD(n, vasprintf(s, fmt, ap));
}

void __syslog_chk(int priority, int flag, const char *fmt, ...)
{
	va_list ap;

	(void)flag;
	va_start(ap, fmt);
	vsyslog(priority, fmt, ap);
	va_end(ap);
}

char *__strncpy_chk(char *to, const char *from, size_t n, size_t size)
{
	if (n > size)
		abort();
	return strncpy(to, from, n);
}

void *__memcpy_chk(void *to, const void *from, size_t n, size_t size)
{
	if (n > size)
		abort();
	return memcpy(to, from, n);
}

/* Names that newer GNU headers give to old functions. */
long __isoc23_strtol(const char *s, char **end, int base)
{
	return strtol(s, end, base);
}

unsigned long __isoc23_strtoul(const char *s, char **end, int base)
{
	return strtoul(s, end, base);
}

long long __isoc23_strtoll(const char *s, char **end, int base)
{
	return strtoll(s, end, base);
}

int __isoc23_sscanf(const char *s, const char *fmt, ...)
{
	int n;

	FORWARD(n, vsscanf(s, fmt, ap));
}
