/* SPDX-License-Identifier: Apache-2.0 */
/* The control socket's verbs (docs/control-protocol.md). */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "mountd/base/cleanup.h"
#include "mountd/control.h"
#include "mountd/control_items.h"
#include "mountd/mountinfo.h"
#include "mountd/server.h"
#include "mountd/snapshot.h"

struct request {
	const json_t *object;
	const char *run; /* NULL: not asked for by this verb */
	json_int_t wait_ms;
};

static void ok(struct peer *p)
{
	peer_answer(p, json_pack("{s:b}", "ok", 1));
}

static void refuse_system(struct peer *p, const char *what, int error)
{
	peer_refuse(p, "failed", NULL, "%s: %s", what, strerror(-error));
}

/* Of spec files: perhaps none can be, and the operator can mend it. */
static void refuse_specs(struct peer *p, const char *field, const char *what, int error)
{
	char fault[640];

	if (source_dir_fault(peer_daemon(p)->source, fault, sizeof fault))
		peer_refuse(p, "failed", field, "%s", fault);
	else
		peer_refuse(p, "failed", field, "%s: %s", what, strerror(-error));
}

static void do_status(struct peer *p, const struct request *r)
{
	(void)r;
	peer_wait(p, AWAIT_STATUS, 6000);
}

void verbs_tell_runs(struct peer *p)
{
	const struct runs *runs = &peer_daemon(p)->runs;

	for (size_t i = 0; i < runs->n; i++)
		peer_item(p, item_of(runs->list[i], false));
	peer_answer(p, json_pack("{s:b, s:I}", "ok", 1, "serial", (json_int_t)runs_serial()));
}

static void do_runs(struct peer *p, const struct request *r)
{
	const json_t *since = json_object_get(r->object, "since");

	if (since && !json_is_integer(since)) {
		peer_refuse(p, "usage", "since", "not a whole number");
		return;
	}
	/* Who waits for changes asks after each. */
	if (since)
		mountinfo_check_later(peer_daemon(p)->mountinfo);
	else
		mountinfo_check_soon(peer_daemon(p)->mountinfo);
	if (!since || !r->wait_ms) {
		verbs_tell_runs(p);
		return;
	}
	peer_waiting(p)->since = (uint64_t)json_integer_value(since);
	peer_wait(p, AWAIT_CHANGE, (uint64_t)r->wait_ms);
}

static void do_describe(struct peer *p, const struct request *r)
{
	const struct runs *runs = &peer_daemon(p)->runs;
	bool found = false;

	mountinfo_check_soon(peer_daemon(p)->mountinfo);
	for (enum role role = ROLE_EXPORT; role <= ROLE_MOUNT; role++) {
		const struct run *run = runs_find(runs, r->run, role);

		if (run)
			peer_item(p, item_of(run, true));
		found |= run != NULL;
	}
	if (found)
		ok(p);
	else
		peer_refuse(p, "not-found", "run", "this node knows no run %s", r->run);
}

#define SPEC_NAME_SIZE (NAME_MAX_LENGTH + sizeof ".export.json")

/* Of the file that apply() writes. */
static void spec_name(const char *run, enum role role, char name[SPEC_NAME_SIZE])
{
	(void)snprintf(
		name, SPEC_NAME_SIZE, "%s.%s.json", run, role == ROLE_EXPORT ? "export" : "mount");
}

/* Would the file be overruled by one that sorts before it? */
static const struct desired_file *find_overruling(
	const struct daemon *d, const struct spec *spec, const char *name)
{
	const struct desired_file *file = desired_find(&d->desired, spec_id(spec)->run, spec->role);

	return file && strcmp(file->name, name) < 0 ? file : NULL;
}

static int write_spec(struct daemon *d, const struct spec *spec, const char *name)
{
	json_t *object = spec_to_json(spec);
	_cleanup_free_ char *text = object ? json_dumps(object, JSON_INDENT(2)) : NULL;

	json_decref(object);
	return text ? source_dir_write(d->source, name, text, strlen(text)) : -ENOMEM;
}

static void apply(struct peer *p, struct spec *spec, uint64_t wait_ms)
{
	struct daemon *d = peer_daemon(p);
	const struct desired_file *other;
	char name[SPEC_NAME_SIZE];
	struct run *run;
	int error;

	spec_name(spec_id(spec)->run, spec->role, name);
	other = find_overruling(d, spec, name);
	if (other) {
		peer_refuse(p, "refused", "run",
			"%s speaks of this run already, and its name sorts first: change or remove "
			"that file, or release the run",
			other->name);
		return;
	}
	error = write_spec(d, spec, name);
	if (error < 0) {
		refuse_specs(p, "spec", "the spec cannot be written", error);
		return;
	}
	run = runs_find(&d->runs, spec_id(spec)->run, spec->role);
	if (run) {
		/* Somebody asks now: a wait between two attempts is over. */
		run->not_before_ms = 0;
		daemon_plan_soon(d);
	}
	if (!wait_ms) {
		peer_answer(p, json_pack("{s:b, s:s}", "ok", 1, "state",
				       run ? run_state_name(run->state) : "pending"));
		return;
	}
	peer_waiting(p)->spec = *spec;
	*spec = (struct spec){0};
	peer_wait(p, AWAIT_READY, wait_ms);
}

static void do_apply(struct peer *p, const struct request *r)
{
	_cleanup_(spec_clear) struct spec spec = {0};
	struct spec_fault fault = {0};
	char field[80];
	const json_t *object = json_object_get(r->object, "spec");

	if (!object) {
		peer_refuse(p, "usage", "spec", "missing");
		return;
	}
	if (peer_daemon(p)->drained) {
		peer_refuse(p, "drained", NULL, "this node is drained; resume it first");
		return;
	}
	if (spec_from_json(object, &spec, &fault) < 0) {
		(void)snprintf(field, sizeof field, "%s", fault.field[0] ? fault.field : "spec");
		peer_refuse(p, "refused", field, "%s", fault.message);
		return;
	}
	apply(p, &spec, (uint64_t)r->wait_ms);
}

/* 1: it is removed, 0: there is none, or negative errno. */
static int remove_spec(struct daemon *d, const struct desired_file *file)
{
	_cleanup_free_ char *name = file ? strdup(file->name) : NULL;
	int error;

	if (!file)
		return 0;
	error = name ? source_dir_remove(d->source, name) : -ENOMEM;
	return error < 0 ? error : 1;
}

/* 1: some were removed, 0: none, or negative errno. The one that counts goes last. */
static int remove_specs(struct daemon *d, const char *run, enum role role)
{
	char name[SPEC_NAME_SIZE];
	size_t n;
	int removed = 0, error;

	(void)desired_of(&d->desired, run, role, &n);
	for (size_t i = n; i-- > 0;) {
		struct desired_file *const *files = desired_of(&d->desired, run, role, &n);

		error = remove_spec(d, i < n ? files[i] : NULL);
		if (error < 0)
			return error;
		removed |= error;
	}
	/* A file of apply()'s counts by its name too, however broken it is by now. */
	spec_name(run, role, name);
	error = remove_spec(d, desired_file(&d->desired, name));
	return error < 0 ? error : removed | error;
}

static void do_release(struct peer *p, const struct request *r)
{
	struct daemon *d = peer_daemon(p);
	int mounts = remove_specs(d, r->run, ROLE_MOUNT); /* a bind needs the export's wish */
	int exports = mounts < 0 ? mounts : remove_specs(d, r->run, ROLE_EXPORT);

	if (exports < 0) {
		refuse_system(p, "a spec cannot be removed", exports);
	} else if (!mounts && !exports && !runs_find(&d->runs, r->run, ROLE_EXPORT) &&
		   !runs_find(&d->runs, r->run, ROLE_MOUNT)) {
		peer_refuse(p, "not-found", "run", "this node knows no run %s", r->run);
	} else if (!r->wait_ms) {
		ok(p);
	} else {
		memcpy(peer_waiting(p)->run, r->run, strlen(r->run) + 1);
		peer_wait(p, AWAIT_GONE, (uint64_t)r->wait_ms);
	}
}

static void do_drain(struct peer *p, const struct request *r)
{
	int error = daemon_set_drained(peer_daemon(p), true);

	if (error < 0)
		refuse_system(p, "the drained state cannot be kept", error);
	else if (!r->wait_ms)
		ok(p);
	else
		peer_wait(p, AWAIT_DRAINED, (uint64_t)r->wait_ms);
}

static void do_resume(struct peer *p, const struct request *r)
{
	int error = daemon_set_drained(peer_daemon(p), false);

	(void)r;
	if (error < 0)
		refuse_system(p, "the drained state cannot be ended", error);
	else
		ok(p);
}

static void drop_snapshot(struct peer *p)
{
	snapshot_free(*peer_snapshot(p));
	*peer_snapshot(p) = NULL;
}

static void commit_snapshot(struct peer *p)
{
	struct daemon *d = peer_daemon(p);
	int error = snapshot_commit(*peer_snapshot(p), d->source, &d->desired);

	drop_snapshot(p);
	if (error < 0)
		refuse_specs(p, NULL, "the specs cannot be written", error);
	else
		ok(p);
}

static void do_snapshot(struct peer *p, const struct request *r)
{
	const char *source = json_string_value(json_object_get(r->object, "source"));
	const json_t *specs = json_object_get(r->object, "specs");
	const json_t *part = json_object_get(r->object, "part");
	struct spec_fault fault = {0};
	int error;

	if (!source || !name_is_valid(source)) {
		peer_refuse(p, "usage", "source", "missing, or not a DNS-1123 label");
		return;
	}
	if (!json_is_array(specs) || (part && !json_is_integer(part))) {
		peer_refuse(p, "usage", part ? "part" : "specs", "specs is a list, part a number");
		return;
	}
	error = snapshot_add(
		peer_snapshot(p), source, part ? json_integer_value(part) : 1, specs, &fault);
	if (error < 0)
		drop_snapshot(p);
	if (error == -EINVAL)
		peer_refuse(
			p, "refused", fault.field[0] ? fault.field : "specs", "%s", fault.message);
	else if (error < 0)
		refuse_specs(p, NULL, "the snapshot is not taken in", error);
	else if (json_is_true(json_object_get(r->object, "complete")))
		commit_snapshot(p);
	else
		ok(p);
}

static const struct verb {
	const char *name;
	void (*fn)(struct peer *p, const struct request *r);
	const char *keys[4];
} verbs[] = {
	{"status", do_status, {0}},
	{"runs", do_runs, {"since", "wait_ms"}},
	{"snapshot", do_snapshot, {"source", "specs", "part", "complete"}},
	{"describe", do_describe, {"run"}},
	{"apply", do_apply, {"spec", "wait_ms"}},
	{"release", do_release, {"run", "wait_ms"}},
	{"drain", do_drain, {"wait_ms"}},
	{"resume", do_resume, {0}},
};

static bool takes(const struct verb *verb, const char *key)
{
	for (size_t i = 0; i < sizeof verb->keys / sizeof *verb->keys && verb->keys[i]; i++)
		if (strcmp(verb->keys[i], key) == 0)
			return true;
	return false;
}

/* Returns NULL, or says what is wrong with *ret_field. */
static const char *read_request(
	const struct verb *verb, json_t *object, struct request *r, const char **ret_field)
{
	const json_t *wait = json_object_get(object, "wait_ms");
	const char *key;
	json_t *value;

	json_object_foreach(object, key, value) {
		*ret_field = key;
		if (strcmp(key, "verb") != 0 && !takes(verb, key))
			return "unknown key";
	}
	*ret_field = "wait_ms";
	if (wait && (!json_is_integer(wait) || json_integer_value(wait) < 0 ||
			    json_integer_value(wait) > CONTROL_WAIT_MAX_MS))
		return "not a whole number from 0 to 3600000";
	*r = (struct request){.object = object, .wait_ms = json_integer_value(wait)};
	*ret_field = "run";
	if (takes(verb, "run")) {
		r->run = json_string_value(json_object_get(object, "run"));
		if (!r->run)
			return "missing, or not a text";
		if (!name_is_valid(r->run))
			return "not a DNS-1123 label of at most 63 characters";
	}
	return NULL;
}

static void handle(struct peer *p, json_t *object)
{
	const char *name = json_string_value(json_object_get(object, "verb"));
	const struct verb *verb = verbs;
	struct request r;
	const char *field, *why;

	while (name && verb < verbs + sizeof verbs / sizeof *verbs && strcmp(verb->name, name) != 0)
		verb++;
	if (!name || verb == verbs + sizeof verbs / sizeof *verbs) {
		peer_refuse(p, "usage", "verb",
			"none of status, runs, snapshot, describe, apply, release, drain, resume");
		return;
	}
	why = read_request(verb, object, &r, &field);
	if (why)
		peer_refuse(p, "usage", field, "%s", why);
	else
		verb->fn(p, &r);
}

void verbs_handle(struct peer *p, const char *packet, size_t size)
{
	json_error_t error;
	json_t *object = json_loadb(packet, size, JSON_REJECT_DUPLICATES, &error);

	if (!json_is_object(object))
		peer_refuse(p, "usage", NULL, "not a JSON object: %s",
			object ? "another value" : error.text);
	else
		handle(p, object);
	json_decref(object);
}
