/* SPDX-License-Identifier: Apache-2.0 */
/* Other programs that answer the kernel's NFS server on the channels that we use. */
#pragma once

#include "mountd/base/kerr.h"

/*
 * Looks for rpc.mountd, nfsdcld and their like in this network namespace and describes the first
 * found in text ("rpc.mountd (process 812)"). Sees the processes of the caller's own pid namespace
 * only: none found proves nothing in a container without the host's. Returns 1 or 0; negative errno
 * where one cannot be looked at, which *e names.
 */
int foreign_answerer(char *text, size_t size, struct kerr *e);
