/* SPDX-License-Identifier: Apache-2.0 */
/* Any words, separated by zero bytes, as a command line of the launcher. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "harden/options.h"

#define MAX_WORDS 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *argv[MAX_WORDS + 2] = {(char *)"kora-launch"}, *text = malloc(size + 1);
	int argc = 1, program = 0;
	struct policy p;
	struct fail f = {0};

	if (!text || policy_init(&p) < 0) {
		free(text);
		return 0;
	}
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	for (size_t at = 0; at < size && argc <= MAX_WORDS; at += strlen(text + at) + 1)
		argv[argc++] = text + at;
	int r = options_early(&p, argc, argv, &program, &f);

	if (r == 0)
		r = options_apply(&p, argc, argv, &f);
	if ((r < 0) != (f.text[0] != '\0') || (r == 0 && (program < 1 || program > argc)))
		abort();
	if (r == 0)
		(void)policy_check(&p, &f);
	policy_done(&p);
	free(text);
	return 0;
}
