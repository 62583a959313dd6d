/* SPDX-License-Identifier: Apache-2.0 */
/* What the control socket tells about runs and the node, as JSON. */
#include "mountd/control_items.h"

#include <stdio.h>
#include <string.h>

#include "mountd/json_text.h"
#include "mountd/prober.h"
#include "mountd/server.h"

/* Lists in an answer, which is one packet of CONTROL_PACKET_MAX bytes. */
#define LIST_ITEMS 50
#define LIST_BYTES 32768

const char *item_fault(const struct run *run, int *ret_error)
{
	*ret_error = run->fault_error;
	if (run->fault || run->role != ROLE_EXPORT || run->state == RUN_READY)
		return run->fault;
	return server_fault(run->daemon->server, ret_error);
}

/* strings that are absent or empty stay out of the object */
static void set_text(json_t *object, const char *key, const char *text)
{
	if (text && *text)
		(void)json_object_set_new(object, key, json_text(text));
}

/* A list that says at its end how many it has left out. */
struct short_list {
	json_t *list;
	size_t bytes;
	size_t left_out;
};

static void add_text(struct short_list *s, const char *text)
{
	json_t *value = json_text(text);
	size_t size = json_dumpb(value, NULL, 0, JSON_ENCODE_ANY) + 1;

	if (s->left_out || json_array_size(s->list) == LIST_ITEMS || s->bytes + size > LIST_BYTES) {
		s->left_out++;
		json_decref(value);
		return;
	}
	s->bytes += size;
	(void)json_array_append_new(s->list, value);
}

static json_t *end_list(struct short_list *s)
{
	if (s->left_out)
		(void)json_array_append_new(s->list, json_sprintf("and %zu more", s->left_out));
	return s->list;
}

static void add_details(json_t *item, const struct run *run)
{
	uint64_t now = loop_clock_ms();
	struct short_list files = {.list = json_array()};
	size_t n;
	struct desired_file *const *list =
		desired_of(&run->daemon->desired, run->name, run->role, &n);

	for (size_t i = 0; i < n; i++)
		add_text(&files, list[i]->name);
	(void)json_object_set_new(item, "files", end_list(&files));
	if (run->wished)
		(void)json_object_set_new(item, "spec", spec_to_json(&run->wish));
	if (run->holds_mount && run->mount_id)
		(void)json_object_set_new(
			item, "mount_id", json_integer((json_int_t)run->mount_id));
	if (run->not_before_ms > now)
		(void)json_object_set_new(item, "next_attempt_ms",
			json_integer((json_int_t)(run->not_before_ms - now)));
	(void)json_object_set_new(item, "stuck_workers", json_integer(run->stuck));
}

json_t *item_of(const struct run *run, bool everything)
{
	char peer[EXPORT_CLIENTS_MAX * (ADDR_TEXT_SIZE + 1)], path[PATH_MAX];
	int error;
	json_t *item = json_pack("{s:s, s:s, s:s, s:s, s:I, s:i}", "run", run->name, "incarnation",
		run_id_of(run)->incarnation, "role", run_role_name(run), "state",
		run_state_name(run->state), "since", (json_int_t)run->since, "attempts",
		(int)(run->attempts + run->end_failures));

	if (!item)
		return NULL;
	run_peer(run, peer, sizeof peer);
	run_place(run, path, sizeof path);
	set_text(item, "rung", run->rung);
	set_text(item, "peer", peer);
	set_text(item, "path", path);
	set_text(item, "fault", item_fault(run, &error));
	if (json_object_get(item, "fault") && error < 0)
		set_text(item, "errno", strerrorname_np(-error));
	if (everything)
		add_details(item, run);
	return item;
}

/* Where it listens; or would, where it does not run. */
static json_t *listen_list(const struct server *server)
{
	const struct exporter_config *config = server_config(server);
	const struct server_status *status = server_status(server);
	struct listeners listeners = {0};
	json_t *list = json_array();
	char text[ADDR_TEXT_SIZE + sizeof "tcp []:65535"];

	if (status->state == SERVER_OURS)
		listeners = status->own;
	for (size_t i = 0; i < config->n_listen && status->state != SERVER_OURS; i++)
		listeners_add(&listeners, &config->listen[i], config->port);
	for (size_t i = 0; i < listeners.n; i++) {
		listener_format("tcp", &listeners.list[i], text, sizeof text);
		(void)json_array_append_new(list, json_string(text + strlen("tcp ")));
	}
	return list;
}

static json_t *server_of(const struct daemon *d)
{
	static const char *const states[] = {
		[SERVER_STOPPED] = "stopped",
		[SERVER_OURS] = "ours",
		[SERVER_FOREIGN] = "foreign",
	};
	const struct server_status *status = server_status(d->server);
	json_t *server = json_pack("{s:s, s:i, s:o}", "state", states[status->state], "threads",
		(int)status->threads, "listen", listen_list(d->server));

	if (!server)
		return NULL;
	set_text(server, "server_rung", status->server_rung);
	set_text(server, "cache_rung", server_cache_rung(d->server));
	set_text(server, "revoke_rung", status->revoke_rung);
	set_text(server, "foreign", status->foreign);
	set_text(server, "fault", server_fault(d->server, NULL));
	return server;
}

static json_t *count(const struct runs *runs, enum role role)
{
	int ready = 0, pending = 0;

	for (size_t i = 0; i < runs->n; i++) {
		if (runs->list[i]->role != role)
			continue;
		if (runs->list[i]->state == RUN_READY)
			ready++;
		else
			pending++;
	}
	return json_pack("{s:i, s:i}", "ready", ready, "pending", pending);
}

static json_t *faults_of(const struct daemon *d)
{
	const struct desired *desired = &d->desired;
	struct short_list faults = {.list = json_array()};
	char text[1024];

	if (d->source && source_dir_fault(d->source, text, sizeof text))
		add_text(&faults, text);
	for (size_t i = 0; i < desired->n; i++) {
		const struct desired_file *file = desired->files[i];
		const struct desired_file *first = desired_overruling(desired, file);

		if (!file->fault && !first)
			continue;
		if (file->fault)
			(void)snprintf(text, sizeof text, "%s: %s", file->name, file->fault);
		else
			(void)snprintf(text, sizeof text,
				"%s: %s speaks of run %s, too, and sorts before it", file->name,
				first->name, spec_id(&file->spec)->run);
		add_text(&faults, text);
	}
	return end_list(&faults);
}

static void add_silent(void *list, const char *address, uint64_t silent_ms, bool lost)
{
	if (json_array_size(list) < LIST_ITEMS)
		(void)json_array_append_new(
			list, json_pack("{s:s, s:s, s:I}", "address", address, "state",
				      lost ? "lost" : "silent", "seconds",
				      (json_int_t)(silent_ms / 1000)));
}

static json_t *silent_servers(const struct daemon *d)
{
	json_t *list = json_array();

	prober_tell_silent(d->prober, add_silent, list);
	return list;
}

json_t *status_of(const struct daemon *d)
{
	return json_pack("{s:b, s:s, s:o, s:I, s:b, s:o, s:o, s:o, s:o, s:o}", "ok", 1, "version",
		KORA_VERSION, "node", json_text(d->options.node_name), "uptime_seconds",
		(json_int_t)((loop_clock_ms() - d->started_ms) / 1000), "drained", (int)d->drained,
		"server", server_of(d), "exports", count(&d->runs, ROLE_EXPORT), "mounts",
		count(&d->runs, ROLE_MOUNT), "silent_servers", silent_servers(d), "faults",
		faults_of(d));
}
