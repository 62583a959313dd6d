/* SPDX-License-Identifier: Apache-2.0 */
/* The NFS mount options: asked for, and compared with what the kernel says is in force. Pure. */
#pragma once

#include <stddef.h>
#include <sys/mount.h>

#include "nfs/actual.h"

/*
 * mount(2)'s data; its flags are MOUNT_OPTIONS_FLAGS. all_attributes: every page of a directory is
 * asked for with its files' attributes. *ret is owned; -ENOMEM.
 */
#define MOUNT_OPTIONS_FLAGS (MS_NOSUID | MS_NODEV | MS_NOATIME)
int mount_options_nfs(const struct addr *server, uint16_t port, const struct addr *client,
	bool all_attributes, char **ret);

enum options_match {
	OPTIONS_MATCH,
	OPTIONS_DIFFER, /* works, but is not tuned as wanted */
	OPTIONS_WRONG,	/* not to be used: another protocol, soft, or without nosuid or nodev */
};

/*
 * Compares in_force (as struct actual_mount's options) with what is wanted. What differs is
 * listed in fault, as wanted, separated by commas and cut to size; empty on OPTIONS_MATCH.
 */
enum options_match mount_options_compare(
	const char *in_force, const struct addr *server, uint16_t port, char *fault, size_t size);
