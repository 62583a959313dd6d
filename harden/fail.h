/* SPDX-License-Identifier: Apache-2.0 */
/* Why a step could not be done, in words for the operator. */
#pragma once

struct fail {
	char text[768];
};

/* Fills f (NULL: dropped) and returns -err, so that a caller can return it at once. */
int fail_set(struct fail *f, int err, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
