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

#ifndef SYS_listmount
#define SYS_listmount 458 /* likewise */
#endif

/* linux/mount.h, 6.8: what statmount(2) and listmount(2) are asked. */
struct statmount_question {
	uint32_t size;
	uint32_t spare;
	uint64_t mount_id; /* the unique one; of listmount() that of which the list is what is below
			    */
	uint64_t mask;	   /* of listmount() the id after which it begins */
};
#define LISTMOUNT_ROOT		UINT64_MAX /* below this process's root */
#define STATMOUNT_QUESTION_SIZE 24
_Static_assert(sizeof(struct statmount_question) == STATMOUNT_QUESTION_SIZE, "as in 6.8");

/* The beginning of statmount()'s answer. */
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
	uint64_t peers[3];
	uint32_t root; /* these two: where in text */
	uint32_t target;
	uint64_t spare[50];
	char text[];
};
_Static_assert(sizeof(struct statmount_answer) == 512, "as in 6.8");
#define STATMOUNT_MOUNT	 0x2U  /* mount_id to propagation */
#define STATMOUNT_TARGET 0x10U /* target */
