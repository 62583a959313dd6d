/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the server may begin to answer for the exports. */
#pragma once

#include "mountd/run.h"

enum settled {
	SETTLED,   /* all that are wished for are taken in, or have failed once */
	UNSETTLED, /* some have not been tried */
	/* Some that a former daemon has answered for fail: its answers would be lost with ours. */
	SETTLED_BUT_INHERITED,
};

/* Of the exports among runs. *ret_wanted: some export is wished for. */
enum settled runs_settled(const struct runs *runs, bool *ret_wanted);
