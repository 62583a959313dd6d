/* SPDX-License-Identifier: Apache-2.0 */
/* Spec files in a directory as the source of what is desired; follows the directory by inotify. */
#pragma once

#include "mountd/base/kerr.h"
#include "mountd/desired.h"
#include "mountd/loop.h"

struct source_dir;

/*
 * Reads every "*.json" in the directory into desired and keeps it so; changed is called after
 * each batch that made a difference, not for the first reading. path and desired are borrowed.
 * -EPERM, as of the other functions: others than root could write the directory, and so decide
 * what is exported. While that is so nothing of it is read, and what was asked for stays.
 */
int source_dir_new(struct loop *loop, const char *path, struct desired *desired,
	void (*changed)(void *data), void *data, struct source_dir **ret, struct kerr *e);
void source_dir_free(struct source_dir *s);

/* Reads everything anew, also after the directory itself was replaced. */
int source_dir_rescan(struct source_dir *s, struct kerr *e);

/* Writes or removes one file and reads the change at once. Negative errno. */
int source_dir_write(struct source_dir *s, const char *name, const char *text, size_t size);
int source_dir_remove(struct source_dir *s, const char *name);

/* Writing in two: the file counts, and is read, once it is committed; else it is discarded. */
int source_dir_stage(struct source_dir *s, const char *name, const char *text, size_t size);
int source_dir_commit(struct source_dir *s, const char *name);
void source_dir_discard(struct source_dir *s, const char *name);

/* Why nothing in the directory is read now. False: it is. */
bool source_dir_fault(const struct source_dir *s, char *text, size_t size);

/* While held, changed is not called; afterwards once, if anything did change. */
void source_dir_hold(struct source_dir *s, bool hold);
