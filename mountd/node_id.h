/* SPDX-License-Identifier: Apache-2.0 */
/* This node's own unique name: NFS server scope and NFS client identifier. */
#pragma once

#include "mountd/base/kerr.h"

#define NODE_NAME_MAX 64

/*
 * A name derived from machine_id_path (normally /etc/machine-id) with a key of our own, so that it
 * tells nobody the machine's id. Never the host name: cloned machines share it, and two clients of
 * one name steal each other's state. -ENOENT, -EINVAL: no usable machine id, which *e explains.
 */
int node_name_derive(const char *machine_id_path, char name[NODE_NAME_MAX + 1], struct kerr *e);

/* What a node may be called: 1 to 64 characters of [A-Za-z0-9._-]. */
int node_name_check(const char *name);
