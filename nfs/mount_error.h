/* SPDX-License-Identifier: Apache-2.0 */
/* What an errno of a mount operation means to an operator. */
#pragma once

#include "nfs/run.h"

/* Static text for what mount(2) of m answered, or NULL where the errno says it all. */
const char *mount_error_hint(int error);

/*
 * " (AppArmor confines this process: …)" into text when a security module may be what refused;
 * empty otherwise. Reads this process's own label only.
 */
void mount_error_lsm(char *text, size_t size);
