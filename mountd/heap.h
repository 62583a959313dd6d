/* SPDX-License-Identifier: Apache-2.0 */
/* The heap's free memory, given back to the node. */
#pragma once

/* To be called when nothing is to be done; costs no system call unless much has become free. */
void heap_give_back(void);
