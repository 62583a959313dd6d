/* SPDX-License-Identifier: Apache-2.0 */
/* Configuration files: "key = value" lines, '#' comments, the keys of the long options. */
#pragma once

#include <stddef.h>

#include "harden/fail.h"
#include "harden/policy.h"

#define CONFIG_DIR "/etc/kora/launch.d"

/* Apply a text; name is for messages ("name:line: ..."). -EINVAL and the reason, -ENOMEM. */
int config_parse(struct policy *p, const char *name, const char *text, size_t len, struct fail *f);

/*
 * Read what the policy names: a path, or the name of a file in CONFIG_DIR; with no name every
 * *.conf of CONFIG_DIR in the order of names, a later file's single values winning.
 * -ENOENT (named and missing), -EPERM (writable by others), -EFBIG, -EINVAL, -ENOMEM.
 */
int config_load(struct policy *p, struct fail *f);
