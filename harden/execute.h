/* SPDX-License-Identifier: Apache-2.0 */
/* The last step: become the program, or say precisely why not. */
#pragma once

#include "harden/fail.h"

#define EXIT_TIMEOUT 124
#define EXIT_POSTURE 125
#define EXIT_NOEXEC  126
#define EXIT_MISSING 127

/* Searches PATH of env as shells do. Returns only on failure: the exit status and the reason. */
int execute(char *const *argv, char *const *env, struct fail *f);
