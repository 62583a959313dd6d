/* SPDX-License-Identifier: Apache-2.0 */
/* Strings in one piece of memory with what they belong to. */
#include "mountd/texts.h"

#include <errno.h>
#include <string.h>

int texts_put(struct texts *t, const char *text)
{
	size_t size = text ? strlen(text) + 1 : 1;

	if (size > sizeof t->bytes - t->size)
		return -ENAMETOOLONG;
	memcpy(t->bytes + t->size, text ? text : "", size);
	t->size += size;
	return 0;
}

char *texts_next(const struct texts *t, size_t *offset)
{
	const char *text = t->bytes + *offset;

	*offset += strlen(text) + 1;
	return *text ? (char *)text : NULL;
}
