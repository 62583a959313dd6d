/* SPDX-License-Identifier: Apache-2.0 */
/* One sandbox pod on its own: what this node has to do for it. */
#pragma once

#include "mountd/watch_wishes.h"

struct judge {
	const struct wishes_input *in;
	struct wishes *out;
	const struct pod *const *runtimes; /* sorted by namespace and name */
	size_t n_runtimes;
	bool out_of_memory;
};

/* Order of runtimes. */
int judge_compare_runtime(const struct pod *a, const struct pod *b);

/* Is it over, whoever looks: deleted, failed, or its node is gone? */
bool judge_is_ending(const struct judge *j, const struct pod *sandbox);

/*
 * Fills *v; *ret is the spec where the verdict is WISHED, or ENDING with has_spec. The spec is the
 * caller's to clear.
 */
void judge_sandbox(struct judge *j, const struct pod *sandbox, struct verdict *v, struct spec *ret,
	bool *ret_has_spec);

void judge_say(struct verdict *v, enum verdict_kind kind, const char *reason, const char *format,
	...) __attribute__((format(printf, 4, 5)));

void judge_need(void *judge, enum fact_kind kind, const char *namespace, const char *name);
