/* SPDX-License-Identifier: Apache-2.0 */
/* Looking at every name in a tree made by somebody hostile. */
#pragma once

#include <dirent.h>
#include <stdbool.h>

/* For each entry of a directory that is open as fd; it may be told twice. false ends the walk. */
typedef bool tree_fn(int fd, const struct dirent *entry, void *data);

/*
 * Walks the tree below folder, following no link. 0: to its end, or until fn said so. A negative
 * errno says nothing of the rest: -EOVERFLOW: too many entries; else of reading the tree.
 */
int tree_walk(int folder, tree_fn *fn, void *data);
