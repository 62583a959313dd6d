/* SPDX-License-Identifier: Apache-2.0 */
/* Texts of any origin as JSON strings. */
#pragma once

#include <jansson.h>

/* A new reference. Bytes that are no UTF-8 become '?'. NULL: memory is out, or text is NULL. */
json_t *json_text(const char *text);
