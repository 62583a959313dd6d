/* SPDX-License-Identifier: Apache-2.0 */
/* kora-mountctl export, mount and bind: a spec made of arguments, given to the daemon. */
#include "mountd/ctl.h"

#include <limits.h>
#include <string.h>

/* What the daemon gets on top of the time it was asked to keep, to say that it did not. */
#define ANSWER_GRACE_MS 2000
/* What is not ready by then is told, with its fault, and waited for. */
#define FIRST_WORD_MS 3000

int ctl_path_split(const char *path, char *volume, size_t size, const char **ret_folder)
{
	const char *slash = strrchr(path, '/');

	if (path[0] != '/' || !slash[1])
		return -EINVAL;
	size_t length = slash == path ? 1 : (size_t)(slash - path);
	if (length >= size)
		return -ENAMETOOLONG;
	memcpy(volume, path, length);
	volume[length] = '\0';
	*ret_folder = slash + 1;
	return 0;
}

struct place {
	const char *volume_option, *folder_option; /* as the operator knows them */
	const char *volume_key, *folder_key;	   /* as the spec does */
	const char *volume, *folder;		   /* what was given; volume may be NULL */
};

static int set_texts(json_t *spec, const struct place *p, const char *volume, const char *folder,
	struct ctl_fault *fault)
{
	if (json_object_set_new(spec, p->volume_key, json_string(volume)) < 0 ||
		json_object_set_new(spec, p->folder_key, json_string(folder)) < 0)
		return ctl_fault_set(fault, CTL_USAGE, NULL, "--%s is not UTF-8", p->folder_option);
	return CTL_OK;
}

static int set_place(json_t *spec, const struct place *p, struct ctl_fault *fault)
{
	char parent[PATH_MAX];
	const char *folder;

	if (p->volume && p->folder[0] == '/')
		return ctl_fault_set(fault, CTL_USAGE, NULL,
			"--%s '%s' is absolute, but must be relative to --%s", p->folder_option,
			p->folder, p->volume_option);
	if (p->volume)
		return set_texts(spec, p, p->volume, p->folder, fault);
	if (p->folder[0] != '/')
		return ctl_fault_set(fault, CTL_USAGE, NULL,
			"--%s '%s' is relative: name its --%s, or write it from / on",
			p->folder_option, p->folder, p->volume_option);
	if (ctl_path_split(p->folder, parent, sizeof parent, &folder) < 0)
		return ctl_fault_set(fault, CTL_USAGE, NULL, "--%s '%s' is not a sandbox's folder",
			p->folder_option, p->folder);
	return set_texts(spec, p, parent, folder, fault);
}

static json_t *clients_of(const struct ctl_args *args)
{
	json_t *clients = json_array();

	for (size_t i = 0; i < args->n_addresses; i++) {
		char text[ADDR_TEXT_SIZE];
		addr_format(&args->addresses[i], text);
		(void)json_array_append_new(clients, json_string(text));
	}
	return clients;
}

static int set_export(json_t *spec, const struct ctl_args *args, struct ctl_fault *fault)
{
	(void)json_object_set_new(spec, "clients", clients_of(args));
	(void)json_object_set_new(spec, "sync", json_boolean(args->given & CTL_OPT_SYNC));
	const struct place place = {
		"volume", "folder", "volume", "folder", args->volume, args->folder};
	return set_place(spec, &place, fault);
}

static int set_volume(json_t *spec, const struct ctl_args *args, struct ctl_fault *fault)
{
	if (json_object_set_new(spec, "volume", json_string(args->volume)) < 0)
		return ctl_fault_set(fault, CTL_USAGE, NULL, "--volume is not UTF-8");
	return CTL_OK;
}

static int set_mount(json_t *spec, const struct ctl_args *args, struct ctl_fault *fault)
{
	char server[ADDR_TEXT_SIZE];

	addr_format(&args->server, server);
	(void)json_object_set_new(spec, "server", json_string(server));
	(void)json_object_set_new(spec, "port", json_integer(args->port));
	return set_volume(spec, args, fault);
}

static int set_bind(json_t *spec, const struct ctl_args *args, struct ctl_fault *fault)
{
	const struct place place = {"source-volume", "source-folder", "source_volume",
		"source_folder", args->source_volume, args->source_folder};
	int code = set_place(spec, &place, fault);

	return code == CTL_OK ? set_volume(spec, args, fault) : code;
}

json_t *ctl_spec_from_args(const struct ctl_args *args, const char *kind, struct ctl_fault *fault)
{
	_cleanup_json_ json_t *spec = json_pack("{s:s, s:s, s:s, s:I, s:I}", "kind", kind, "run",
		args->operand, "incarnation", args->incarnation, "uid", (json_int_t)args->uid,
		"gid", (json_int_t)args->gid);
	int code;

	if (!spec)
		code = ctl_fault_set(fault, CTL_FAILED, NULL, "out of memory");
	else if (strcmp(kind, "export") == 0)
		code = set_export(spec, args, fault);
	else if (strcmp(kind, "mount") == 0)
		code = set_mount(spec, args, fault);
	else
		code = set_bind(spec, args, fault);
	return code == CTL_OK ? TAKE_PTR(spec) : NULL;
}

static void print_state(const struct ctl_args *args, const json_t *last)
{
	const char *state = json_string_value(json_object_get(last, "state"));

	state = state ? state : "accepted";
	if (args->json) {
		_cleanup_json_ json_t *result = json_pack("{s:s, s:s, s:s}", "run", args->operand,
			"role", args->verb->name, "state", state);
		ctl_print_json(result);
		return;
	}
	printf("%s: %s is %s\n", args->operand, args->verb->name, state);
}

/* The daemon's words, with the run that they are about. */
static void name_run(const struct ctl_args *args, struct ctl_fault *fault)
{
	struct ctl_fault named = *fault;

	(void)snprintf(named.what, sizeof named.what, "%s%s%s: %.900s", args->verb->name,
		args->operand ? " " : "", args->operand ? args->operand : "", fault->what);
	*fault = named;
}

/* *ret_last may be left NULL on failure. */
static int ask_for(const struct ctl_args *args, json_t *request, int64_t wait_ms, json_t **ret_last,
	struct ctl_fault *fault)
{
	int64_t deadline = ctl_now_ms() + wait_ms + ANSWER_GRACE_MS;

	(void)json_object_set_new(request, "wait_ms", json_integer(wait_ms));
	int code = ctl_call(args->socket, request, deadline, NULL, ret_last, fault);
	if (code != CTL_OK)
		name_run(args, fault);
	return code;
}

static int64_t granted_ms(const struct ctl_args *args)
{
	return args->given & CTL_OPT_NO_WAIT ? 0 : args->timeout * 1000LL;
}

static int ask(
	const struct ctl_args *args, json_t *request, json_t **ret_last, struct ctl_fault *fault)
{
	return ask_for(args, request, granted_ms(args), ret_last, fault);
}

/* To apply a spec once more changes nothing. */
static int ask_and_tell(
	const struct ctl_args *args, json_t *request, json_t **ret_last, struct ctl_fault *fault)
{
	int64_t wait_ms = granted_ms(args);
	int64_t first_ms = wait_ms < FIRST_WORD_MS ? wait_ms : FIRST_WORD_MS;
	int code = ask_for(args, request, first_ms, ret_last, fault);

	if (code != CTL_TIMEOUT || wait_ms == first_ms)
		return code;
	(void)fprintf(stderr, "kora-mountctl: %s; waiting for it\n", fault->what);
	return ask_for(args, request, wait_ms - first_ms, ret_last, fault);
}

static int apply(const struct ctl_args *args, struct ctl_fault *fault)
{
	_cleanup_json_ json_t *spec = ctl_spec_from_args(args, args->verb->name, fault);
	_cleanup_json_ json_t *last = NULL;

	if (!spec)
		return (int)fault->code;
	_cleanup_json_ json_t *request = json_pack("{s:s, s:O}", "verb", "apply", "spec", spec);
	int code = ask_and_tell(args, request, &last, fault);
	if (code == CTL_OK)
		print_state(args, last);
	return code;
}

int ctl_export(const struct ctl_args *args, struct ctl_fault *fault)
{
	return apply(args, fault);
}

int ctl_mount(const struct ctl_args *args, struct ctl_fault *fault)
{
	return apply(args, fault);
}

int ctl_bind(const struct ctl_args *args, struct ctl_fault *fault)
{
	return apply(args, fault);
}

static void print_done(const struct ctl_args *args, const char *key, bool value, const char *words)
{
	_cleanup_json_ json_t *result = json_pack("{s:b}", key, value);

	if (args->operand)
		(void)json_object_set_new(result, "run", json_string(args->operand));
	if (args->json)
		ctl_print_json(result);
	else
		printf("%s%s%s\n", args->operand ? args->operand : "", args->operand ? ": " : "",
			words);
}

int ctl_release(const struct ctl_args *args, struct ctl_fault *fault)
{
	_cleanup_json_ json_t *request =
		json_pack("{s:s, s:s}", "verb", "release", "run", args->operand);
	bool waits = !(args->given & CTL_OPT_NO_WAIT);
	int code = ask(args, request, NULL, fault);

	if (code == CTL_OK)
		print_done(args, "released", waits, waits ? "released" : "release has begun");
	return code;
}

int ctl_drain(const struct ctl_args *args, struct ctl_fault *fault)
{
	_cleanup_json_ json_t *request = json_pack("{s:s}", "verb", "drain");
	bool waits = !(args->given & CTL_OPT_NO_WAIT);
	int code = ask(args, request, NULL, fault);

	if (code == CTL_OK)
		print_done(args, "drained", waits,
			waits ? "drained: no export, no mount, server stopped"
			      : "the drain has begun");
	return code;
}

int ctl_resume(const struct ctl_args *args, struct ctl_fault *fault)
{
	_cleanup_json_ json_t *request = json_pack("{s:s}", "verb", "resume");
	int code = ctl_call(
		args->socket, request, ctl_now_ms() + args->timeout * 1000LL, NULL, NULL, fault);

	if (code == CTL_OK)
		print_done(args, "drained", false, "resumed: specs are carried out again");
	return code;
}
