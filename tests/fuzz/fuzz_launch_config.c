/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a configuration file of the launcher. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "harden/config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct policy p;
	struct fail f = {0};

	if (policy_init(&p) < 0)
		return 0;
	int r = config_parse(&p, "fuzz", (const char *)data, size, &f);

	/* A refusal always has a reason, and what was accepted is consistent. */
	if ((r < 0) != (f.text[0] != '\0') || ports_have(&p.tcp_connect, PORT_NEVER))
		abort();
	policy_done(&p);
	return 0;
}
