/* SPDX-License-Identifier: Apache-2.0 */
/* The life of one run in one role, as a table of states and events. */
#pragma once

enum run_state {
	RUN_PENDING,  /* wished for, not begun */
	RUN_WORKING,  /* the first attempt is under way */
	RUN_READY,    /* in force */
	RUN_RETRYING, /* failed at least once, tried again and again */
	RUN_ENDING,   /* no longer wished for, being taken down */
	RUN_GONE,     /* nothing is left of it */
	RUN_STATES,
};

enum run_event {
	EVENT_WISH,	  /* wished for anew, or otherwise than before */
	EVENT_UNWISH,	  /* no longer wished for */
	EVENT_START,	  /* an attempt begins */
	EVENT_DONE,	  /* the attempt has put the wish into force */
	EVENT_FAIL,	  /* the attempt failed */
	EVENT_LOST,	  /* what was in force is gone without our doing */
	EVENT_TAKEN_DOWN, /* nothing is left of what was in force */
	RUN_EVENTS,
};

/* Every state takes every event. -EINVAL: no such state or event. */
int run_state_next(enum run_state state, enum run_event event, enum run_state *ret);

const char *run_state_name(enum run_state state);
