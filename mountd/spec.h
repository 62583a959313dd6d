/* SPDX-License-Identifier: Apache-2.0 */
/* Specs: what a node is asked to do, as JSON (docs/specs.md). */
#pragma once

#include <jansson.h>
#include <stddef.h>

#include "nfs/run.h"

#define SPEC_SIZE_MAX 65536 /* bytes of a spec file; the control socket's packets are as long */

enum role {
	ROLE_EXPORT,
	ROLE_MOUNT, /* or bind */
};

struct spec {
	enum role role;
	union {
		struct export export;
		struct mount mount;
	};
};

struct spec_fault {
	char field[64]; /* key concerned; empty: the document itself */
	char message[256];
};

/*
 * Parses one whole spec. -EINVAL: refused, *fault says which key and why, *ret is untouched;
 * -ENOMEM.
 */
int spec_parse(const char *text, size_t size, struct spec *ret, struct spec_fault *fault);
int spec_from_json(const json_t *object, struct spec *ret, struct spec_fault *fault);

/* A new reference, or NULL when memory is out. What it gives, spec_from_json() takes. */
json_t *spec_to_json(const struct spec *spec);

/* "folder: …", or the message alone. */
void spec_fault_format(const struct spec_fault *fault, char *text, size_t size);

const struct run_id *spec_id(const struct spec *spec);
bool spec_equal(const struct spec *a, const struct spec *b);
int spec_copy(const struct spec *from, struct spec *ret); /* -ENOMEM */
void spec_clear(struct spec *spec);

/* "export", "mount" or "bind". */
const char *spec_kind(const struct spec *spec);
