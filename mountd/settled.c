/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the server may begin to answer for the exports. */
#include "mountd/settled.h"

static bool is_inherited(const struct run *run)
{
	for (size_t i = 0; run->possible && i < run->n_held; i++)
		if (run->held[i].former &&
			run_id_equal(&run->held[i].export.id, &run->want.export.id))
			return true;
	return false;
}

enum settled runs_settled(const struct runs *runs, bool *ret_wanted)
{
	enum settled settled = SETTLED;

	*ret_wanted = runs->n_resting[ROLE_EXPORT] > 0;
	for (const struct run *run = runs->first; run; run = run->next) {
		if (run->role != ROLE_EXPORT || !run->wished)
			continue;
		*ret_wanted = true;
		if (run_is_served(run))
			continue;
		/* What has to end before it can be tried may wait for dead storage. */
		if (!run->attempts && !run->end_failures)
			settled = UNSETTLED;
		else if (settled == SETTLED && is_inherited(run))
			settled = SETTLED_BUT_INHERITED;
	}
	return settled;
}
