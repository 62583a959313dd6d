/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as mountinfo: parsed or refused, and every question about the result ends. */
#include "nfs/actual.h"

#include <stdlib.h>
#include <string.h>

#include "nfs/mount_options.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct actual_mounts mounts;
	struct run_id id;
	struct addr server;
	uint16_t port;
	char fault[32];

	if (actual_mounts_parse((const char *)data, size, &mounts) < 0)
		return 0;
	for (size_t i = 0; i < mounts.n; i++) {
		const struct actual_mount *m = &mounts.list[i];
		const struct actual_mount *at = actual_mounts_at(&mounts, m->target);
		if (at && strcmp(at->target, m->target) != 0)
			abort();
		(void)actual_mounts_marker_of(&mounts, m);
		(void)actual_mount_is_marker(m, NULL);
		if (actual_mount_is_ours(m, &id, &server, &port))
			(void)mount_options_compare(m->options, &server, port, fault, sizeof fault);
	}
	actual_mounts_clear(&mounts);
	return 0;
}
