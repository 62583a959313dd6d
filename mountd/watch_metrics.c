/* SPDX-License-Identifier: Apache-2.0 */
/* The watch's state for probes and Prometheus: no label that grows with runs or pods. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "mountd/base/cleanup.h"
#include "mountd/watch.h"

const char *watch_why_not_ready(void *data)
{
	static char text[600];
	const struct watch *w = data;

	for (size_t i = 0; i < STORE_SOURCES; i++) {
		const struct list *list = w->feeds[i].list;

		if (list_is_complete(list))
			continue;
		(void)snprintf(text, sizeof text, "pods are not listed yet%s%s",
			*list_fault(list) ? ": " : "", list_fault(list));
		return text;
	}
	if (!link_is_up(w->link))
		return "the daemon is not reachable";
	if (!w->sent)
		return "the daemon has not been told yet";
	return NULL;
}

static void put_lists(FILE *out, const struct watch *w)
{
	static const char *const names[] = {[SOURCE_NODE] = "node", [SOURCE_AGENT] = "agent"};
	static const struct {
		const char *name, *help;
		size_t at;
	} counters[] = {
		{"lists_total", "Complete lists.", offsetof(struct list_metrics, lists)},
		{"watches_total", "Watches begun.", offsetof(struct list_metrics, watches)},
		{"events_total", "Events received.", offsetof(struct list_metrics, events)},
		{"list_failures_total", "Lists and watches that failed.",
			offsetof(struct list_metrics, failures)},
		{"unreadable_total", "Objects that were not understood.",
			offsetof(struct list_metrics, unreadable)},
	};

	for (size_t i = 0; i < sizeof counters / sizeof *counters; i++) {
		fprintf(out,
			"# HELP kora_sandbox_watch_%s %s\n# TYPE kora_sandbox_watch_%s counter\n",
			counters[i].name, counters[i].help, counters[i].name);
		for (size_t j = 0; j < STORE_SOURCES; j++) {
			const char *m = (const char *)list_metrics(w->feeds[j].list);

			fprintf(out, "kora_sandbox_watch_%s{watch=\"%s\"} %" PRIu64 "\n",
				counters[i].name, names[j],
				*(const uint64_t *)(const void *)(m + counters[i].at));
		}
	}
}

static void put(FILE *out, const char *type, const char *name, const char *help, uint64_t value)
{
	fprintf(out,
		"# HELP kora_sandbox_watch_%s %s\n# TYPE kora_sandbox_watch_%s %s\n"
		"kora_sandbox_watch_%s %" PRIu64 "\n",
		name, help, name, type, name, value);
}

static void put_verdicts(FILE *out, const struct watch *w)
{
	fprintf(out,
		"# HELP kora_sandbox_watch_sandboxes Sandbox pods that concern this node.\n"
		"# TYPE kora_sandbox_watch_sandboxes gauge\n"
		"kora_sandbox_watch_sandboxes{verdict=\"wished\"} %zu\n"
		"kora_sandbox_watch_sandboxes{verdict=\"waiting\"} %zu\n"
		"kora_sandbox_watch_sandboxes{verdict=\"refused\"} %zu\n"
		"kora_sandbox_watch_sandboxes{verdict=\"ending\"} %zu\n",
		w->counts.wished, w->counts.waiting, w->counts.refused, w->counts.ending);
}

char *watch_metrics(void *data)
{
	const struct watch *w = data;
	const struct report_metrics *r = report_metrics(w->report);
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	put(out, "gauge", "pods", "Pods known.", w->store.n);
	put(out, "gauge", "facts", "Claims, volumes and nodes known.", w->facts.n);
	put(out, "gauge", "specs", "Specs wanted of the daemon.", w->counts.specs);
	put(out, "gauge", "daemon_up", "Is the daemon reachable?", link_is_up(w->link));
	put(out, "gauge", "current", "Does the daemon know all that is wanted?",
		link_is_current(w->link));
	put_verdicts(out, w);
	put_lists(out, w);
	put(out, "counter", "lookup_failures_total", "Lookups that failed.",
		lookup_failures(w->lookup));
	put(out, "counter", "conditions_total", "Pod conditions written.", r->patches);
	put(out, "counter", "condition_failures_total", "Pod conditions not written.",
		r->patch_failures);
	put(out, "counter", "cluster_events_total", "Events created.", r->events);
	put(out, "counter", "cluster_event_failures_total", "Events not created.",
		r->event_failures);
	put(out, "counter", "cluster_events_held_total",
		"Events not created as they were said already or came too fast.",
		r->events_dropped);
	put(out, "counter", "computed_total", "Times that the wishes were computed.", w->computed);
	if (fclose(out) != 0) {
		free(text);
		return NULL;
	}
	return text;
}
