/* SPDX-License-Identifier: Apache-2.0 */
/* Where a pod's volume lies on this node's disk. */
#include "mountd/watch_volume.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "mountd/base/parse.h"

struct search {
	const struct pod *pod;
	const struct volume_config *config;
	const struct facts *facts;
	volume_need_fn *need;
	void *data;
	struct volume_place *place;
};

static enum volume_outcome say(struct search *s, enum volume_outcome outcome, const char *reason,
	const char *format, ...) __attribute__((format(printf, 4, 5)));

static enum volume_outcome say(
	struct search *s, enum volume_outcome outcome, const char *reason, const char *format, ...)
{
	va_list args;

	s->place->reason = reason;
	va_start(args, format);
	(void)vsnprintf(s->place->why, sizeof s->place->why, format, args);
	va_end(args);
	return outcome;
}

/* kubelet's folder of one plugin's volumes; the last component below it is folder's. */
static enum volume_outcome below_kubelet(
	struct search *s, const char *plugin, const char *name, const char *rest)
{
	struct volume_place *p = s->place;
	int n;

	if (strchr(name, '/') || strchr(s->pod->uid, '/'))
		return say(s, VOLUME_REFUSED, "InvalidVolume", "'%s' is no volume's name", name);
	if (rest)
		n = snprintf(p->volume, sizeof p->volume, "%s/pods/%s/volumes/%s/%s%s",
			s->config->kubelet_dir, s->pod->uid, plugin, name, rest);
	else
		n = snprintf(p->volume, sizeof p->volume, "%s/pods/%s/volumes/%s",
			s->config->kubelet_dir, s->pod->uid, plugin);
	if (n >= (int)sizeof p->volume || path_absolute_fault(p->volume))
		return say(
			s, VOLUME_REFUSED, "InvalidVolume", "volume %s has no usable path", name);
	(void)snprintf(p->folder, sizeof p->folder, "%s", rest ? "." : name);
	return VOLUME_FOUND;
}

static bool is_below(const char *path, const char *root)
{
	size_t n = strlen(root);

	if (strcmp(root, "/") == 0)
		return true;
	return strncmp(path, root, n) == 0 && (path[n] == '\0' || path[n] == '/');
}

static enum volume_outcome on_host(struct search *s, const char *name, const char *path)
{
	const struct volume_config *c = s->config;
	size_t n = strlen(path);

	while (n > 1 && path[n - 1] == '/')
		n--;
	(void)snprintf(s->place->volume, sizeof s->place->volume, "%.*s", (int)n, path);
	(void)snprintf(s->place->folder, sizeof s->place->folder, ".");
	if (path_absolute_fault(s->place->volume))
		return say(s, VOLUME_REFUSED, "InvalidVolume",
			"path '%.200s' of PersistentVolume %s: %s", path, name,
			path_absolute_fault(s->place->volume));
	for (size_t i = 0; i < c->n_roots; i++)
		if (is_below(s->place->volume, c->roots[i]))
			return VOLUME_FOUND;
	return say(s, VOLUME_REFUSED, "HostPathNotAllowed",
		"PersistentVolume %s lies at %.200s, which is below none of the allowed host paths "
		"(--workspace-root)",
		name, path);
}

static enum volume_outcome by_type(struct search *s, const struct fact *volume)
{
	static const struct {
		const char *type, *plugin, *rest;
	} plugins[] = {
		{"csi", "kubernetes.io~csi", "/mount"},
		{"local", "kubernetes.io~local-volume", ""},
		{"nfs", "kubernetes.io~nfs", ""},
		{"iscsi", "kubernetes.io~iscsi", ""},
		{"fc", "kubernetes.io~fc", ""},
	};

	if (strcmp(volume->type, "hostPath") == 0)
		return on_host(s, volume->name, volume->path);
	for (size_t i = 0; i < sizeof plugins / sizeof *plugins; i++)
		if (strcmp(volume->type, plugins[i].type) == 0)
			return below_kubelet(s, plugins[i].plugin, volume->name, plugins[i].rest);
	return say(s, VOLUME_REFUSED, "UnsupportedVolume",
		"PersistentVolume %s is none of hostPath, csi, local, nfs, iscsi, fc",
		volume->name);
}

/* NULL: not known by now, and *outcome and the place say why. */
static const struct fact *look_up(
	struct search *s, enum fact_kind kind, const char *name, enum volume_outcome *outcome)
{
	const char *namespace = kind == FACT_CLAIM ? s->pod->namespace : "";
	const char *what = kind == FACT_CLAIM ? "PersistentVolumeClaim" : "PersistentVolume";
	const struct fact *fact = facts_find(s->facts, kind, namespace, name);

	s->need(s->data, kind, namespace, name);
	if (fact && fact->state == FACT_KNOWN)
		return fact;
	*outcome = say(s, VOLUME_WAITING, "WaitingForVolume", "%s %s %s", what, name,
		!fact || fact->state == FACT_UNKNOWN ? "is being looked up"
		: fact->state == FACT_ABSENT	     ? "does not exist"
						     : "cannot be read from the API server");
	return NULL;
}

static enum volume_outcome by_claim(struct search *s)
{
	enum volume_outcome outcome = VOLUME_WAITING;
	const struct fact *claim = look_up(s, FACT_CLAIM, s->pod->claim, &outcome);
	const struct fact *volume;

	if (!claim)
		return outcome;
	if (!*claim->volume)
		return say(s, VOLUME_WAITING, "WaitingForVolume",
			"PersistentVolumeClaim %s is not bound yet", claim->name);
	volume = look_up(s, FACT_VOLUME, claim->volume, &outcome);
	return volume ? by_type(s, volume) : outcome;
}

enum volume_outcome volume_locate(const struct pod *pod, const char *volume_name,
	const struct volume_config *config, const struct facts *facts, volume_need_fn *need,
	void *data, struct volume_place *ret)
{
	struct search s = {pod, config, facts, need, data, ret};

	switch (pod->volume) {
	case VOLUME_EMPTY_DIR:
		return below_kubelet(&s, "kubernetes.io~empty-dir", volume_name, NULL);
	case VOLUME_CSI:
		return below_kubelet(&s, "kubernetes.io~csi", volume_name, "/mount");
	case VOLUME_CLAIM:
		return by_claim(&s);
	case VOLUME_NONE:
	case VOLUME_UNSUPPORTED:
		break;
	}
	return say(&s, VOLUME_REFUSED, "UnsupportedVolume",
		"volume %s is none of emptyDir, persistentVolumeClaim, ephemeral, csi",
		volume_name);
}
