/* SPDX-License-Identifier: Apache-2.0 */
/* Small files below a directory: read whole, written whole. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

/*
 * Root's, or the caller's own user's, and no group or anybody else may write it: nobody else
 * decides what is in it.
 */
bool file_is_trusted(const struct stat *st);

/*
 * Reads a regular file of at most max bytes; *ret is allocated, and ends with a NUL beyond size.
 * -EFBIG: longer; -EINVAL: not a regular file.
 */
int file_read(int dir, const char *name, size_t max, char **ret, size_t *ret_size);

/* The same of a file, wherever a link leads, that is trusted. -EPERM: it is not. */
int file_read_trusted(int dir, const char *name, size_t max, char **ret, size_t *ret_size);

/* Does that error lie in the file itself, and not in want of memory, descriptors or a sound disk?
 */
bool file_is_unfit(int error);

/* Replaces the file in one step, by way of ".<name>.new", with mode 0600. */
int file_write(int dir, const char *name, const char *text, size_t size);

/* The same in two: what is staged counts only once it is committed. Negative errno. */
int file_stage(int dir, const char *name, const char *text, size_t size);
int file_commit(int dir, const char *name);
void file_discard(int dir, const char *name);
/* Of all ".<name>.json.new", staged by a process that is no more. What cannot be removed stays. */
void file_discard_all(int dir);
