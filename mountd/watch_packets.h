/* SPDX-License-Identifier: Apache-2.0 */
/* A snapshot of specs as the packets that the control socket takes. */
#pragma once

#include <stddef.h>

#include "mountd/spec.h"

struct packets {
	char **list; /* owned, each one */
	size_t n;
};

/* -ENOMEM */
int packets_make(const char *source, const struct spec *specs, size_t n, size_t size_max,
	struct packets *ret);
void packets_clear(struct packets *p);
bool packets_equal(const struct packets *a, const struct packets *b);
