/* SPDX-License-Identifier: Apache-2.0 */
/* What the planner is shown: wishes and what is there, of the run "demo". */
#pragma once

#include <stdio.h>

#include "mountd/reconcile.h"

static inline struct spec export_spec(const char *incarnation, char *folder)
{
	struct spec s = {.role = ROLE_EXPORT};

	s.export =
		(struct export){.id = {"demo", ""}, .volume = "/srv", .folder = folder, .uid = 1};
	(void)snprintf(s.export.id.incarnation, sizeof s.export.id.incarnation, "%s", incarnation);
	return s;
}

static inline struct spec mount_spec(const char *incarnation, char *volume, unsigned char server)
{
	struct spec s = {.role = ROLE_MOUNT};

	s.mount = (struct mount){.id = {"demo", ""},
		.kind = MOUNT_NFS,
		.server = {AF_INET, {10, 0, 0, server}},
		.port = 20490,
		.volume = volume,
		.uid = 1};
	(void)snprintf(s.mount.id.incarnation, sizeof s.mount.id.incarnation, "%s", incarnation);
	return s;
}

static inline struct step plan(const struct reconcile_view *v)
{
	struct reconcile_slots slots = {0};

	return reconcile(v, &slots, 1000);
}

#define HELD(spec, is_served) \
	((struct held_export){.export = (spec).export, .served = (is_served), .folder = -1})
#define EXPORT(...) ((struct reconcile_view){.role = ROLE_EXPORT, __VA_ARGS__})
#define MOUNT(...)  ((struct reconcile_view){.role = ROLE_MOUNT, __VA_ARGS__})
