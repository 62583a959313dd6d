/* SPDX-License-Identifier: Apache-2.0 */
/* Specs as values, and from JSON: every refusal names its key. */
#include "mountd/spec.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mountd/base/cleanup.h"
#include "nfs/export.h"

#define DEFAULT_PORT 20490
#define ID_MAX	     4294967294ULL /* (uid_t)-1 means "none" to the kernel */

/* One object being read: keys that were asked for are counted, so that the rest is unknown. */
struct reader {
	const json_t *object;
	const char *keys[16];
	size_t n_keys;
	struct spec_fault *fault;
};

static int refuse(struct spec_fault *fault, const char *field, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static int refuse(struct spec_fault *fault, const char *field, const char *format, ...)
{
	va_list args;

	(void)snprintf(fault->field, sizeof fault->field, "%s", field);
	va_start(args, format);
	(void)vsnprintf(fault->message, sizeof fault->message, format, args);
	va_end(args);
	return -EINVAL;
}

static const json_t *get(struct reader *r, const char *key)
{
	r->keys[r->n_keys++] = key;
	return json_object_get(r->object, key);
}

static int get_text(struct reader *r, const char *key, const char *otherwise, const char **ret)
{
	const json_t *value = get(r, key);

	if (!value && otherwise) {
		*ret = otherwise;
		return 0;
	}
	if (!value)
		return refuse(r->fault, key, "missing");
	if (!json_is_string(value))
		return refuse(r->fault, key, "not a text");
	*ret = json_string_value(value);
	return 0;
}

static int get_name(struct reader *r, const char *key, char name[NAME_MAX_LENGTH + 1])
{
	const char *text = "";
	int error = get_text(r, key, NULL, &text);

	if (error < 0)
		return error;
	if (!name_is_valid(text))
		return refuse(r->fault, key,
			"not a DNS-1123 label: 1 to 63 characters of a-z, 0-9 and '-', "
			"the first and last not '-'");
	memcpy(name, text, strlen(text) + 1);
	return 0;
}

static int get_path(struct reader *r, const char *key, const char *otherwise,
	const char *(*find_fault)(const char *), char **ret)
{
	const char *text, *why;
	int error = get_text(r, key, otherwise, &text);

	if (error < 0)
		return error;
	why = find_fault(text);
	if (why)
		return refuse(r->fault, key, "%s", why);
	*ret = strdup(text);
	return *ret ? 0 : -ENOMEM;
}

static int get_number(struct reader *r, const char *key, json_int_t otherwise, json_int_t min,
	json_int_t max, json_int_t *ret)
{
	const json_t *value = get(r, key);

	if (!value && otherwise >= min) {
		*ret = otherwise;
		return 0;
	}
	if (!value)
		return refuse(r->fault, key, "missing");
	if (!json_is_integer(value) || json_integer_value(value) < min ||
		json_integer_value(value) > max)
		return refuse(r->fault, key, "not a whole number from %lld to %lld", (long long)min,
			(long long)max);
	*ret = json_integer_value(value);
	return 0;
}

static int get_owner(struct reader *r, uid_t *ret_uid, gid_t *ret_gid)
{
	json_int_t uid = 0, gid = 0;
	int error = get_number(r, "uid", 0, 1, ID_MAX, &uid);

	if (error == 0)
		error = get_number(r, "gid", 0, 1, ID_MAX, &gid);
	if (error < 0)
		return error;
	*ret_uid = (uid_t)uid;
	*ret_gid = (gid_t)gid;
	return 0;
}

static int get_bool(struct reader *r, const char *key, bool *ret)
{
	const json_t *value = get(r, key);

	if (value && !json_is_boolean(value))
		return refuse(r->fault, key, "neither true nor false");
	*ret = json_is_true(value);
	return 0;
}

static int get_id(struct reader *r, struct run_id *ret)
{
	int error = get_name(r, "run", ret->run);

	return error < 0 ? error : get_name(r, "incarnation", ret->incarnation);
}

static int refuse_address(struct spec_fault *fault, const char *field, int error)
{
	return refuse(fault, field, "%s",
		error == -EADDRNOTAVAIL ? "names no single host (unspecified, multicast, broadcast "
					  "or link-local)"
					: "not an IPv4 or IPv6 address");
}

static int compare_addr(const void *a, const void *b)
{
	return addr_compare(a, b);
}

static int get_clients(struct reader *r, struct export *e)
{
	const json_t *list = get(r, "clients");
	size_t n = json_array_size(list);

	if (!list)
		return refuse(r->fault, "clients", "missing");
	if (!json_is_array(list) || n < 1 || n > EXPORT_CLIENTS_MAX)
		return refuse(
			r->fault, "clients", "not a list of 1 to %d addresses", EXPORT_CLIENTS_MAX);
	e->clients = calloc(n, sizeof *e->clients);
	if (!e->clients)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		const char *text = json_string_value(json_array_get(list, i));
		char field[32];
		int error = text ? addr_parse(text, &e->clients[i]) : -EINVAL;

		(void)snprintf(field, sizeof field, "clients[%zu]", i);
		if (error < 0)
			return refuse_address(r->fault, field, error);
	}
	qsort(e->clients, n, sizeof *e->clients, compare_addr);
	e->n_clients = 1;
	for (size_t i = 1; i < n; i++)
		if (!addr_equal(&e->clients[i], &e->clients[e->n_clients - 1]))
			e->clients[e->n_clients++] = e->clients[i];
	return 0;
}

static int read_export(struct reader *r, struct export *e)
{
	int error = get_id(r, &e->id);

	if (error == 0)
		error = get_path(r, "volume", NULL, path_absolute_fault, &e->volume);
	if (error == 0)
		error = get_path(r, "folder", ".", path_relative_fault, &e->folder);
	if (error == 0)
		error = get_clients(r, e);
	if (error == 0)
		error = get_owner(r, &e->uid, &e->gid);
	if (error == 0)
		error = get_bool(r, "sync", &e->sync);
	return error;
}

static int get_server(struct reader *r, struct mount *m)
{
	json_int_t port = 0;
	const char *text;
	int error = get_text(r, "server", NULL, &text);

	if (error < 0)
		return error;
	error = addr_parse(text, &m->server);
	if (error < 0)
		return refuse_address(r->fault, "server", error);
	error = get_number(r, "port", DEFAULT_PORT, 1, 65535, &port);
	m->port = (uint16_t)port;
	return error;
}

static int read_mount(struct reader *r, struct mount *m)
{
	int error = get_id(r, &m->id);

	if (error == 0 && m->kind == MOUNT_NFS)
		error = get_server(r, m);
	if (error == 0 && m->kind == MOUNT_BIND)
		error = get_path(r, "source_volume", NULL, path_absolute_fault, &m->source_volume);
	if (error == 0 && m->kind == MOUNT_BIND)
		error = get_path(r, "source_folder", ".", path_relative_fault, &m->source_folder);
	if (error == 0)
		error = get_path(r, "volume", NULL, path_absolute_fault, &m->volume);
	if (error == 0)
		error = get_owner(r, &m->uid, &m->gid);
	return error;
}

static int find_unknown_key(const struct reader *r)
{
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)r->object, key, value) {
		size_t i = 0;

		while (i < r->n_keys && strcmp(key, r->keys[i]) != 0)
			i++;
		if (i == r->n_keys)
			return refuse(r->fault, key, "unknown key");
	}
	return 0;
}

static int read_spec(struct reader *r, struct spec *spec)
{
	const char *kind = "";
	int error = get_text(r, "kind", NULL, &kind);

	if (error < 0)
		return error;
	if (strcmp(kind, "export") == 0) {
		spec->role = ROLE_EXPORT;
		error = read_export(r, &spec->export);
	} else if (strcmp(kind, "mount") == 0 || strcmp(kind, "bind") == 0) {
		spec->role = ROLE_MOUNT;
		spec->mount.kind = *kind == 'b' ? MOUNT_BIND : MOUNT_NFS;
		error = read_mount(r, &spec->mount);
	} else {
		return refuse(r->fault, "kind", "none of export, mount, bind");
	}
	return error < 0 ? error : find_unknown_key(r);
}

int spec_from_json(const json_t *object, struct spec *ret, struct spec_fault *fault)
{
	struct reader r = {.object = object, .fault = fault};
	_cleanup_(spec_clear) struct spec spec = {0};
	int error;

	if (!json_is_object(object))
		return refuse(fault, "", "not a JSON object");
	error = read_spec(&r, &spec);
	if (error < 0)
		return error;
	*ret = spec;
	spec = (struct spec){0};
	return 0;
}

static bool is_blank(const char *text, size_t size)
{
	static const char blanks[] = {' ', '\t', '\r', '\n'};

	while (size && memchr(blanks, text[size - 1], sizeof blanks))
		size--;
	return size == 0;
}

int spec_parse(const char *text, size_t size, struct spec *ret, struct spec_fault *fault)
{
	json_error_t error;
	json_t *object;
	int r;

	if (size > SPEC_SIZE_MAX)
		return refuse(fault, "", "longer than %d bytes", SPEC_SIZE_MAX);
	if (is_blank(text, size))
		return refuse(fault, "", "empty: a spec, a JSON object, is missing");
	object = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);
	/* Where memory is short, jansson mostly says nothing. */
	if (!object && (!error.text[0] || json_error_code(&error) == json_error_out_of_memory))
		return -ENOMEM;
	if (!object)
		return refuse(fault, "", "%s at line %d, column %d", error.text, error.line,
			error.column);
	r = spec_from_json(object, ret, fault);
	json_decref(object);
	return r;
}

void spec_fault_format(const struct spec_fault *fault, char *text, size_t size)
{
	(void)snprintf(
		text, size, "%s%s%s", fault->field, fault->field[0] ? ": " : "", fault->message);
}
