/* SPDX-License-Identifier: Apache-2.0 */
/* What an API server sends: streams and lists in pieces, then pods, facts and what follows. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mountd/watch_event.h"
#include "mountd/watch_pod.h"
#include "mountd/watch_split.h"
#include "mountd/watch_wishes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define PODS_MAX 32

static struct pod pods[PODS_MAX];
static size_t n_pods;
static struct facts facts;

static void take_object(const json_t *object)
{
	static const enum fact_kind kinds[] = {FACT_CLAIM, FACT_VOLUME, FACT_NODE};
	const char *name =
		json_string_value(json_object_get(json_object_get(object, "metadata"), "name"));

	if (n_pods < PODS_MAX && pod_from_json(object, &pods[n_pods]) == 0)
		n_pods++;
	for (size_t i = 0; name && i < sizeof kinds / sizeof *kinds; i++) {
		struct fact *fact = facts_find_or_add(&facts, kinds[i], "", name);

		if (fact)
			(void)fact_read(fact, object);
	}
}

static int on_event(void *data, const char *text, size_t size)
{
	struct event e;

	(void)data;
	if (text[size] != '\0')
		abort();
	if (event_parse(text, size, &e) < 0)
		return 0;
	take_object(e.object);
	event_clear(&e);
	return 0;
}

static int on_item(void *data, const char *text, size_t size)
{
	json_t *object = event_load(text, size);

	(void)data;
	take_object(object);
	json_decref(object);
	return 0;
}

static void check_spec(const struct spec *spec)
{
	struct spec_fault fault;
	struct spec again;
	json_t *object = spec_to_json(spec);

	/* Text that is not UTF-8 never comes out of the parser. */
	if (!object || spec_from_json(object, &again, &fault) < 0 || !spec_equal(spec, &again))
		abort();
	spec_clear(&again);
	json_decref(object);
}

static void check_wishes(void)
{
	static const char *const roots[] = {"/srv"};
	struct wishes_config config = {.node = "n",
		.volumes = {"/var/lib/kubelet", roots, 1},
		.port = 20490,
		.cross_namespace = true};
	const struct pod *list[PODS_MAX];
	struct wishes_input in = {
		.config = &config, .pods = list, .n_pods = n_pods, .facts = &facts, .now_ms = 1};
	struct wishes wishes;

	for (size_t i = 0; i < n_pods; i++)
		list[i] = &pods[i];
	if (wishes_find(&in, &wishes) < 0)
		return;
	for (size_t i = 0; i < wishes.n_specs; i++)
		check_spec(&wishes.specs[i]);
	for (size_t i = 0; i < wishes.n_verdicts; i++)
		if (!wishes.verdicts[i].reason || !wishes.verdicts[i].message[0])
			abort();
	(void)wishes_are_partial(&wishes, &facts);
	wishes_clear(&wishes);
}

/* The first byte chooses what it is, and how it is cut. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct split *s;
	size_t step, frame;
	bool list;

	if (!size)
		return 0;
	list = *data & 1;
	step = (*data >> 1) + 1U;
	data++;
	size--;
	if (split_new(list ? SPLIT_LIST : SPLIT_EVENTS, 4096, list ? on_item : on_event, NULL, &s) <
		0)
		return 0;
	for (size_t at = 0; at < size; at += step)
		if (split_feed(s, (const char *)data + at, size - at < step ? size - at : step) < 0)
			break;
	if (split_frame(s, &frame)[frame] != '\0')
		abort();
	check_wishes();
	split_free(s);
	facts_clear(&facts);
	while (n_pods)
		pod_clear(&pods[--n_pods]);
	return 0;
}
