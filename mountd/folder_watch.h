/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sees that folders are deleted that this node exports or binds: nobody tells of it. One worker
 * looks at all together, every 10 s while there are any, or every 20 ms for each where they are
 * more than 500.
 */
#pragma once

struct daemon;
struct folder_watch;

/* Negative errno. */
int folder_watch_new(struct daemon *d, struct folder_watch **ret);
void folder_watch_free(struct folder_watch *w);

/* Begins to look once there is something to look at. To be called with every plan. */
void folder_watch_match(struct folder_watch *w);
