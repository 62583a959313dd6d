/* SPDX-License-Identifier: Apache-2.0 */
/* The command line. */
#pragma once

#include <stdio.h>

#include "harden/fail.h"
#include "harden/policy.h"

/*
 * Two passes, since files come before options: find --config, --help and --version first, then,
 * after the files were read, apply everything. The values are checked in both passes.
 * ret_program: index in argv of the program's name (argc when there is none).
 * -EINVAL and the reason; -ENOMEM.
 */
int options_early(struct policy *p, int argc, char **argv, int *ret_program, struct fail *f);
int options_apply(struct policy *p, int argc, char **argv, struct fail *f);

void options_help(FILE *out);
