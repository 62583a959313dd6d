/* SPDX-License-Identifier: Apache-2.0 */
/* The exports beside the one that ends. */
#pragma once

#include "mountd/run.h"

struct other_exports {
	const struct export **list; /* owned, what it points to is the runs'; never NULL */
	size_t n;
	/* The first of them; the rest end as well: they are refused already, and not wished for. */
	size_t n_staying;
};

/* Whatever nfsd serves, or perhaps still serves, but for one (may be NULL). -ENOMEM. */
int other_exports_list(
	const struct runs *runs, const struct export *but, struct other_exports *ret);
