/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions and Events as the API server takes them. */
#include "mountd/watch_message.h"

#include <stdio.h>
#include <string.h>

#include "mountd/watch_backoff.h"
#include "mountd/watch_contract.h"

#define COMPONENT "kora-sandbox-watch"
/* Beyond this the API server refuses an Event. */
#define EVENT_MESSAGE_MAX 1000

void message_time(time_t now, char text[MESSAGE_TIME_SIZE])
{
	struct tm tm;

	(void)strftime(text, MESSAGE_TIME_SIZE, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &tm));
}

static char *dump(json_t *object)
{
	char *text = object ? json_dumps(object, JSON_COMPACT) : NULL;

	json_decref(object);
	return text;
}

char *message_patch(const struct pod *pod, const struct condition *c, time_t now)
{
	char time[MESSAGE_TIME_SIZE];
	bool same = strcmp(pod->condition_status, c->status) == 0 && *pod->condition_since;

	message_time(now, time);
	return dump(json_pack("{s:{s:s}, s:{s:[{s:s, s:s, s:s, s:s, s:s}]}}", "metadata", "uid",
		pod->uid, "status", "conditions", "type", CONDITION_TYPE, "status", c->status,
		"reason", c->reason, "message", c->message, "lastTransitionTime",
		same ? pod->condition_since : time));
}

/* Cut where a character ends. */
static size_t fitting(const char *text)
{
	size_t n = strlen(text);

	if (n <= EVENT_MESSAGE_MAX)
		return n;
	n = EVENT_MESSAGE_MAX;
	while (n && ((unsigned char)text[n] & 0xc0) == 0x80)
		n--;
	return n;
}

char *message_event(const struct pod *pod, const char *node, enum happening h, enum role role,
	const char *message, unsigned count, time_t first, time_t now)
{
	char name[POD_NAME_MAX + 1], begin[MESSAGE_TIME_SIZE], end[MESSAGE_TIME_SIZE];

	message_time(first, begin);
	message_time(now, end);
	(void)snprintf(name, sizeof name, "%.220s.%08x%08x", pod->name, backoff_random(),
		backoff_random());
	return dump(
		json_pack("{s:s, s:s, s:{s:s, s:s}, s:{s:s, s:s, s:s, s:s, s:s}, s:s, s:s%, s:s, "
			  "s:{s:s, s:s}, s:s, s:s, s:i, s:s, s:s}",
			"apiVersion", "v1", "kind", "Event", "metadata", "name", name, "namespace",
			pod->namespace, "involvedObject", "apiVersion", "v1", "kind", "Pod",
			"namespace", pod->namespace, "name", pod->name, "uid", pod->uid, "reason",
			happening_reason(h, role), "message", message, fitting(message), "type",
			happening_type(h), "source", "component", COMPONENT, "host", node,
			"firstTimestamp", begin, "lastTimestamp", end, "count", (int)count,
			"reportingComponent", COMPONENT, "reportingInstance", node));
}
