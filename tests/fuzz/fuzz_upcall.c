/* SPDX-License-Identifier: Apache-2.0 */
/* Request lines of the kernel's export caches, carried as far as the line that answers them. */
#include <stdlib.h>
#include <string.h>

#include "nfs/answers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct addr clients[] = {{.family = AF_INET, .bytes = {10, 0, 0, 1}}};
static struct export_point point = {
	.export = {.id = {"demo", "1"}, .clients = clients, .n_clients = 1},
	.uuid = {1},
	.run_inode = 4,
};
static struct export_point *points[] = {&point};
static const struct answers answers = {.points = points, .n = 1, .pseudo_uuid = {3}};

/* The first byte chooses the cache; the rest is a line. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct upcall_request request;
	struct upcall_entry entry;
	struct answer_texts texts;
	char *line, answer[4 * UPCALL_LINE_MAX];

	if (size == 0)
		return 0;
	/* Exactly as long as it is, so that a read beyond it is seen. */
	line = malloc(size - 1 ? size - 1 : 1);
	if (!line)
		return 0;
	memcpy(line, data + 1, size - 1);
	if (upcall_parse(data[0] % UPCALL_CACHES, line, size - 1, &request) == 0 &&
		answers_request(&answers, &request, 1800000000, &entry, &texts)) {
		int n = upcall_format(&entry, answer, sizeof answer);
		/* One whole line, whatever was asked. */
		if (n <= 0 || memchr(answer, '\n', (size_t)n) != answer + n - 1)
			abort();
	}
	free(line);
	return 0;
}
