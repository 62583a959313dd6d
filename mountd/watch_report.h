/* SPDX-License-Identifier: Apache-2.0 */
/* Back to the cluster: pod conditions and Events, no more of either than anybody can read. */
#pragma once

#include "mountd/watch_http.h"
#include "mountd/watch_link.h"
#include "mountd/watch_wishes.h"

struct report;

struct report_metrics {
	uint64_t patches;
	uint64_t patch_failures;
	uint64_t events;
	uint64_t event_failures;
	uint64_t events_dropped; /* beyond the rate, or said a short while ago */
};

/* on_wake: something that was held back may be told now: call report_update() again. */
int report_new(struct loop *loop, struct http *http, const char *node, void (*on_wake)(void *data),
	void *data, struct report **ret);
void report_free(struct report *r);

/* Tells what is not as it was told. Verdicts are borrowed for the call. */
void report_update(
	struct report *r, const struct verdict *verdicts, size_t n, const struct link *link);

const struct report_metrics *report_metrics(const struct report *r);
