/* SPDX-License-Identifier: Apache-2.0 */
/* OCI profiles: fields of objects, and messages that name them. */
#include "seccomp/oci.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

/* Messages quote the profile, and may end up on a terminal. */
static void make_printable(char *s)
{
	for (; *s; s++)
		if ((unsigned char)*s < ' ' || *s == 0x7f)
			*s = '?';
}

int oci_fail(struct oci *o, int code, const char *where, const char *format, ...)
{
	va_list ap;
	int n = snprintf(o->err, o->errlen, "%s: %s%s", o->source, where, *where ? ": " : "");

	if (n >= 0 && (size_t)n < o->errlen) {
		va_start(ap, format);
		(void)vsnprintf(o->err + n, o->errlen - (size_t)n, format, ap);
		va_end(ap);
	}
	if (o->errlen)
		make_printable(o->err);
	return code;
}

int oci_warn(struct oci *o, const char *format, ...)
{
	struct seccomp_program *p = o->program;
	char **more = realloc(p->warnings, (p->n_warnings + 1) * sizeof(*more));
	va_list ap;

	if (!more)
		return -ENOMEM;
	p->warnings = more;
	va_start(ap, format);
	int n = vasprintf(&more[p->n_warnings], format, ap);
	va_end(ap);
	if (n < 0)
		return -ENOMEM;
	make_printable(more[p->n_warnings++]);
	return 0;
}

int oci_only_keys(struct oci *o, const json_t *object, const char *where, const char *const *keys)
{
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)(uintptr_t)object, key, value) {
		size_t i = 0;
		while (keys[i] && strcmp(keys[i], key) != 0)
			i++;
		if (!keys[i])
			return oci_fail(o, -EBADMSG, where, "unknown field \"%s\"", key);
	}
	return 0;
}

static const char *type_name(json_type type)
{
	switch (type) {
	case JSON_OBJECT:
		return "an object";
	case JSON_ARRAY:
		return "an array";
	case JSON_STRING:
		return "a string";
	default:
		return "a whole number";
	}
}

int oci_get(struct oci *o, const json_t *object, const char *where, const char *key, json_type type,
	const json_t **ret)
{
	const json_t *v = json_object_get(object, key);

	if (v && json_typeof(v) == JSON_NULL)
		v = NULL;
	if (v && json_typeof(v) != type)
		return oci_fail(o, -EBADMSG, where, "\"%s\" must be %s", key, type_name(type));
	*ret = v;
	return 0;
}

/* A missing number leaves *ret as it is. */
int oci_get_number(struct oci *o, const json_t *object, const char *where, const char *key,
	uint64_t highest, uint64_t *ret)
{
	const json_t *v = NULL;
	int r = oci_get(o, object, where, key, JSON_INTEGER, &v);

	if (r < 0 || !v)
		return r;
	json_int_t n = json_integer_value(v);
	if (n < 0 || (uint64_t)n > highest)
		return oci_fail(o, -EBADMSG, where,
			"\"%s\" is %" JSON_INTEGER_FORMAT ", not in 0 to %llu", key, n,
			(unsigned long long)highest);
	*ret = (uint64_t)n;
	return 0;
}

int oci_get_strings(
	struct oci *o, const json_t *object, const char *where, const char *key, const json_t **ret)
{
	const json_t *list = NULL;
	int r = oci_get(o, object, where, key, JSON_ARRAY, &list);

	for (size_t i = 0; r >= 0 && i < json_array_size(list); i++)
		if (!json_is_string(json_array_get(list, i)))
			r = oci_fail(o, -EBADMSG, where, "\"%s\"[%zu] must be a string", key, i);
	if (r >= 0)
		*ret = list;
	return r;
}

static const struct {
	const char *name;
	uint32_t action;
} actions[] = {
	{"SCMP_ACT_KILL", SECCOMP_RET_KILL_THREAD},
	{"SCMP_ACT_KILL_THREAD", SECCOMP_RET_KILL_THREAD},
	{"SCMP_ACT_KILL_PROCESS", SECCOMP_RET_KILL_PROCESS},
	{"SCMP_ACT_TRAP", SECCOMP_RET_TRAP},
	{"SCMP_ACT_ERRNO", SECCOMP_RET_ERRNO},
	{"SCMP_ACT_TRACE", SECCOMP_RET_TRACE},
	{"SCMP_ACT_LOG", SECCOMP_RET_LOG},
	{"SCMP_ACT_ALLOW", SECCOMP_RET_ALLOW},
};

static int parse_action(
	struct oci *o, const char *where, const char *key, const char *name, uint32_t *ret)
{
	for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++)
		if (!strcmp(actions[i].name, name)) {
			*ret = actions[i].action;
			return 0;
		}
	if (!strcmp(name, "SCMP_ACT_NOTIFY"))
		return oci_fail(o, -EOPNOTSUPP, where,
			"\"%s\": SCMP_ACT_NOTIFY needs an agent that listens, which is not "
			"supported",
			key);
	return oci_fail(o, -EBADMSG, where, "\"%s\": unknown action \"%s\"", key, name);
}

/*
 * keys: the action, its errno as a number, its errno as a name. The name only comments the number,
 * as Podman writes both.
 */
int oci_get_action(struct oci *o, const json_t *object, const char *where,
	const char *const keys[3], uint32_t *ret)
{
	const json_t *name = NULL, *number = NULL, *comment = NULL;
	uint64_t data = EPERM;
	uint32_t action = SECCOMP_RET_KILL_PROCESS;

	int r = oci_get(o, object, where, keys[0], JSON_STRING, &name);
	if (r >= 0 && !name)
		r = oci_fail(o, -EBADMSG, where, "\"%s\" is missing", keys[0]);
	if (r >= 0)
		r = parse_action(o, where, keys[0], json_string_value(name), &action);
	if (r >= 0)
		r = oci_get(o, object, where, keys[1], JSON_INTEGER, &number);
	if (r >= 0)
		r = oci_get(o, object, where, keys[2], JSON_STRING, &comment);
	if (r >= 0)
		r = oci_get_number(o, object, where, keys[1], 4095, &data);
	if (r < 0)
		return r;
	if (comment && !number)
		return oci_fail(
			o, -EBADMSG, where, "\"%s\" needs \"%s\" beside it", keys[2], keys[1]);
	bool takes_data = action == SECCOMP_RET_ERRNO || action == SECCOMP_RET_TRACE;
	if (number && !takes_data)
		return oci_fail(o, -EBADMSG, where,
			"\"%s\" is only for SCMP_ACT_ERRNO and SCMP_ACT_TRACE", keys[1]);
	*ret = takes_data ? action | (uint32_t)data : action;
	return 0;
}
