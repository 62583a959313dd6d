/* SPDX-License-Identifier: Apache-2.0 */
/* A pod as JSON, reduced to what we need to know of it. */
#include "mountd/watch_pod.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "mountd/base/cleanup.h"
#include "mountd/base/parse.h"
#include "mountd/watch_contract.h"

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

const char *json_resource_version(const json_t *object)
{
	return text_of(json_object_get(object, "metadata"), "resourceVersion");
}

static bool is(const json_t *object, const char *key, const char *value)
{
	return strcmp(text_of(object, key), value) == 0;
}

void pod_clear(struct pod *p)
{
	char **texts[] = {&p->namespace, &p->name, &p->uid, &p->node, &p->run, &p->agent_node,
		&p->runtime_pod, &p->volume_type, &p->claim, &p->condition_status,
		&p->condition_reason, &p->condition_message, &p->condition_since};

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		free(*texts[i]);
	*p = (struct pod){0};
}

static int copy(char **to, const char *text)
{
	if (*to)
		free(*to);
	*to = strdup(text);
	return *to ? 0 : -ENOMEM;
}

static time_t time_of(const char *text)
{
	struct tm tm = {0};
	const char *end = strptime(text, "%Y-%m-%dT%H:%M:%S", &tm);

	return end ? timegm(&tm) : 0;
}

static int read_metadata(const json_t *metadata, struct pod *p)
{
	const json_t *labels = json_object_get(metadata, "labels");
	const json_t *annotations = json_object_get(metadata, "annotations");
	int r = copy(&p->namespace, text_of(metadata, "namespace"));

	if (r == 0)
		r = copy(&p->name, text_of(metadata, "name"));
	if (r == 0)
		r = copy(&p->uid, text_of(metadata, "uid"));
	if (r == 0)
		r = copy(&p->run, text_of(labels, LABEL_RUN));
	if (r == 0)
		r = copy(&p->agent_node, text_of(labels, LABEL_AGENT_NODE));
	if (r == 0)
		r = copy(&p->runtime_pod, text_of(annotations, ANNOTATION_RUNTIME_POD));
	if (r < 0)
		return r;
	if (!*p->namespace || !*p->name || !*p->uid || strlen(p->namespace) > NAME_MAX_LENGTH ||
		strlen(p->name) > POD_NAME_MAX || strlen(p->uid) > NAME_MAX_LENGTH)
		return -EBADMSG;
	p->component = is(labels, LABEL_COMPONENT, COMPONENT_SANDBOX)	? POD_SANDBOX
		       : is(labels, LABEL_COMPONENT, COMPONENT_RUNTIME) ? POD_RUNTIME
									: POD_OTHER;
	p->created = time_of(text_of(metadata, "creationTimestamp"));
	p->deleting = json_is_string(json_object_get(metadata, "deletionTimestamp"));
	if (parse_unsigned(text_of(metadata, "resourceVersion"), 0, UINT64_MAX, &p->version) < 0)
		p->version = 0;
	return 0;
}

static const json_t *find_named(const json_t *list, const char *key, const char *name)
{
	for (size_t i = 0; i < json_array_size(list); i++)
		if (is(json_array_get(list, i), key, name))
			return json_array_get(list, i);
	return NULL;
}

/* A volume has a name and one more key, which is its kind. */
static int read_volume(const json_t *spec, const char *name, struct pod *p)
{
	const json_t *volume = find_named(json_object_get(spec, "volumes"), "name", name);
	const char *key;
	json_t *value;
	int r = copy(&p->volume_type, "");

	if (r == 0)
		r = copy(&p->claim, "");
	if (!volume || r < 0)
		return r;
	p->volume = VOLUME_UNSUPPORTED;
	json_object_foreach((json_t *)volume, key, value) {
		if (strcmp(key, "name") == 0)
			continue;
		r = copy(&p->volume_type, key);
		if (strcmp(key, "emptyDir") == 0) {
			p->volume = VOLUME_EMPTY_DIR;
		} else if (strcmp(key, "csi") == 0) {
			p->volume = VOLUME_CSI;
		} else if (strcmp(key, "persistentVolumeClaim") == 0) {
			p->volume = VOLUME_CLAIM;
			r = copy(&p->claim, text_of(value, "claimName"));
		} else if (strcmp(key, "ephemeral") == 0) {
			/* The claim that is made for it has the pod's name and the volume's. */
			char claim[2 * POD_NAME_MAX + 2];

			p->volume = VOLUME_CLAIM;
			(void)snprintf(claim, sizeof claim, "%s-%s", p->name, name);
			r = copy(&p->claim, claim);
		}
		if (r < 0)
			return r;
	}
	return 0;
}

static enum pod_use use_of(const json_t *mount, const char *path)
{
	const char *at = text_of(mount, "mountPath");
	size_t n = strlen(at);

	while (n > 1 && at[n - 1] == '/')
		n--;
	if (path && (strlen(path) != n || strncmp(at, path, n) != 0))
		return USE_NONE;
	if (*text_of(mount, "subPath") || *text_of(mount, "subPathExpr"))
		return USE_SUBPATH;
	return is(mount, "mountPropagation", "HostToContainer") ||
			       is(mount, "mountPropagation", "Bidirectional")
		       ? USE_PROPAGATING
		       : USE_PRIVATE;
}

static uint32_t id_of(const json_t *context, const char *key, uint32_t otherwise)
{
	const json_t *value = json_object_get(context, key);
	json_int_t n = json_integer_value(value);

	return json_is_integer(value) && n > 0 && n < UINT32_MAX ? (uint32_t)n : otherwise;
}

/* The container that counts is the first that uses the volume best. */
static void read_containers(
	const json_t *containers, const char *volume, const char *path, struct pod *p)
{
	for (size_t i = 0; i < json_array_size(containers); i++) {
		const json_t *container = json_array_get(containers, i);
		const json_t *context = json_object_get(container, "securityContext");
		const json_t *mounts = json_object_get(container, "volumeMounts");

		for (size_t j = 0; j < json_array_size(mounts); j++) {
			const json_t *mount = json_array_get(mounts, j);
			enum pod_use use =
				is(mount, "name", volume) ? use_of(mount, path) : USE_NONE;

			if (use <= p->use)
				continue;
			p->use = use;
			p->uid_number = id_of(context, "runAsUser", p->uid_number);
			p->gid_number = id_of(context, "runAsGroup", p->gid_number);
		}
	}
}

static int read_spec(const json_t *spec, struct pod *p)
{
	bool runtime = p->component == POD_RUNTIME;
	const char *volume = runtime ? VOLUME_WORKSPACES : VOLUME_SANDBOX;
	const json_t *context = json_object_get(spec, "securityContext");
	int r = copy(&p->node, text_of(spec, "nodeName"));

	if (r == 0)
		r = read_volume(spec, volume, p);
	if (r < 0)
		return r;
	p->uid_number = id_of(context, "runAsUser", 0);
	p->gid_number = id_of(context, "runAsGroup", id_of(context, "fsGroup", 0));
	read_containers(
		json_object_get(spec, "containers"), volume, runtime ? PATH_WORKSPACES : NULL, p);
	return 0;
}

static void add_host(struct pod *p, const char *text)
{
	if (p->n_host < POD_ADDRS_MAX && addr_parse(text, &p->host[p->n_host]) == 0)
		p->n_host++;
}

static void read_hosts(const json_t *status, struct pod *p)
{
	const json_t *list = json_object_get(status, "hostIPs");

	for (size_t i = 0; i < json_array_size(list); i++)
		add_host(p, text_of(json_array_get(list, i), "ip"));
	if (!p->n_host)
		add_host(p, text_of(status, "hostIP"));
}

/* While it is being deleted, a container that has terminated is not started again. */
static bool all_terminated(const json_t *status)
{
	const json_t *list = json_object_get(status, "containerStatuses");

	for (size_t i = 0; i < json_array_size(list); i++)
		if (!json_object_get(
			    json_object_get(json_array_get(list, i), "state"), "terminated"))
			return false;
	return json_array_size(list) > 0;
}

static int read_status(const json_t *status, struct pod *p)
{
	const json_t *condition =
		find_named(json_object_get(status, "conditions"), "type", CONDITION_TYPE);
	int r = copy(&p->condition_status, text_of(condition, "status"));

	if (r == 0)
		r = copy(&p->condition_reason, text_of(condition, "reason"));
	if (r == 0)
		r = copy(&p->condition_message, text_of(condition, "message"));
	if (r == 0)
		r = copy(&p->condition_since, text_of(condition, "lastTransitionTime"));
	read_hosts(status, p);
	p->started = *text_of(status, "podIP") != '\0';
	p->ended = is(status, "phase", "Failed") || is(status, "phase", "Succeeded") ||
		   (p->deleting && all_terminated(status));
	return r;
}

int pod_from_json(const json_t *object, struct pod *ret)
{
	_cleanup_(pod_clear) struct pod p = {0};
	int r = read_metadata(json_object_get(object, "metadata"), &p);

	if (r == 0)
		r = read_spec(json_object_get(object, "spec"), &p);
	if (r == 0)
		r = read_status(json_object_get(object, "status"), &p);
	if (r < 0)
		return r;
	*ret = p;
	p = (struct pod){0};
	return 0;
}
