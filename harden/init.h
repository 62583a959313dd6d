/* SPDX-License-Identifier: Apache-2.0 */
/* A minimal init: forwards signals to its child, reaps everything, ends as the child ends. */
#pragma once

#include <stdbool.h>

#include "harden/fail.h"

/*
 * Forks. In the child: returns 0, with the signal mask as before and, when interactive, the
 * terminal; it is killed when the parent dies. In the parent: does not return, exits with the
 * child's status, or 128 + the signal that killed it. -errno and the reason when there is no child.
 */
int init_split(bool own_session, struct fail *f);
