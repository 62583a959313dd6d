/* SPDX-License-Identifier: Apache-2.0 */
/* From pods to what this node has to do: a pure function of what is known, with its reasons. */
#pragma once

#include "mountd/spec.h"
#include "mountd/watch_volume.h"

struct wishes_config {
	const char *node; /* this node's name */
	struct volume_config volumes;
	uint16_t port;		    /* of the other nodes' servers */
	bool cross_namespace;	    /* a sandbox may name a runtime pod of another namespace */
	uint64_t unexport_grace_ms; /* how long an ending sandbox waits for its agent to unmount */
};

struct wishes_input {
	const struct wishes_config *config;
	const struct pod *const *pods; /* sandbox pods that concern this node, and its own pods */
	size_t n_pods;
	const struct facts *facts;
	uint64_t now_ms; /* the clock of pod->ending_since_ms */
};

enum verdict_kind {
	VERDICT_ELSEWHERE, /* not this node's business */
	VERDICT_WISHED,	   /* there is a spec for it */
	VERDICT_WAITING,   /* something is missing yet */
	VERDICT_REFUSED,   /* never, as it stands */
	VERDICT_ENDING,	   /* the sandbox or its agent is going: no spec, or for a bounded time */
};

struct verdict {
	const struct pod *pod; /* a sandbox; borrowed */
	enum verdict_kind kind;
	enum role role;
	bool tells;	    /* this node is the one to set the pod's condition */
	const char *reason; /* static, CamelCase */
	char message[512];
};

struct need {
	enum fact_kind kind;
	char namespace[NAME_MAX_LENGTH + 1];
	char name[POD_NAME_MAX + 1];
};

struct wishes {
	struct spec *specs; /* at most one for each run and role */
	size_t n_specs;
	struct verdict *verdicts; /* one for each sandbox pod that concerns this node */
	size_t n_verdicts;
	struct need *needs; /* with duplicates */
	size_t n_needs, room_needs;
	uint64_t wake_ms; /* when time alone changes the answer; UINT64_MAX: never */
};

/* -ENOMEM. */
int wishes_find(const struct wishes_input *in, struct wishes *ret);
void wishes_clear(struct wishes *w);

/* Something depends on a fact that nobody has looked up: the specs do not say everything. */
bool wishes_are_partial(const struct wishes *w, const struct facts *facts);
