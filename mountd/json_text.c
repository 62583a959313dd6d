/* SPDX-License-Identifier: Apache-2.0 */
/* Texts of any origin as JSON strings. */
#include "mountd/json_text.h"

#include <string.h>

#include "mountd/base/cleanup.h"
#include "mountd/base/utf8.h"

json_t *json_text(const char *text)
{
	_cleanup_free_ char *copy = text ? strdup(text) : NULL;
	char *s = copy;

	while (s && *s) {
		size_t n = utf8_length((const unsigned char *)s);

		if (!n)
			*s = '?';
		s += n ? n : 1;
	}
	return copy ? json_string(copy) : NULL;
}
