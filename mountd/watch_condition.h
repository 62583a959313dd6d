/* SPDX-License-Identifier: Apache-2.0 */
/* What a sandbox pod is told of its mount: pure, from the verdict and what the daemon says. */
#pragma once

#include "mountd/watch_link.h"
#include "mountd/watch_wishes.h"

struct condition {
	const char *status; /* "True" or "False" */
	const char *reason; /* static, CamelCase */
	char message[1024];
};

/* What is worth an Event. */
enum happening {
	HAPPENED_NOTHING,
	HAPPENED_EXPORTED,
	HAPPENED_MOUNTED,
	HAPPENED_UNMOUNTED,
	HAPPENED_REFUSED,
	HAPPENED_FAILED,
	HAPPENED_LOST,	     /* was there, and is not */
	HAPPENED_FORCED_OFF, /* … since its server does not answer */
	HAPPENED_STALE,	     /* … since its server answers, and has it no more */
	HAPPENED_TIMED_OUT,
	HAPPENINGS,
};

/*
 * run is the daemon's of that name and role, or NULL. current: the daemon knows all that is wanted,
 * and said so after that. Returns false when the pod is to be told nothing, by now or by this node.
 */
bool condition_find(
	const struct verdict *v, const struct link_run *run, bool current, struct condition *ret);

/* was_ready: its mount was there once. waited_ms: since it was first heard of. */
enum happening happening_find(const struct verdict *v, const struct link_run *run, bool was_ready,
	uint64_t waited_ms, char *message, size_t size);

/* "SandboxMounted"; "Normal" or "Warning". */
const char *happening_reason(enum happening h, enum role role);
const char *happening_type(enum happening h);

/* When a mount that is not there is worth a word, as long as `wait` waits. */
#define MOUNT_PATIENCE_MS 60000
