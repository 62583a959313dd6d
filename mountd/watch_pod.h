/* SPDX-License-Identifier: Apache-2.0 */
/* What we need to know of a pod, out of the much that it says. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "nfs/addr.h"

#define POD_NAME_MAX  253 /* RFC 1123 subdomain */
#define POD_ADDRS_MAX 8

enum pod_component {
	POD_OTHER,
	POD_SANDBOX,
	POD_RUNTIME,
};

enum pod_volume {
	VOLUME_NONE, /* no volume of that name */
	VOLUME_EMPTY_DIR,
	VOLUME_CLAIM,
	VOLUME_CSI, /* inline */
	VOLUME_UNSUPPORTED,
};

/* How a pod's containers use the volume. */
enum pod_use {
	USE_NONE,	 /* no container mounts it where it should be */
	USE_SUBPATH,	 /* one does so with a subPath */
	USE_PRIVATE,	 /* none of those receives mounts made later */
	USE_PROPAGATING, /* HostToContainer or Bidirectional */
};

struct pod {
	char *namespace; /* owned, as all texts; never NULL after parsing */
	char *name;
	char *uid;
	char *node;	   /* "": not scheduled */
	char *run;	   /* the label's value, unchecked; "": absent */
	char *agent_node;  /* "": absent */
	char *runtime_pod; /* the annotation, unchecked; "": absent */
	enum pod_component component;
	uint64_t version; /* resourceVersion; 0 where that is no number */
	time_t created;
	bool deleting; /* deletionTimestamp is set */
	bool started;  /* has an address of its own, so its volumes are in place */
	bool ended;    /* Succeeded, Failed, or no container will run again */
	struct addr host[POD_ADDRS_MAX];
	size_t n_host;
	uint32_t uid_number; /* runAsUser and runAsGroup; 0: not said */
	uint32_t gid_number;
	enum pod_volume volume; /* "sandbox" of a sandbox, "workspaces" of a runtime pod */
	char *volume_type;	/* the volume's kind as the pod spells it; "" for VOLUME_NONE */
	char *claim;		/* VOLUME_CLAIM: PersistentVolumeClaim's name, else "" */
	enum pod_use use;
	/* The condition as it stands; "" where there is none. */
	char *condition_status;
	char *condition_reason;
	char *condition_message;
	char *condition_since;
	/* Ours, not the pod's; monotonic milliseconds, 0: not seen to end. */
	uint64_t ending_since_ms;
};

/* -EBADMSG: not a pod with namespace, name and uid; -ENOMEM. *ret is zeroed before. */
int pod_from_json(const json_t *object, struct pod *ret);
void pod_clear(struct pod *pod);

/* metadata.resourceVersion, or "". Borrowed. */
const char *json_resource_version(const json_t *object);
