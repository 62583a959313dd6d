/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What nfsd was last started with by us, in <runtime_dir>/nfsd.started: tells our listeners of a
 * former configuration from somebody else's. Gone with the boot, as nfsd's own state is.
 */
#pragma once

#include "nfs/export.h"
#include "nfs/listeners.h"

/* Pure: the record of a start with config, one "word value" a line. To be freed; NULL: no memory.
 */
char *server_record_text(const struct exporter_config *config);

/* Pure: adds the listeners that a record tells of; what is malformed is skipped. */
void server_record_listeners(const char *record, struct listeners *to);

/* *ret is NULL where there is none. */
void server_record_read(const char *runtime_dir, char **ret);
int server_record_write(const struct exporter_config *config, struct kerr *e);
void server_record_remove(const char *runtime_dir);
