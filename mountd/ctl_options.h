/* SPDX-License-Identifier: Apache-2.0 */
/* The table of options that parsing and help share. */
#pragma once

#include "mountd/ctl.h"

/* A setter returns NULL, or static text that completes "--name 'value' …". */
struct ctl_option {
	const char *name;
	const char *argument; /* NULL: none */
	char letter;	      /* 0: none */
	bool repeats;
	const char *help;
	const char *(*set)(struct ctl_args *args, char *value);
};

#define CTL_N_OPTIONS	   18
#define CTL_ALWAYS_ALLOWED (CTL_OPT_OUTPUT | CTL_OPT_HELP | CTL_OPT_VERSION)

/* In the order of enum ctl_option_bit, which is also the order of the help. */
extern const struct ctl_option ctl_options[CTL_N_OPTIONS];
