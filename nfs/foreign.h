/* SPDX-License-Identifier: Apache-2.0 */
/* Other programs that answer the kernel's NFS server on the channels that we use. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/*
 * Looks for rpc.mountd, nfsdcld and their like in this network namespace and describes the first
 * found in text ("rpc.mountd (process 812)"). Sees the processes of the caller's own pid namespace
 * only: false proves nothing in a container without the host's.
 */
bool foreign_answerer(char *text, size_t size);
