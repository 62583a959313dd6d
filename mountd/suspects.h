/* SPDX-License-Identifier: Apache-2.0 */
/* Servers that have not answered lately: their runs wait behind the others'. */
#pragma once

#include "nfs/addr.h"

struct suspects {
	struct addr *list; /* owned */
	size_t n;
};

bool suspects_have(const struct suspects *s, const struct addr *server);
void suspects_add(struct suspects *s, const struct addr *server); /* out of memory: not added */
void suspects_remove(struct suspects *s, const struct addr *server);
void suspects_clear(struct suspects *s);
