/* SPDX-License-Identifier: Apache-2.0 */
/* Where the jitter comes from. */
#include "mountd/watch_backoff.h"

#include <sys/random.h>

uint32_t backoff_random(void)
{
	uint32_t random = 0;

	if (getrandom(&random, sizeof random, GRND_NONBLOCK) < 0)
		random = 0; /* jitter is a kindness, not a need */
	return random;
}
