/* SPDX-License-Identifier: Apache-2.0 */
/* Does an NFS server answer? Asked of the server itself, on a connection of its own, never of a
 * mount. */
#pragma once

#include "mountd/base/kerr.h"
#include "nfs/addr.h"

/*
 * Connects to server:port and makes one NULL call of NFSv4 (RFC 7530, section 15.1), each within
 * timeout_ms. For a worker process: it blocks twice that long at most.
 *
 * -ETIMEDOUT: no answer in time; -ECONNREFUSED, -EHOSTUNREACH, -ENETUNREACH: as connect(2);
 * -EPROTO: something answers there that is not an NFSv4 server.
 */
int probe_server(const struct addr *server, uint16_t port, int timeout_ms, struct kerr *e);
