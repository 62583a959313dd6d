/* SPDX-License-Identifier: Apache-2.0 */
/* kora-mountctl runs and describe: what the daemon knows of its runs. */
#include "mountd/ctl.h"

#include <string.h>
#include <time.h>

static const char *text_of(const json_t *item, const char *key)
{
	const char *text = json_string_value(json_object_get(item, key));

	return text ? text : "";
}

static void item_age(const json_t *item, char age[CTL_AGE_SIZE])
{
	json_int_t since = json_integer_value(json_object_get(item, "since"));

	ctl_format_age(since ? (int64_t)time(NULL) - since : 0, age);
}

static json_t *table_row(const json_t *item)
{
	char age[CTL_AGE_SIZE];

	item_age(item, age);
	return json_pack("[s,s,s,s,s,s,s]", text_of(item, "run"), text_of(item, "role"),
		text_of(item, "state"), age, text_of(item, "peer"), text_of(item, "path"),
		text_of(item, "fault"));
}

static void print_runs(const json_t *items)
{
	_cleanup_json_ json_t *rows = json_pack(
		"[[s,s,s,s,s,s,s]]", "RUN", "ROLE", "STATE", "AGE", "PEER", "PATH", "FAULT");
	size_t i;
	json_t *item;

	json_array_foreach(items, i, item)
		(void)json_array_append_new(rows, table_row(item));
	ctl_print_table(rows);
}

static void print_value(const char *name, const json_t *value)
{
	_cleanup_free_ char *dumped = NULL;

	if (json_is_string(value)) {
		ctl_print_field(name, json_string_value(value));
		return;
	}
	dumped = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
	ctl_print_field(name, dumped ? dumped : "-");
}

/* A key that this version does not know is shown as it came; a list has a line for each value. */
static void print_key(const char *key, const json_t *value)
{
	const char *inner_key;
	json_t *inner;
	size_t i;

	if (json_is_array(value) && json_array_size(value))
		json_array_foreach(value, i, inner)
			print_value(i ? "" : key, inner);
	else if (json_is_object(value) && json_object_size(value))
		json_object_foreach((json_t *)value, inner_key, inner) {
			char name[128];

			(void)snprintf(name, sizeof name, "%s.%s", key, inner_key);
			print_value(name, inner);
		}
	else
		print_value(key, value);
}

static void print_item(json_t *item)
{
	const char *key;
	json_t *value;
	char age[CTL_AGE_SIZE];

	json_object_foreach(item, key, value) {
		if (strcmp(key, "since") == 0) {
			item_age(item, age);
			ctl_print_field("age", age);
		} else {
			print_key(key, value);
		}
	}
}

static int ask(const struct ctl_args *args, const json_t *request, json_t **ret_items,
	struct ctl_fault *fault)
{
	return ctl_call(args->socket, request, ctl_now_ms() + args->timeout * 1000LL, ret_items,
		NULL, fault);
}

int ctl_runs(const struct ctl_args *args, struct ctl_fault *fault)
{
	_cleanup_json_ json_t *request = json_pack("{s:s}", "verb", "runs");
	_cleanup_json_ json_t *items = NULL;
	int code = ask(args, request, &items, fault);

	if (code != CTL_OK)
		return code;
	if (args->json) {
		_cleanup_json_ json_t *result = json_pack("{s:O}", "runs", items);
		ctl_print_json(result);
	} else {
		print_runs(items);
	}
	return CTL_OK;
}

static void print_described(const json_t *items)
{
	size_t i;
	json_t *item;

	json_array_foreach(items, i, item) {
		if (i)
			putchar('\n');
		print_item(item);
	}
}

int ctl_describe(const struct ctl_args *args, struct ctl_fault *fault)
{
	_cleanup_json_ json_t *request =
		json_pack("{s:s, s:s}", "verb", "describe", "run", args->operand);
	_cleanup_json_ json_t *items = NULL;
	int code = ask(args, request, &items, fault);

	if (code != CTL_OK)
		return code;
	if (json_array_size(items) == 0)
		return ctl_fault_set(fault, CTL_NOT_FOUND, ctl_no_such_run,
			"%s: this node knows no such run", args->operand);
	if (args->json) {
		_cleanup_json_ json_t *result =
			json_pack("{s:s, s:O}", "run", args->operand, "items", items);
		ctl_print_json(result);
	} else {
		print_described(items);
	}
	return CTL_OK;
}
