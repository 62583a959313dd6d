/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The node key: 32 random bytes in <state_dir>/node.key, the only secret on disk. Made on the
 * very first start and never again: a new key would silently be a new identity, and every mount
 * of this node's exports would go stale. That the node has served before is told by
 * <state_dir>/node.id, the key's fingerprint, or by client names in <state_dir>/clients.
 */
#pragma once

#include "mountd/base/kerr.h"
#include "nfs/fsid.h"

/*
 * -ENOKEY: the node has served before, and the key is missing, short, readable or writable by
 * others than its owner, or not the one it served with; nothing was written, and *e says what to
 * do. Otherwise the errno of the file operation that failed.
 */
int node_key_load(const char *state_dir, unsigned char ret[FSID_KEY_SIZE], struct kerr *e);
