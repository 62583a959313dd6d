/* SPDX-License-Identifier: Apache-2.0 */
/* Plain-line checks for tests that run on a real kernel: "N passed, N failed" and exit 1 on
 * failure. */
#pragma once

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static unsigned int check_passed, check_failed;

__attribute__((format(printf, 2, 3), unused)) static bool check(bool ok, const char *fmt, ...)
{
	va_list ap;

	ok ? check_passed++ : check_failed++;
	printf("%s  ", ok ? "ok  " : "FAIL");
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	return ok;
}

__attribute__((format(printf, 1, 2), unused)) static void skip(const char *fmt, ...)
{
	va_list ap;

	printf("skip  ");
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
}

__attribute__((unused)) static int check_end(void)
{
	printf("%u passed, %u failed\n", check_passed, check_failed);
	return check_failed ? 1 : 0;
}

__attribute__((format(printf, 1, 2), noreturn, unused)) static void die(const char *fmt, ...)
{
	int e = errno;
	va_list ap;

	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, ": %s\n", strerror(e));
	exit(2);
}
