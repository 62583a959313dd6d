/* SPDX-License-Identifier: Apache-2.0 */
/* How long to wait before the next attempt: longer each time, and never all nodes at once. */
#pragma once

#include <stdint.h>

struct backoff {
	uint32_t first_ms;
	uint32_t most_ms;
	unsigned failures;
};

/* Counts a failure; between half of the step and the whole of it, by a random number. */
static inline uint64_t backoff_next(struct backoff *b, uint32_t random)
{
	uint64_t step = b->first_ms;

	for (unsigned i = 0; i < b->failures && step < b->most_ms; i++)
		step *= 2;
	if (step > b->most_ms)
		step = b->most_ms;
	if (b->failures < UINT16_MAX)
		b->failures++;
	return step / 2 + (step / 2 + 1) * (uint64_t)random / ((uint64_t)UINT32_MAX + 1);
}

static inline void backoff_reset(struct backoff *b)
{
	b->failures = 0;
}

/* For jitter, not for secrets. */
uint32_t backoff_random(void);
