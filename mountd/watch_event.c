/* SPDX-License-Identifier: Apache-2.0 */
/* One event of a watch, taken apart. */
#include "mountd/watch_event.h"

#include <errno.h>
#include <string.h>

#include "mountd/watch_pod.h"

json_t *event_load(const char *text, size_t size)
{
	/* A NUL in what a container printed must not hide its pod. */
	return json_loadb(text, size, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, NULL);
}

void event_clear(struct event *e)
{
	json_decref(e->root);
	*e = (struct event){0};
}

static enum event_kind kind_of(const char *type)
{
	static const struct {
		const char *type;
		enum event_kind kind;
	} kinds[] = {
		{"ADDED", EVENT_PUT},
		{"MODIFIED", EVENT_PUT},
		{"DELETED", EVENT_DELETED},
		{"BOOKMARK", EVENT_BOOKMARK},
		{"ERROR", EVENT_ERROR},
	};

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (strcmp(kinds[i].type, type) == 0)
			return kinds[i].kind;
	return EVENT_STRANGE;
}

static void read_status(struct event *e)
{
	const char *message = json_string_value(json_object_get(e->object, "message"));
	json_int_t wait = json_integer_value(
		json_object_get(json_object_get(e->object, "details"), "retryAfterSeconds"));

	e->message = message ? message : "an error without a message";
	e->code = (int)json_integer_value(json_object_get(e->object, "code"));
	if (wait > 0 && wait < 3600)
		e->retry_after = (unsigned)wait;
}

int event_parse(const char *text, size_t size, struct event *ret)
{
	json_t *root = event_load(text, size);
	const char *type = json_string_value(json_object_get(root, "type"));
	json_t *object = json_object_get(root, "object"), *annotations;

	if (!type || !json_is_object(object)) {
		json_decref(root);
		return -EBADMSG;
	}
	annotations = json_object_get(json_object_get(object, "metadata"), "annotations");
	*ret = (struct event){.kind = kind_of(type),
		.root = root,
		.object = object,
		.version = json_resource_version(object),
		.message = "",
		.initial_end = json_object_get(annotations, "k8s.io/initial-events-end") != NULL};
	if (ret->kind == EVENT_ERROR)
		read_status(ret);
	return 0;
}
