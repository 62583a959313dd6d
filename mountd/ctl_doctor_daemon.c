/* SPDX-License-Identifier: Apache-2.0 */
/* doctor: what the daemon says of itself and of its runs. */
#include "mountd/ctl_doctor.h"

#include <string.h>

#include "mountd/ctl_holder.h"

int doctor_ask(const struct doctor *d, const char *verb, json_t **ret_items, json_t **ret_last,
	struct ctl_fault *fault)
{
	_cleanup_json_ json_t *request = json_pack("{s:s}", "verb", verb);
	int64_t patience = d->args->timeout * 1000LL / 2; /* so that silence is told, not cut off */

	return ctl_call(
		d->args->socket, request, ctl_now_ms() + patience, ret_items, ret_last, fault);
}

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

static void say_silent(struct doctor *d, const json_t *silent)
{
	char age[CTL_AGE_SIZE];
	size_t i;
	json_t *server;

	json_array_foreach(silent, i, server) {
		bool lost = strcmp(text_of(server, "state"), "lost") == 0;

		ctl_format_age(json_integer_value(json_object_get(server, "seconds")), age);
		doctor_say(d, "silent", VERDICT_WARN,
			lost ? "they are mounted anew when it answers: see to that node"
			     : "it answers soon, or its mounts are cut off (--lost-after): see to "
			       "that node",
			"server %s silent for %s: its mounts %s", text_of(server, "address"), age,
			lost ? "are cut off" : "hang");
	}
}

void doctor_daemon(struct doctor *d)
{
	struct ctl_fault fault;
	_cleanup_json_ json_t *status = NULL;
	char age[CTL_AGE_SIZE];
	pid_t pid;
	int code = doctor_ask(d, "status", NULL, &status, &fault);

	if (code != CTL_OK) {
		/* It may be meant not to run; never to run where nobody reaches it. */
		bool broken = code == CTL_UNREACHABLE && ctl_daemon_runs(&pid);
		doctor_say(d, "daemon", broken ? VERDICT_FAIL : VERDICT_WARN,
			fault.now[0] ? fault.now : NULL, "%s", fault.what);
		return;
	}
	ctl_format_age(json_integer_value(json_object_get(status, "uptime_seconds")), age);
	size_t broken = json_array_size(json_object_get(status, "faults"));
	doctor_say(d, "daemon", broken ? VERDICT_WARN : VERDICT_OK,
		broken ? "kora-mountctl status names them" : NULL,
		"%s on %s, up %s, %zu faults in what it is asked for", text_of(status, "version"),
		text_of(status, "node"), age, broken);
	if (json_is_true(json_object_get(status, "drained")))
		doctor_say(d, "drained", VERDICT_WARN, "kora-mountctl resume ends it",
			"this node is drained: it exports and mounts nothing");
	say_silent(d, json_object_get(status, "silent_servers"));
}

/* Adds "name (role)" to a list that ends in an ellipsis where it is full. */
static void add_name(char *list, size_t size, const json_t *item)
{
	size_t used = strlen(list);
	char name[128];

	(void)snprintf(name, sizeof name, "%s%s (%s)", used ? ", " : "", text_of(item, "run"),
		text_of(item, "role"));
	if (used + strlen(name) + sizeof ", …" <= size)
		(void)snprintf(list + used, size - used, "%s", name);
	else if (used < 3 || strcmp(list + used - 3, "…") != 0)
		(void)snprintf(list + used, size - used, ", …");
}

void doctor_runs(struct doctor *d)
{
	struct ctl_fault fault;
	_cleanup_json_ json_t *items = NULL;
	char names[640] = "", advice[160];
	size_t i, faulty = 0;
	json_t *item;

	if (doctor_ask(d, "runs", &items, NULL, &fault) != CTL_OK)
		return; /* doctor_daemon has said why */
	json_array_foreach(items, i, item) {
		if (!*text_of(item, "fault"))
			continue;
		if (faulty++ == 0)
			(void)snprintf(advice, sizeof advice,
				"kora-mountctl describe %.63s says what fails",
				text_of(item, "run"));
		add_name(names, sizeof names, item);
	}
	if (faulty)
		doctor_say(d, "runs", VERDICT_WARN, advice, "%zu of %zu fail: %s", faulty,
			json_array_size(items), names);
	else
		doctor_say(d, "runs", VERDICT_OK, NULL, "%zu, none fails", json_array_size(items));
}
