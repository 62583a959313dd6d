/* SPDX-License-Identifier: Apache-2.0 */
/* Mount constants newer than the oldest supported system headers. */
#pragma once

#include <stdint.h>
#include <sys/mount.h>

#ifndef MOVE_MOUNT_BENEATH
#define MOVE_MOUNT_BENEATH 0x00000200 /* linux/mount.h, 6.5 */
#endif
#ifndef STATX_MNT_ID_UNIQUE
#define STATX_MNT_ID_UNIQUE 0x00004000U /* linux/stat.h, 6.8 */
#endif
#ifndef SYS_statmount
#define SYS_statmount 457 /* 6.8, the same number everywhere */
#endif

/* linux/mount.h, 6.8: what statmount(2) is asked, and the beginning of its answer. */
struct statmount_question {
	uint32_t size;
	uint32_t spare;
	uint64_t mount_id; /* the unique one */
	uint64_t mask;
};
#define STATMOUNT_QUESTION_SIZE 24
_Static_assert(sizeof(struct statmount_question) == STATMOUNT_QUESTION_SIZE, "as in 6.8");

struct statmount_answer {
	uint32_t size;
	uint32_t spare0;
	uint64_t mask;
	uint64_t superblock[3];
	uint64_t mount_id;
	uint64_t parent_id;
	uint32_t old_mount_id;
	uint32_t old_parent_id;
	uint64_t attributes;
	uint64_t propagation; /* MS_SHARED, MS_SLAVE, MS_PRIVATE, MS_UNBINDABLE */
	uint64_t spare[64];
};
#define STATMOUNT_MOUNT 0x2U /* mount_id to propagation */
