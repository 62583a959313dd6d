/* SPDX-License-Identifier: Apache-2.0 */
/* The life of one run in one role, as a table of states and events. */
#include "mountd/run_state.h"

#include <errno.h>
#include <stddef.h>

/* Stored plus one, so that a cell left out is found: whatever comes, every state takes it. */
#define TO(state) (1 + (state))

static const unsigned char next_state[RUN_STATES][RUN_EVENTS] = {
	[RUN_PENDING] =
		{
			[EVENT_WISH] = TO(RUN_PENDING),
			[EVENT_UNWISH] = TO(RUN_ENDING),
			[EVENT_START] = TO(RUN_WORKING),
			/* What was begun turns out to be what is wished for again. */
			[EVENT_DONE] = TO(RUN_READY),
			[EVENT_LOST] = TO(RUN_PENDING),
			/* The old volume's mount, before the wish's own begins. */
			[EVENT_TAKEN_DOWN] = TO(RUN_PENDING),
			[EVENT_FAIL] = TO(RUN_RETRYING),
		},
	[RUN_WORKING] =
		{
			[EVENT_WISH] = TO(RUN_PENDING),
			[EVENT_UNWISH] = TO(RUN_ENDING),
			/* A predecessor is ended before the wish is in force. */
			[EVENT_START] = TO(RUN_WORKING),
			[EVENT_DONE] = TO(RUN_READY),
			[EVENT_FAIL] = TO(RUN_RETRYING),
			[EVENT_LOST] = TO(RUN_WORKING),
			[EVENT_TAKEN_DOWN] = TO(RUN_PENDING),
		},
	[RUN_READY] =
		{
			[EVENT_WISH] = TO(RUN_PENDING),
			[EVENT_UNWISH] = TO(RUN_ENDING),
			/* Clearing up behind a replacement. */
			[EVENT_START] = TO(RUN_READY),
			[EVENT_DONE] = TO(RUN_READY),
			[EVENT_TAKEN_DOWN] = TO(RUN_READY),
			[EVENT_FAIL] = TO(RUN_READY),
			[EVENT_LOST] = TO(RUN_PENDING),
		},
	[RUN_RETRYING] =
		{
			[EVENT_WISH] = TO(RUN_PENDING),
			[EVENT_UNWISH] = TO(RUN_ENDING),
			[EVENT_START] = TO(RUN_RETRYING),
			[EVENT_DONE] = TO(RUN_READY),
			[EVENT_FAIL] = TO(RUN_RETRYING),
			[EVENT_LOST] = TO(RUN_RETRYING),
			[EVENT_TAKEN_DOWN] = TO(RUN_RETRYING),
		},
	[RUN_ENDING] =
		{
			[EVENT_WISH] = TO(RUN_PENDING),
			[EVENT_UNWISH] = TO(RUN_ENDING),
			[EVENT_START] = TO(RUN_ENDING),
			/* An attempt that came too late: what it made is taken down. */
			[EVENT_DONE] = TO(RUN_ENDING),
			[EVENT_FAIL] = TO(RUN_ENDING),
			[EVENT_LOST] = TO(RUN_ENDING),
			[EVENT_TAKEN_DOWN] = TO(RUN_GONE),
		},
	[RUN_GONE] =
		{
			[EVENT_WISH] = TO(RUN_PENDING),
			[EVENT_UNWISH] = TO(RUN_GONE),
			/* Found at the start: what a former daemon left. */
			[EVENT_START] = TO(RUN_ENDING),
			[EVENT_DONE] = TO(RUN_ENDING),
			[EVENT_FAIL] = TO(RUN_GONE),
			[EVENT_LOST] = TO(RUN_GONE),
			[EVENT_TAKEN_DOWN] = TO(RUN_GONE),
		},
};

static const char *const names[] = {
	[RUN_PENDING] = "pending",
	[RUN_WORKING] = "working",
	[RUN_READY] = "ready",
	[RUN_RETRYING] = "retrying",
	[RUN_ENDING] = "ending",
	[RUN_GONE] = "gone",
};

_Static_assert(
	sizeof next_state == (size_t)RUN_STATES * RUN_EVENTS, "one cell per state and event");
_Static_assert(sizeof names / sizeof *names == RUN_STATES, "one name per state");

int run_state_next(enum run_state state, enum run_event event, enum run_state *ret)
{
	if (state >= RUN_STATES || event >= RUN_EVENTS || !next_state[state][event])
		return -EINVAL;
	*ret = (enum run_state)(next_state[state][event] - 1);
	return 0;
}

const char *run_state_name(enum run_state state)
{
	return names[state];
}
