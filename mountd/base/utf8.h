/* SPDX-License-Identifier: Apache-2.0 */
/* Where UTF-8 sequences begin and end: paths and names may hold any byte, and texts are cut. */
#pragma once

#include <stddef.h>

/* Length of the well-formed sequence at s (1 for ASCII, NUL too), or 0. */
size_t utf8_length(const unsigned char *s);

/* Takes away what a cut has left of a sequence at the end of text. Other bad bytes stay. */
void utf8_trim(char *text);
