/* SPDX-License-Identifier: Apache-2.0 */
/* Objects of one size that workers do not get. */
#include "mountd/base/slab.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#define CHUNK ((size_t)65536) /* and aligned so: an object's address tells its chunk */
#define ALIGN ((size_t)16)

struct free_object {
	struct free_object *next;
};

struct slab_chunk {
	struct slab_chunk *next, **link; /* of those with room */
	struct free_object *free;	 /* given back */
	size_t fresh;			 /* offset of what was never taken */
	size_t used;			 /* objects */
};

#define FIRST ((sizeof(struct slab_chunk) + ALIGN - 1) / ALIGN * ALIGN)

static size_t step(const struct slab *s)
{
	return (s->size + ALIGN - 1) / ALIGN * ALIGN;
}

static void link_chunk(struct slab *s, struct slab_chunk *c)
{
	c->next = s->roomy;
	c->link = &s->roomy;
	if (c->next)
		c->next->link = &c->next;
	s->roomy = c;
}

static void unlink_chunk(struct slab_chunk *c)
{
	*c->link = c->next;
	if (c->next)
		c->next->link = c->link;
}

static struct slab_chunk *new_chunk(void)
{
	char *map =
		mmap(NULL, 2 * CHUNK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct slab_chunk *c;
	size_t before;

	if (map == MAP_FAILED)
		return NULL;
	before = -(uintptr_t)map % CHUNK;
	if (before)
		(void)munmap(map, before);
	c = (void *)(map + before);
	(void)munmap((char *)c + CHUNK, CHUNK - before);
	(void)madvise(c, CHUNK, MADV_DONTFORK);
	c->fresh = FIRST;
	return c;
}

static void *take_from(struct slab_chunk *c, const struct slab *s)
{
	void *object = c->free;

	c->used++;
	if (object) {
		c->free = c->free->next;
		return memset(object, 0, s->size);
	}
	object = (char *)c + c->fresh;
	c->fresh += step(s);
	return object;
}

static int has_room(const struct slab_chunk *c, const struct slab *s)
{
	return c->free || c->fresh + step(s) <= CHUNK;
}

void *slab_take(struct slab *s)
{
	struct slab_chunk *c = s->roomy;
	void *object;

	if (!c) {
		c = new_chunk();
		if (!c)
			return NULL;
		link_chunk(s, c);
	}
	object = take_from(c, s);
	if (!has_room(c, s))
		unlink_chunk(c);
	return object;
}

void slab_give(struct slab *s, void *object)
{
	struct slab_chunk *c = (void *)((uintptr_t)object & ~(CHUNK - 1));
	struct free_object *f = object;

	if (!has_room(c, s))
		link_chunk(s, c);
	f->next = c->free;
	c->free = f;
	/* The last one stays: a lone run that comes and goes needs no other each time. */
	if (--c->used || (s->roomy == c && !c->next))
		return;
	unlink_chunk(c);
	(void)munmap(c, CHUNK);
}
