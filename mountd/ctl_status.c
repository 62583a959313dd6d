/* SPDX-License-Identifier: Apache-2.0 */
/* kora-mountctl status: this node in a dozen lines. */
#include "mountd/ctl.h"

#include <string.h>

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text && *text ? text : "-";
}

static void print_counts(const char *name, const json_t *counts)
{
	char text[64];

	(void)snprintf(text, sizeof text, "%lld ready, %lld pending",
		(long long)json_integer_value(json_object_get(counts, "ready")),
		(long long)json_integer_value(json_object_get(counts, "pending")));
	ctl_print_field(name, text);
}

static void print_listen(const json_t *server, const char *name)
{
	const json_t *listen = json_object_get(server, "listen");
	size_t i;
	json_t *address;

	json_array_foreach(listen, i, address)
		ctl_print_field(i ? "" : name, json_string_value(address));
}

static void print_rungs(const json_t *server)
{
	char text[128];

	(void)snprintf(text, sizeof text, "server %s, cache %s, revoke %s",
		text_of(server, "server_rung"), text_of(server, "cache_rung"),
		text_of(server, "revoke_rung"));
	ctl_print_field("rungs", text);
}

/* doctor tells the mechanisms that a server which does not run would use. */
static void print_server(const json_t *server)
{
	char text[128];
	const char *state = text_of(server, "state");
	bool serves = strcmp(state, "ours") == 0;

	(void)snprintf(text, sizeof text, "%s, %lld threads", state,
		(long long)json_integer_value(json_object_get(server, "threads")));
	ctl_print_field("server", text);
	print_listen(server, serves ? "listen" : "would listen");
	if (serves)
		print_rungs(server);
	if (strcmp(text_of(server, "foreign"), "-") != 0)
		ctl_print_field("foreign", text_of(server, "foreign"));
	if (strcmp(text_of(server, "fault"), "-") != 0)
		ctl_print_field("server fault", text_of(server, "fault"));
}

static void print_silent(const json_t *silent)
{
	char text[160], age[CTL_AGE_SIZE];
	size_t i;
	json_t *server;

	json_array_foreach(silent, i, server) {
		bool lost = strcmp(text_of(server, "state"), "lost") == 0;

		ctl_format_age(json_integer_value(json_object_get(server, "seconds")), age);
		(void)snprintf(text, sizeof text, "%s silent for %s%s", text_of(server, "address"),
			age, lost ? ", its mounts are cut off" : "");
		ctl_print_field(lost ? "lost server" : "silent server", text);
	}
}

static json_int_t runs_left(const json_t *status)
{
	json_int_t left = 0;

	for (size_t i = 0; i < 2; i++) {
		const json_t *counts = json_object_get(status, i ? "mounts" : "exports");

		left += json_integer_value(json_object_get(counts, "ready")) +
			json_integer_value(json_object_get(counts, "pending"));
	}
	return left;
}

static void print_drained(const json_t *status)
{
	char text[80];

	if (!json_is_true(json_object_get(status, "drained")))
		return;
	(void)snprintf(text, sizeof text, "not yet, %lld exports and mounts are left",
		(long long)runs_left(status));
	ctl_print_field("drained", runs_left(status) ? text : "yes (kora-mountctl resume ends it)");
}

static void print_status(const json_t *status)
{
	const json_t *faults = json_object_get(status, "faults");
	char age[CTL_AGE_SIZE];
	size_t i;
	json_t *text;

	ctl_print_field("node", text_of(status, "node"));
	ctl_print_field("version", text_of(status, "version"));
	ctl_format_age(json_integer_value(json_object_get(status, "uptime_seconds")), age);
	ctl_print_field("uptime", age);
	print_drained(status);
	print_server(json_object_get(status, "server"));
	print_counts("exports", json_object_get(status, "exports"));
	print_counts("mounts", json_object_get(status, "mounts"));
	print_silent(json_object_get(status, "silent_servers"));
	json_array_foreach(faults, i, text)
		if (json_is_string(text))
			ctl_print_field("fault", json_string_value(text));
}

int ctl_status(const struct ctl_args *args, struct ctl_fault *fault)
{
	_cleanup_json_ json_t *request = json_pack("{s:s}", "verb", "status");
	_cleanup_json_ json_t *status = NULL;
	int code = ctl_call(
		args->socket, request, ctl_now_ms() + args->timeout * 1000LL, NULL, &status, fault);

	if (code != CTL_OK)
		return code;
	(void)json_object_del(status, "ok");
	if (args->json)
		ctl_print_json(status);
	else
		print_status(status);
	return CTL_OK;
}
