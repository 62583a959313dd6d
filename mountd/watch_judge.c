/* SPDX-License-Identifier: Apache-2.0 */
/* One sandbox pod on its own: what this node has to do for it, or why not. */
#include "mountd/watch_judge.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "mountd/base/cleanup.h"
#include "mountd/watch_contract.h"

void judge_say(
	struct verdict *v, enum verdict_kind kind, const char *reason, const char *format, ...)
{
	va_list args;

	v->kind = kind;
	v->reason = reason;
	va_start(args, format);
	(void)vsnprintf(v->message, sizeof v->message, format, args);
	va_end(args);
}

void judge_need(void *data, enum fact_kind kind, const char *namespace, const char *name)
{
	struct judge *j = data;
	struct wishes *w = j->out;
	struct need *needs;

	if (!fact_can_be(namespace, name))
		return;
	if (w->n_needs == w->room_needs) {
		w->room_needs = w->room_needs ? 2 * w->room_needs : 64;
		needs = reallocarray(w->needs, w->room_needs, sizeof *needs);
		if (!needs) {
			j->out_of_memory = true;
			w->room_needs = w->n_needs;
			return;
		}
		w->needs = needs;
	}
	needs = &w->needs[w->n_needs++];
	*needs = (struct need){.kind = kind};
	memcpy(needs->namespace, namespace, strlen(namespace));
	memcpy(needs->name, name, strlen(name));
}

int judge_compare_runtime(const struct pod *a, const struct pod *b)
{
	int order = strcmp(a->namespace, b->namespace);

	return order ? order : strcmp(a->name, b->name);
}

static const struct pod *find_runtime(
	const struct judge *j, const char *namespace, size_t n, const char *name)
{
	size_t low = 0, high = j->n_runtimes;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct pod *pod = j->runtimes[middle];
		int order = strncmp(pod->namespace, namespace, n);

		if (order == 0)
			order = pod->namespace[n] != '\0' ? 1 : strcmp(pod->name, name);
		if (order == 0)
			return pod;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

static const struct fact *find_node(const struct judge *j, const char *name)
{
	return facts_find(j->in->facts, FACT_NODE, "", name);
}

static bool is_absent(const struct fact *fact)
{
	return fact && fact->state == FACT_ABSENT;
}

bool judge_is_ending(const struct judge *j, const struct pod *s)
{
	return s->deleting || s->ended ||
	       (*s->node && strcmp(s->node, j->in->config->node) != 0 &&
		       is_absent(find_node(j, s->node)));
}

/* Splits "<namespace>/<name>"; NULL: it is no such thing. */
static const char *runtime_name(const struct pod *s, size_t *ret_namespace_size)
{
	const char *slash = strchr(s->runtime_pod, '/');
	size_t n = slash ? (size_t)(slash - s->runtime_pod) : 0;

	if (!n || n > NAME_MAX_LENGTH || !slash[1] || strchr(slash + 1, '/'))
		return NULL;
	*ret_namespace_size = n;
	return slash + 1;
}

/* What both nodes can see for themselves. Returns false, with the verdict, when it is refused. */
static bool check_contract(const struct judge *j, const struct pod *s, struct verdict *v)
{
	size_t n = 0;
	const char *runtime = runtime_name(s, &n);

	if (!name_is_valid(s->run))
		judge_say(v, VERDICT_REFUSED, "InvalidRun",
			"label " LABEL_RUN " is '%.100s': not a DNS-1123 label", s->run);
	else if (!name_is_valid(s->uid))
		judge_say(v, VERDICT_REFUSED, "InvalidUid",
			"the pod's uid '%.100s' is not a DNS-1123 label", s->uid);
	else if (!*s->agent_node)
		judge_say(v, VERDICT_REFUSED, "MissingAgentNode",
			"label " LABEL_AGENT_NODE " is missing: nobody would mount it");
	else if (!runtime)
		judge_say(v, VERDICT_REFUSED, "MissingRuntimePod",
			"annotation " ANNOTATION_RUNTIME_POD " is '%.200s': not <namespace>/<name>",
			s->runtime_pod);
	else if (!j->in->config->cross_namespace &&
		 (strlen(s->namespace) != n || strncmp(s->namespace, s->runtime_pod, n) != 0))
		judge_say(v, VERDICT_REFUSED, "OtherNamespace",
			"runtime pod %.300s is in another namespace; --cross-namespace allows it",
			s->runtime_pod);
	else if (s->volume == VOLUME_NONE)
		judge_say(v, VERDICT_REFUSED, "MissingVolume",
			"there is no volume named '" VOLUME_SANDBOX "'");
	else if (s->use == USE_SUBPATH)
		judge_say(v, VERDICT_REFUSED, "SubPath",
			"volume '" VOLUME_SANDBOX "' is mounted with a subPath: what the container "
			"sees is not what would be shared");
	else if (!s->uid_number || !s->gid_number)
		judge_say(v, VERDICT_REFUSED, "MissingUser",
			"securityContext says no runAsUser, or neither runAsGroup nor fsGroup: "
			"whose files would they be?");
	else
		return true;
	return false;
}

static bool take_place(struct judge *j, const struct pod *pod, const char *name,
	struct volume_place *place, struct verdict *v)
{
	switch (volume_locate(
		pod, name, &j->in->config->volumes, j->in->facts, judge_need, j, place)) {
	case VOLUME_FOUND:
		return true;
	case VOLUME_WAITING:
		judge_say(v, VERDICT_WAITING, place->reason, "volume '%s' of pod %s: %s", name,
			pod->name, place->why);
		return false;
	case VOLUME_REFUSED:
		judge_say(v, VERDICT_REFUSED, place->reason, "volume '%s' of pod %s: %s", name,
			pod->name, place->why);
		return false;
	}
	return false;
}

/* The texts are copied; false: memory is out. */
static bool set_text(struct judge *j, char **to, const char *text)
{
	*to = strdup(text);
	j->out_of_memory |= !*to;
	return *to != NULL;
}

static void set_id(struct run_id *id, const struct pod *s)
{
	(void)snprintf(id->run, sizeof id->run, "%s", s->run);
	(void)snprintf(id->incarnation, sizeof id->incarnation, "%s", s->uid);
}

static int compare_addr(const void *a, const void *b)
{
	return addr_compare(a, b);
}

static bool make_export(struct judge *j, const struct pod *s, const struct fact *agent,
	const struct volume_place *place, struct spec *ret)
{
	struct export *e = &ret->export;

	ret->role = ROLE_EXPORT;
	set_id(&e->id, s);
	e->uid = s->uid_number;
	e->gid = s->gid_number;
	e->clients = calloc(agent->n_addrs, sizeof *e->clients);
	if (!e->clients) {
		j->out_of_memory = true;
		return false;
	}
	memcpy(e->clients, agent->addrs, agent->n_addrs * sizeof *e->clients);
	qsort(e->clients, agent->n_addrs, sizeof *e->clients, compare_addr);
	e->n_clients = 1;
	for (size_t i = 1; i < agent->n_addrs; i++)
		if (!addr_equal(&e->clients[i], &e->clients[e->n_clients - 1]))
			e->clients[e->n_clients++] = e->clients[i];
	return set_text(j, &e->volume, place->volume) && set_text(j, &e->folder, place->folder);
}

/* An ending sandbox is served until its agent has let go, but not for long. */
static bool still_held(struct judge *j, const struct pod *s, const struct fact *agent)
{
	uint64_t until = s->ending_since_ms + j->in->config->unexport_grace_ms;

	if (!s->started || is_absent(agent) || !s->ending_since_ms ||
		strcmp(s->condition_reason, CONDITION_UNMOUNTED) == 0 || j->in->now_ms >= until)
		return false;
	if (until < j->out->wake_ms)
		j->out->wake_ms = until;
	return true;
}

/* This node has the sandbox's folder, and another one its agent. */
static bool judge_server(struct judge *j, const struct pod *s, struct verdict *v, struct spec *ret)
{
	const struct fact *agent = find_node(j, s->agent_node);
	bool ending = judge_is_ending(j, s);
	struct volume_place place;

	v->role = ROLE_EXPORT;
	if (*s->agent_node)
		judge_need(j, FACT_NODE, "", s->agent_node);
	v->tells = !*s->agent_node || is_absent(agent);
	if (!check_contract(j, s, v))
		return false;
	if (ending && !still_held(j, s, agent)) {
		judge_say(v, VERDICT_ENDING, "Unexported", "the sandbox is over");
		return false;
	}
	if (!s->started)
		judge_say(v, VERDICT_WAITING, "WaitingForSandbox", "the sandbox has not started");
	else if (is_absent(agent))
		judge_say(v, VERDICT_WAITING, "AgentNodeLost", "node %.253s does not exist",
			s->agent_node);
	else if (!agent || agent->state != FACT_KNOWN)
		judge_say(v, VERDICT_WAITING, "WaitingForAgentNode",
			"the addresses of node %.253s are not known", s->agent_node);
	else if (!agent->n_addrs)
		judge_say(v, VERDICT_WAITING, "WaitingForAgentNode", "node %.253s has no address",
			s->agent_node);
	else if (take_place(j, s, VOLUME_SANDBOX, &place, v)) {
		judge_say(v, ending ? VERDICT_ENDING : VERDICT_WISHED,
			ending ? "Unmounting" : "Exported", "for node %.253s", s->agent_node);
		return make_export(j, s, agent, &place, ret);
	}
	return false;
}

static bool check_runtime(const struct pod *s, const struct pod *runtime, struct verdict *v)
{
	if (!runtime)
		judge_say(v, VERDICT_WAITING, "WaitingForRuntimePod",
			"runtime pod %.300s is not on node %.100s, or not labelled " LABEL_COMPONENT
			"=" COMPONENT_RUNTIME,
			s->runtime_pod, s->agent_node);
	else if (runtime->ended)
		judge_say(v, VERDICT_ENDING, "RuntimePodEnded",
			"the containers of %.253s have ended", runtime->name);
	else if (runtime->volume == VOLUME_NONE)
		judge_say(v, VERDICT_REFUSED, "MissingVolume",
			"runtime pod %.253s has no volume named '" VOLUME_WORKSPACES "'",
			runtime->name);
	else if (runtime->volume == VOLUME_EMPTY_DIR)
		judge_say(v, VERDICT_REFUSED, "EmptyDirWorkspaces",
			"volume '" VOLUME_WORKSPACES
			"' of runtime pod %.253s is an emptyDir: kubelet "
			"would delete the sandbox's files with it; use a PersistentVolumeClaim",
			runtime->name);
	else if (runtime->use == USE_SUBPATH)
		judge_say(v, VERDICT_REFUSED, "SubPath",
			"runtime pod %.253s mounts '" VOLUME_WORKSPACES "' with a subPath: mounts "
			"made later do not reach it",
			runtime->name);
	else if (runtime->use == USE_NONE)
		judge_say(v, VERDICT_REFUSED, "NotMounted",
			"no container of runtime pod %.253s mounts '" VOLUME_WORKSPACES
			"' at " PATH_WORKSPACES,
			runtime->name);
	else if (runtime->use == USE_PRIVATE)
		judge_say(v, VERDICT_REFUSED, "MissingHostToContainer",
			"runtime pod %.253s mounts " PATH_WORKSPACES
			" without mountPropagation: HostToContainer: it would never see the "
			"sandbox",
			runtime->name);
	else if (!runtime->started)
		judge_say(v, VERDICT_WAITING, "WaitingForRuntimePod",
			"runtime pod %.253s has not started", runtime->name);
	else
		return true;
	return false;
}

static bool make_mount(struct judge *j, const struct pod *s, const struct pod *runtime,
	const struct volume_place *place, struct spec *ret)
{
	struct mount *m = &ret->mount;

	ret->role = ROLE_MOUNT;
	set_id(&m->id, s);
	m->kind = MOUNT_NFS;
	m->server = s->host[0];
	m->port = j->in->config->port;
	m->uid = runtime->uid_number ? runtime->uid_number : s->uid_number;
	m->gid = runtime->gid_number ? runtime->gid_number : s->gid_number;
	return set_text(j, &m->volume, place->volume);
}

static bool make_bind(struct judge *j, const struct volume_place *source, struct spec *spec)
{
	struct mount *m = &spec->mount;

	m->kind = MOUNT_BIND;
	m->server = (struct addr){0};
	m->port = 0;
	return set_text(j, &m->source_volume, source->volume) &&
	       set_text(j, &m->source_folder, source->folder);
}

/* A mountpoint is made below the volume; what is the volume's own folder joins its path. */
static void join_place(struct volume_place *p)
{
	size_t n = strlen(p->volume);

	if (strcmp(p->folder, ".") != 0)
		(void)snprintf(p->volume + n, sizeof p->volume - n, "/%s", p->folder);
}

/* This node has the agent. */
static bool judge_agent(struct judge *j, const struct pod *s, struct verdict *v, struct spec *ret)
{
	bool here = strcmp(s->node, j->in->config->node) == 0;
	struct volume_place place, source;
	const struct pod *runtime = NULL;
	const char *name;
	size_t n = 0;

	v->role = ROLE_MOUNT;
	v->tells = true;
	if (*s->node && !here)
		judge_need(j, FACT_NODE, "", s->node);
	if (judge_is_ending(j, s)) {
		judge_say(v, VERDICT_ENDING, "SandboxEnded", "the sandbox is over");
		return false;
	}
	if (!check_contract(j, s, v))
		return false;
	name = runtime_name(s, &n);
	if (name)
		runtime = find_runtime(j, s->runtime_pod, n, name);
	if (!check_runtime(s, runtime, v) || !runtime ||
		!take_place(j, runtime, VOLUME_WORKSPACES, &place, v))
		return false;
	if (!s->started || !s->n_host) {
		judge_say(v, VERDICT_WAITING, "WaitingForSandbox", "the sandbox has not started");
		return false;
	}
	if (here && !take_place(j, s, VOLUME_SANDBOX, &source, v))
		return false;
	join_place(&place);
	judge_say(v, VERDICT_WISHED, "Mounting", "on node %.253s", s->agent_node);
	return make_mount(j, s, runtime, &place, ret) && (!here || make_bind(j, &source, ret));
}

void judge_sandbox(struct judge *j, const struct pod *s, struct verdict *v, struct spec *ret,
	bool *ret_has_spec)
{
	const char *node = j->in->config->node;

	*v = (struct verdict){.pod = s, .kind = VERDICT_ELSEWHERE};
	*ret = (struct spec){0};
	*ret_has_spec = false;
	if (strcmp(s->agent_node, node) == 0)
		*ret_has_spec = judge_agent(j, s, v, ret);
	else if (strcmp(s->node, node) == 0)
		*ret_has_spec = judge_server(j, s, v, ret);
}
