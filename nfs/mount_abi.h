/* SPDX-License-Identifier: Apache-2.0 */
/* Mount constants newer than the oldest supported system headers. */
#pragma once

#include <sys/mount.h>

#ifndef MOVE_MOUNT_BENEATH
#define MOVE_MOUNT_BENEATH 0x00000200 /* linux/mount.h, 6.5 */
#endif
