/* SPDX-License-Identifier: Apache-2.0 */
/* Doing file operations as a folder's owner. */
#pragma once

#include <sys/types.h>

struct identity {
	uid_t uid;
	gid_t gid;
};

/*
 * Shared storage may squash root: there the owner may what root may not. File operations are the
 * owner's until resume_identity(), and still stopped by no permission where root counts.
 * -ENOMEM: nothing has changed.
 */
int become_owner(uid_t uid, gid_t gid, struct identity *ret_before);
void resume_identity(struct identity before);
