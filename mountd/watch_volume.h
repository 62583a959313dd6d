/* SPDX-License-Identifier: Apache-2.0 */
/* Where a pod's volume lies on this node's disk. Nothing is looked at: it follows from the API. */
#pragma once

#include <limits.h>

#include "mountd/watch_fact.h"

struct volume_config {
	const char *kubelet_dir;  /* "/var/lib/kubelet" */
	const char *const *roots; /* where a hostPath volume may lie */
	size_t n_roots;
};

enum volume_outcome {
	VOLUME_FOUND,
	VOLUME_WAITING, /* something is not known or not there yet: why says what */
	VOLUME_REFUSED, /* never: why says so */
};

/* Told of every fact that the answer depends on. */
typedef void volume_need_fn(
	void *data, enum fact_kind kind, const char *namespace, const char *name);

struct volume_place {
	char volume[PATH_MAX]; /* trusted */
	char folder[PATH_MAX]; /* below it, not trusted; "." */
	const char *reason;    /* static, CamelCase; unless found */
	char why[512];
};

/* The volume that pod->volume describes; volume_name is what the pod calls it. */
enum volume_outcome volume_locate(const struct pod *pod, const char *volume_name,
	const struct volume_config *config, const struct facts *facts, volume_need_fn *need,
	void *data, struct volume_place *ret);
