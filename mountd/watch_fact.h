/* SPDX-License-Identifier: Apache-2.0 */
/* Facts beside the pods that a wish depends on: claims, volumes, nodes. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "mountd/base/parse.h"
#include "mountd/watch_pod.h"

enum fact_kind {
	FACT_CLAIM,
	FACT_VOLUME,
	FACT_NODE,
};

enum fact_state {
	FACT_UNKNOWN, /* not looked at yet */
	FACT_FAILED,  /* looked at in vain */
	FACT_ABSENT,  /* there is none */
	FACT_KNOWN,
};

struct fact {
	enum fact_kind kind;
	char namespace[NAME_MAX_LENGTH + 1]; /* of a claim, else "" */
	char name[POD_NAME_MAX + 1];
	enum fact_state state;
	/* What is known of it; texts are owned, "" or NULL: not said. */
	char *volume;			  /* a claim's bound volume */
	char *type;			  /* a volume's kind: "hostPath", "csi", … */
	char *path;			  /* … and the path of hostPath */
	struct addr addrs[POD_ADDRS_MAX]; /* a node's own */
	size_t n_addrs;
	/* For whoever looks it up. */
	uint64_t wanted_ms; /* last asked for */
	uint64_t due_ms;    /* to be looked up (again) */
	unsigned failures;
	bool busy;
};

/* Sorted by kind, namespace, name. */
struct facts {
	struct fact **list;
	size_t n;
	size_t room;
};

struct fact *facts_find(
	const struct facts *f, enum fact_kind kind, const char *namespace, const char *name);
/* Can an object have these names? namespace may be "". */
bool fact_can_be(const char *namespace, const char *name);
/* NULL: -ENOMEM, or a name that no object can have. */
struct fact *facts_find_or_add(
	struct facts *f, enum fact_kind kind, const char *namespace, const char *name);
void facts_drop(struct facts *f, size_t at);
void facts_clear(struct facts *f);

/* Reads what the API server says of it: FACT_KNOWN. -EBADMSG: another object; -ENOMEM. */
int fact_read(struct fact *fact, const json_t *object);
