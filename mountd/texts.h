/* SPDX-License-Identifier: Apache-2.0 */
/* Strings in one piece of memory with what they belong to, as other processes get it. */
#pragma once

#include <limits.h>
#include <stddef.h>

#define TEXTS_MAX (4 * PATH_MAX)

struct texts {
	size_t size; /* of bytes, as far as they are used */
	char bytes[TEXTS_MAX];
};

/* The size of a struct that ends with its texts, as far as they are used. */
#define TEXTS_END(holder) (offsetof(__typeof__(holder), texts.bytes) + (holder).texts.size)

/* NULL counts as "". -ENAMETOOLONG: no room; nothing has changed. */
int texts_put(struct texts *t, const char *text);

/* The one at *offset, which becomes the next one's: in the order in which they were put. "" is
 * NULL. */
char *texts_next(const struct texts *t, size_t *offset);
