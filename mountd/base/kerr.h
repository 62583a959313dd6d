/* SPDX-License-Identifier: Apache-2.0 */
/* What a kernel operation failed at: errno, the stage it had reached, and the thing it concerned.
 */
#pragma once

#include <stddef.h>

struct kerr {
	int error;	   /* negative errno; 0 = nothing failed */
	const char *stage; /* static text in the infinitive: "open target", "write portlist" */
	char subject[256]; /* path, address or name concerned; cut when longer; may be empty */
	char detail[256];  /* why, and what to do about it; may be empty */
};

/*
 * Fills *e (which may be NULL) and returns error, so that a failure is one line:
 *	return kerr_set(e, -errno, "open target", path, "symlink below %s", volume);
 * subject and detail_format may be NULL. Both are copied.
 */
int kerr_set(struct kerr *e, int error, const char *stage, const char *subject,
	const char *detail_format, ...) __attribute__((format(printf, 5, 6)));
/* In plain sight, what comes back is what went in: static analysis sees that a failure is one. */
#define kerr_set(e, error, ...) \
	({ \
		int kerr_error_ = (error); \
		(void)(kerr_set)((e), kerr_error_, __VA_ARGS__); \
		kerr_error_; \
	})

/* "open target /workspaces/r1/sandbox: Too many levels of symbolic links (symlink below …)" */
void kerr_format(const struct kerr *e, char *text, size_t size);
