/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One round of looks at the mounts of one server, in a worker that may hang at any of them: it
 * leaves what it has seen in memory that the daemon shares, so that what it did not come to is
 * known to be unknown.
 */
#pragma once

#include "mountd/run.h"

enum look {
	LOOK_NOT,	/* not begun */
	LOOK_UNDER_WAY, /* once the worker has ended: it hung there */
	LOOK_ANSWERS,
	LOOK_REFUSED, /* the server answers that it does not serve it */
	LOOK_UNKNOWN, /* another mount is there by now, or another error */
};

struct look_at {
	char run[NAME_MAX_LENGTH + 1];
	uint64_t mount_id;
	const char *at; /* borrowed until the worker has begun */
};

struct mount_looks {
	struct look_at *list;
	size_t n;
	unsigned char *seen; /* enum look for each; shared */
};

/*
 * server's mounts in force; doubted: those alone that were refused when they were looked at last.
 * Begins with the run whose name comes after that one, and goes round. -ENOMEM, -EAGAIN and others
 * of mmap(2). To be cleared also when none is found.
 */
int mount_looks_new(const struct runs *runs, const struct addr *server, uint16_t port, bool doubted,
	const char *after, struct mount_looks *ret);
void mount_looks_clear(struct mount_looks *looks);

/* In the worker, with mount_look(): until all are looked at, or the monotonic time is over. */
typedef int mount_look_fn(const char *path, uint64_t mount_id);
void mount_looks_run(const struct mount_looks *looks, mount_look_fn *look, uint64_t until_ms);

struct looks_seen {
	size_t looked;		 /* at so many */
	bool all;		 /* all were looked at */
	bool doubts;		 /* some was refused for the first time in a row */
	const char *last, *hung; /* the run that was looked at last, and where it hung; or NULL */
};

/* Takes in what the worker has seen; refused is called for a mount that was twice in a row. */
struct looks_seen mount_looks_take(
	const struct mount_looks *looks, const struct runs *runs, void (*refused)(struct run *run));
