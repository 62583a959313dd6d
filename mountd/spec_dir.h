/* SPDX-License-Identifier: Apache-2.0 */
/* A directory of spec files, read into what is desired. */
#pragma once

#include "mountd/base/kerr.h"
#include "mountd/desired.h"

/*
 * -EPERM: others than root could write it, and so decide what is exported: nothing of it is to be
 * read. Else as fstat(2).
 */
int spec_dir_check(int dir, const char *path, struct kerr *e);

/* "*.json", but for names that begin with a dot. */
bool spec_dir_has_name(const char *name);

/*
 * 1: something has changed, 0: all as before, or negative errno. What is wrong with a file, such as
 * that others than root may write it, is its fault in desired, and logged.
 */
int spec_dir_read(int dir, struct desired *desired, const char *name);
int spec_dir_scan(int dir, struct desired *desired);
