/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The record of what this node has put, or is about to put, into the kernel: one spec a file,
 * written before the deed and removed after its undoing. It outlives the daemon, so that
 * what was attached and is no longer wished for is found and ended.
 */
#pragma once

#include "mountd/base/kerr.h"
#include "mountd/spec.h"

/* All three work in the open directory dir. Negative errno. */
int attached_add(int dir, const struct spec *spec);
int attached_remove(int dir, const struct spec *spec); /* absent is fine */

/*
 * Calls found with each record, which becomes the callee's; negative errno of it ends this. Damaged
 * records are removed. One that cannot be read now fails the whole: what it tells of would never be
 * ended.
 */
int attached_load(int dir, int (*found)(void *data, struct spec *spec), void *data, struct kerr *e);
