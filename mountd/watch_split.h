/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cuts a stream of JSON into objects as its bytes come in, never holding more than one of them:
 * the events of a watch, or the items of a list whose frame is kept apart. Bookkeeping that nobody
 * reads (managedFields, more than half of a pod) is replaced by null before it takes memory.
 * Whether an object is well-formed is for its parser to say.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* No pod is longer: etcd refuses objects over 1.5 MiB, and escapes make at most six of one byte. */
#define SPLIT_OBJECT_MAX (10U << 20)
#define SPLIT_FRAME_MAX	 65536

enum split_kind {
	SPLIT_EVENTS, /* objects one after the other */
	SPLIT_LIST,   /* one object, whose "items" are the objects */
};

/* text is NUL-terminated and ours. Negative errno ends the splitting. */
typedef int split_fn(void *data, const char *text, size_t size);

struct split;

int split_new(enum split_kind kind, size_t max, split_fn *fn, void *data, struct split **ret);
void split_free(struct split *s);

/* -EMSGSIZE: an object or the frame is too long; -EBADMSG: no JSON; -ENOMEM; or what fn gave. */
int split_feed(struct split *s, const char *bytes, size_t size);

/* Is nothing half there? Of a list: has its end been seen? */
bool split_is_whole(const struct split *s);

/* SPLIT_LIST: the document without its items; NUL-terminated, borrowed. */
const char *split_frame(const struct split *s, size_t *ret_size);
