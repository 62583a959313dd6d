/* SPDX-License-Identifier: Apache-2.0 */
/* Strict parsers for the small values that users and peers hand us. No locale, no white space, no
 * sign. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define NAME_MAX_LENGTH 63 /* RFC 1123, section 2.1 and RFC 1035, section 2.3.4: one label */

/* Decimal digits only, the whole string. -EINVAL: not a number; -ERANGE: outside min..max. */
int parse_unsigned(const char *text, uint64_t min, uint64_t max, uint64_t *ret);

/* An RFC 1123 label: [a-z0-9]([-a-z0-9]*[a-z0-9])?, 1 to 63 characters. Run names and incarnations.
 */
bool name_is_valid(const char *text);

/*
 * An absolute path without empty, "." and ".." components, control characters or a trailing
 * slash ("/" itself is allowed), below PATH_MAX. Returns NULL when fine, else static text that
 * says what is wrong.
 */
const char *path_absolute_fault(const char *path);

/* The same for a path relative to a volume; "." alone means the volume itself. */
const char *path_relative_fault(const char *path);
