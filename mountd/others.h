/* SPDX-License-Identifier: Apache-2.0 */
/* The exports beside the one that ends. */
#pragma once

#include "mountd/run.h"
#include "nfs/export.h"

/*
 * Whatever nfsd serves, or perhaps still serves, but for one (may be NULL). Those of a run that is
 * not wished for end, and those of another incarnation that are refused already. unread: not all
 * wishes could be read, so that none counts as ending. The list is the caller's, what it points to
 * the runs'; never NULL. -ENOMEM.
 */
int other_exports_list(
	const struct runs *runs, const struct export *but, bool unread, struct other_exports *ret);
