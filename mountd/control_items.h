/* SPDX-License-Identifier: Apache-2.0 */
/* What the control socket tells about runs and the node, as JSON. */
#pragma once

#include <jansson.h>

#include "mountd/daemon.h"

/* New references, or NULL when memory is out. */
json_t *item_of(const struct run *run, bool everything);
json_t *status_of(const struct daemon *d);

/* Why the run is not in force: its own fault, or for an export the server's. May be NULL. */
const char *item_fault(const struct run *run, int *ret_error);
