/* SPDX-License-Identifier: Apache-2.0 */
/* A run as the planner sees it: what it is, and what is known of its server. */
#pragma once

#include "mountd/daemon.h"

/* A server that runs goes on with a former daemon's answers until ours replace them. */
bool former_answers(const struct daemon *d);

/* Borrows from the run. */
struct reconcile_view view_of(const struct daemon *d, const struct run *run);
