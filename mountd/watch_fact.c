/* SPDX-License-Identifier: Apache-2.0 */
/* Facts beside the pods that a wish depends on: claims, volumes, nodes. */
#include "mountd/watch_fact.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "mountd/base/cleanup.h"

static int compare(
	const struct fact *fact, enum fact_kind kind, const char *namespace, const char *name)
{
	int order = (int)fact->kind - (int)kind;

	if (!order)
		order = strcmp(fact->namespace, namespace);
	return order ? order : strcmp(fact->name, name);
}

static size_t position(
	const struct facts *f, enum fact_kind kind, const char *namespace, const char *name)
{
	size_t low = 0, high = f->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare(f->list[middle], kind, namespace, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct fact *facts_find(
	const struct facts *f, enum fact_kind kind, const char *namespace, const char *name)
{
	size_t at = position(f, kind, namespace, name);

	return at < f->n && compare(f->list[at], kind, namespace, name) == 0 ? f->list[at] : NULL;
}

static bool can_be_name(const char *text, size_t max)
{
	size_t n = strlen(text);

	return n <= max && strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789.-") == n;
}

bool fact_can_be(const char *namespace, const char *name)
{
	return *name && can_be_name(name, POD_NAME_MAX) && can_be_name(namespace, NAME_MAX_LENGTH);
}

struct fact *facts_find_or_add(
	struct facts *f, enum fact_kind kind, const char *namespace, const char *name)
{
	size_t at = position(f, kind, namespace, name);
	struct fact *fact;

	if (at < f->n && compare(f->list[at], kind, namespace, name) == 0)
		return f->list[at];
	if (!fact_can_be(namespace, name))
		return NULL;
	if (f->n == f->room) {
		size_t room = f->room ? 2 * f->room : 16;
		struct fact **list = reallocarray(f->list, room, sizeof *list);

		if (!list)
			return NULL;
		f->list = list;
		f->room = room;
	}
	fact = calloc(1, sizeof *fact);
	if (!fact)
		return NULL;
	fact->kind = kind;
	memcpy(fact->namespace, namespace, strlen(namespace));
	memcpy(fact->name, name, strlen(name));
	memmove(&f->list[at + 1], &f->list[at], (f->n - at) * sizeof(struct fact *));
	f->list[at] = fact;
	f->n++;
	return fact;
}

static void clear_values(struct fact *fact)
{
	free(fact->volume);
	free(fact->type);
	free(fact->path);
	fact->volume = fact->type = fact->path = NULL;
	fact->n_addrs = 0;
}

void facts_drop(struct facts *f, size_t at)
{
	clear_values(f->list[at]);
	free(f->list[at]);
	f->n--;
	memmove(&f->list[at], &f->list[at + 1], (f->n - at) * sizeof(struct fact *));
}

void facts_clear(struct facts *f)
{
	while (f->n)
		facts_drop(f, f->n - 1);
	free(f->list);
	*f = (struct facts){0};
}

static int copy(char **to, const char *text)
{
	*to = strdup(text ? text : "");
	return *to ? 0 : -ENOMEM;
}

/* A volume's kind is the one key of its spec that names a plugin we can find on the disk. */
static int read_volume(struct fact *fact, const json_t *spec)
{
	static const char *const types[] = {"hostPath", "csi", "local", "nfs", "iscsi", "fc"};
	const json_t *host = json_object_get(spec, "hostPath");
	const char *type = "";

	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (json_is_object(json_object_get(spec, types[i])))
			type = types[i];
	int r = copy(&fact->type, type);
	return r < 0 ? r : copy(&fact->path, json_string_value(json_object_get(host, "path")));
}

static void read_node(struct fact *fact, const json_t *status)
{
	const json_t *list = json_object_get(status, "addresses");

	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *entry = json_array_get(list, i);
		const char *type = json_string_value(json_object_get(entry, "type"));
		const char *text = json_string_value(json_object_get(entry, "address"));

		if (type && text && strcmp(type, "InternalIP") == 0 &&
			fact->n_addrs < POD_ADDRS_MAX &&
			addr_parse(text, &fact->addrs[fact->n_addrs]) == 0)
			fact->n_addrs++;
	}
}

int fact_read(struct fact *fact, const json_t *object)
{
	const json_t *spec = json_object_get(object, "spec");
	const char *name =
		json_string_value(json_object_get(json_object_get(object, "metadata"), "name"));
	int r = 0;

	if (!name || strcmp(name, fact->name) != 0)
		return -EBADMSG;
	clear_values(fact);
	switch (fact->kind) {
	case FACT_CLAIM:
		r = copy(&fact->volume, json_string_value(json_object_get(spec, "volumeName")));
		break;
	case FACT_VOLUME:
		r = read_volume(fact, spec);
		break;
	case FACT_NODE:
		read_node(fact, json_object_get(object, "status"));
		break;
	}
	fact->state = r < 0 ? FACT_UNKNOWN : FACT_KNOWN;
	return r;
}
