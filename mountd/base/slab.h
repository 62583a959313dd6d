/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects of one size that workers do not get: fork(2) leaves their pages out, and takes as long
 * with a thousand of them as with one. A child that touches one dies of SIGSEGV.
 */
#pragma once

#include <stddef.h>

#define SLAB_OBJECT_MAX 4096

struct slab_chunk;

/* Nothing else is to be set than size, in bytes, at most SLAB_OBJECT_MAX. */
struct slab {
	size_t size;
	struct slab_chunk *roomy; /* those with room */
};

/* Zeroed; NULL: memory is out. */
void *slab_take(struct slab *s);
/* Gives what slab_take() gave back. */
void slab_give(struct slab *s, void *object);
