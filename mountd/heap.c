/* SPDX-License-Identifier: Apache-2.0 */
/* The heap's free memory, given back to the node. */
#include "mountd/heap.h"

#include <malloc.h>

#define WORTH_IT (256 * 1024)

void heap_give_back(void)
{
	static size_t before; /* what was given back counts as free, too */
	size_t now = mallinfo2().fordblks;

	if (now < before)
		before = now;
	if (now - before < WORTH_IT)
		return;
	(void)malloc_trim(0);
	before = now;
}
