/* SPDX-License-Identifier: Apache-2.0 */
/* OCI profiles: the entries of "syscalls". */
#include "seccomp/oci.h"

#include <errno.h>
#include <string.h>

static const char *const entry_keys[] = {"names", "name", "action", "errnoRet", "errno", "args",
	"comment", "includes", "excludes", NULL};
static const char *const arg_keys[] = {"index", "value", "valueTwo", "op", NULL};

static const char *const op_names[] = {
	[POLICY_EQ] = "SCMP_CMP_EQ",
	[POLICY_NE] = "SCMP_CMP_NE",
	[POLICY_GT] = "SCMP_CMP_GT",
	[POLICY_GE] = "SCMP_CMP_GE",
	[POLICY_LT] = "SCMP_CMP_LT",
	[POLICY_LE] = "SCMP_CMP_LE",
};

/* An entry as written; its conditions are narrowed for each name to what the kernel reads. */
struct entry {
	const json_t *names;
	uint32_t action;
	uint8_t n_args;
	struct policy_arg args[6];
};

static int parse_op(struct oci *o, const char *where, const json_t *v, struct policy_arg *a)
{
	const char *op = json_string_value(v);

	if (!op)
		return oci_fail(o, -EBADMSG, where, "\"op\" is missing");
	if (!strcmp(op, "SCMP_CMP_MASKED_EQ")) {
		a->op = POLICY_EQ;
		return 1;
	}
	for (size_t i = 0; i < sizeof(op_names) / sizeof(op_names[0]); i++)
		if (!strcmp(op, op_names[i])) {
			a->op = (enum policy_op)i;
			return 0;
		}
	return oci_fail(o, -EBADMSG, where, "unknown \"op\" \"%s\"", op);
}

static int parse_arg(struct oci *o, const json_t *v, const char *where, struct policy_arg *ret)
{
	uint64_t index = UINT64_MAX, value = 0, two = 0;
	const json_t *op = NULL;

	if (!json_is_object(v))
		return oci_fail(o, -EBADMSG, where, "must be an object");
	int r = oci_only_keys(o, v, where, arg_keys);
	if (r >= 0)
		r = oci_get_number(o, v, where, "index", 5, &index);
	if (r >= 0 && index > 5)
		r = oci_fail(o, -EBADMSG, where, "\"index\" is missing");
	if (r >= 0)
		r = oci_get_number(o, v, where, "value", INT64_MAX, &value);
	if (r >= 0)
		r = oci_get_number(o, v, where, "valueTwo", INT64_MAX, &two);
	if (r >= 0)
		r = oci_get(o, v, where, "op", JSON_STRING, &op);
	if (r >= 0)
		r = parse_op(o, where, op, ret);
	if (r < 0)
		return r;
	bool masked = r > 0;
	if (!masked && two)
		return oci_fail(o, -EBADMSG, where, "\"valueTwo\" is only for SCMP_CMP_MASKED_EQ");
	if (masked && two & ~value)
		return oci_fail(o, -EBADMSG, where,
			"never holds: \"valueTwo\" has bits outside of the mask in \"value\"");
	ret->index = (uint8_t)index;
	ret->mask = masked ? value : UINT64_MAX;
	ret->value = masked ? two : value;
	return 0;
}

/* Runtimes disagree whether two conditions on one argument mean both or either. */
static int parse_args(struct oci *o, const json_t *entry, const char *where, struct entry *e)
{
	const json_t *args = NULL;
	unsigned seen = 0;
	char inner[128];

	int r = oci_get(o, entry, where, "args", JSON_ARRAY, &args);
	for (size_t i = 0; r >= 0 && i < json_array_size(args); i++) {
		struct policy_arg a = {0};
		(void)snprintf(inner, sizeof(inner), "%s.args[%zu]", where, i);
		r = parse_arg(o, json_array_get(args, i), inner, &a);
		if (r < 0)
			break;
		if (seen & 1u << a.index)
			return oci_fail(o, -EBADMSG, inner,
				"a second condition on argument %u: runtimes differ on whether "
				"both or"
				" either must hold; write one entry for each",
				a.index);
		seen |= 1u << a.index;
		e->args[e->n_args++] = a;
	}
	return r;
}

static int parse_names(struct oci *o, const json_t *entry, const char *where, const json_t **ret)
{
	const json_t *names = NULL, *name = NULL;

	int r = oci_get_strings(o, entry, where, "names", &names);
	if (r >= 0)
		r = oci_get(o, entry, where, "name", JSON_STRING, &name);
	if (r < 0)
		return r;
	if (name && !*json_string_value(name))
		name = NULL;
	if (!name == !json_array_size(names))
		return oci_fail(o, -EBADMSG, where, "needs either \"names\" or \"name\"");
	*ret = name ? name : names;
	return 0;
}

/*
 * The kernel reads only the low half of an int and drops the rest, so that is all that is compared:
 * a comparison of 64 bits is passed by setting a bit that nobody reads.
 */
static int narrow(
	struct oci *o, const char *where, const struct syscall_info *s, struct policy_arg *a)
{
	uint64_t width = syscall_arg_mask(s, a->index);

	if (a->value & ~width)
		return oci_fail(o, -EBADMSG, where,
			"%#llx is more than the kernel reads of argument %u of %s",
			(unsigned long long)a->value, a->index, s->name);
	a->mask &= width;
	a->value &= width;
	return 0;
}

static int add_rule(
	struct oci *o, const char *where, const struct entry *e, const struct syscall_info *s)
{
	struct policy_rule rule = {
		.nr = s->nr[SECCOMP_NATIVE], .action = e->action, .n_args = e->n_args};

	memcpy(rule.args, e->args, sizeof(rule.args));
	for (size_t i = 0; i < rule.n_args; i++) {
		int r = narrow(o, where, s, &rule.args[i]);
		if (r < 0)
			return r;
	}
	if (o->n_rules == OCI_MAX_RULES)
		return oci_fail(o, -E2BIG, where, "more than %d rules", OCI_MAX_RULES);
	struct policy_rule *more = realloc(o->rules, (o->n_rules + 1) * sizeof(*more));
	if (!more)
		return -ENOMEM;
	more[o->n_rules++] = rule;
	o->rules = more;
	return 0;
}

/*
 * A name that nobody knows, in an entry that opens: what stays shut is reported. In an entry that
 * shuts, it is a hole (a typo, or a call newer than this build), and refused.
 */
static int unknown_name(struct oci *o, const char *where, const char *name, uint32_t action)
{
	int32_t entry = (int32_t)(action & SECCOMP_RET_ACTION_FULL);
	int32_t fallback = (int32_t)(o->default_action & SECCOMP_RET_ACTION_FULL);

	if (syscall_is_foreign(name))
		return 0;
	if (entry < fallback)
		return oci_fail(o, -EBADMSG, where,
			"unknown system call \"%s\": it would get the default, which is weaker",
			name);
	return oci_warn(o, "%s: unknown system call \"%s\" is left out", where, name);
}

static int add_name(
	struct oci *o, const char *where, const struct entry *e, const char *name, bool applies)
{
	const struct syscall_info *s = syscall_by_name(name);

	if (!s)
		return applies ? unknown_name(o, where, name, e->action) : 0;
	int nr = s->nr[SECCOMP_NATIVE];
	if (nr > o->highest)
		o->highest = nr;
	return applies && nr >= 0 ? add_rule(o, where, e, s) : 0;
}

static int read_entry(struct oci *o, const json_t *v, const char *where)
{
	static const char *const action_keys[3] = {"action", "errnoRet", "errno"};
	struct entry e = {0};
	const json_t *comment = NULL;
	bool applies = false;

	if (!json_is_object(v))
		return oci_fail(o, -EBADMSG, where, "must be an object");
	int r = oci_only_keys(o, v, where, entry_keys);
	if (r >= 0)
		r = oci_get(o, v, where, "comment", JSON_STRING, &comment);
	if (r >= 0)
		r = parse_names(o, v, where, &e.names);
	if (r >= 0)
		r = oci_applies(o, v, where, &applies);
	if (r >= 0)
		r = oci_get_action(o, v, where, action_keys, &e.action);
	if (r >= 0)
		r = parse_args(o, v, where, &e);
	if (r < 0)
		return r;
	if (json_is_string(e.names))
		return add_name(o, where, &e, json_string_value(e.names), applies);
	for (size_t i = 0; r >= 0 && i < json_array_size(e.names); i++)
		r = add_name(o, where, &e, json_string_value(json_array_get(e.names, i)), applies);
	return r;
}

int oci_read_syscalls(struct oci *o, const json_t *syscalls)
{
	char where[64];
	int r = 0;

	for (size_t i = 0; r >= 0 && i < json_array_size(syscalls); i++) {
		(void)snprintf(where, sizeof(where), "syscalls[%zu]", i);
		r = read_entry(o, json_array_get(syscalls, i), where);
	}
	return r;
}
