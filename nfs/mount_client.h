/* SPDX-License-Identifier: Apache-2.0 */
/* This node as an NFS client: the kernel's module, its name, its address. */
#pragma once

#include "nfs/actual.h"
#include "nfs/mount.h"

/*
 * Loads the kernel's NFSv4 client where it is missing, and gives it this node's name where it has
 * none: by default it is the host name, and two clients of one name take each other's locks.
 * A name that somebody else has set is left alone and described in fault. -ENODEV: no client in
 * this kernel; -ENOENT: sysfs does not show the client of this network namespace.
 */
int mount_client_prepare(const char *identifier, char *fault, size_t size, struct kerr *e);

/* Whether this kernel's client takes a mount option with that value. */
bool mount_client_knows(const char *option, const char *value);

/* The local address that the kernel uses towards server. -ENETUNREACH and alike: no route. */
int mount_client_address(
	const struct addr *server, uint16_t port, struct addr *ret, struct kerr *e);
