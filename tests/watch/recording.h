/* SPDX-License-Identifier: Apache-2.0 */
/* Answers of a real API server, recorded as HTTP/1.1, without their headers and chunks. */
#pragma once

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The body; the caller frees it. Tests run in the project's folder. */
static inline char *recording(const char *name, size_t *ret_size)
{
	static char raw[1 << 20];
	char path[256];
	FILE *file;
	char *body = malloc(sizeof raw), *at;
	size_t n, size = 0;

	(void)snprintf(path, sizeof path, "tests/watch/recordings/%s.http", name);
	file = fopen(path, "re");
	cr_assert(file && body, "%s", path);
	n = fread(raw, 1, sizeof raw - 1, file);
	(void)fclose(file);
	raw[n] = '\0';
	at = strstr(raw, "\r\n\r\n");
	cr_assert(at, "%s", path);
	at += 4;
	if (!strstr(raw, "chunked")) {
		size = strlen(at);
		memcpy(body, at, size);
	}
	while (strstr(raw, "chunked") && *at) {
		char *end;
		size_t chunk = strtoul(at, &end, 16);

		if (!chunk)
			break;
		at = strchr(end, '\n') + 1;
		if (chunk > strlen(at))
			chunk = strlen(at);
		memcpy(body + size, at, chunk);
		size += chunk;
		at += chunk;
		at += strspn(at, "\r\n");
	}
	body[size] = '\0';
	*ret_size = size;
	return body;
}
