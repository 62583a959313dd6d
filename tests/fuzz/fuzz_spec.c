/* SPDX-License-Identifier: Apache-2.0 */
/* Spec files: whatever is taken must survive the way to JSON and back. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mountd/spec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_refusal(const struct spec_fault *fault)
{
	char text[400];

	if (!fault->message[0])
		abort();
	spec_fault_format(fault, text, sizeof text);
}

static void check_round_trip(const struct spec *spec)
{
	struct spec again;
	struct spec_fault fault;
	json_t *object = spec_to_json(spec);
	char *text = object ? json_dumps(object, JSON_COMPACT) : NULL;

	if (!text || spec_parse(text, strlen(text), &again, &fault) < 0 ||
		!spec_equal(spec, &again))
		abort();
	spec_clear(&again);
	free(text);
	json_decref(object);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct spec spec;
	struct spec_fault fault = {0};
	int r = spec_parse((const char *)data, size, &spec, &fault);

	if (r < 0) {
		check_refusal(&fault);
		return 0;
	}
	check_round_trip(&spec);
	spec_clear(&spec);
	return 0;
}
