/* SPDX-License-Identifier: Apache-2.0 */
/* The watch: pods in, wishes to the daemon, and what became of them back to the cluster. */
#pragma once

#include "mountd/watch_access.h"
#include "mountd/watch_health.h"
#include "mountd/watch_link.h"
#include "mountd/watch_list.h"
#include "mountd/watch_lookup.h"
#include "mountd/watch_options.h"
#include "mountd/watch_report.h"

enum watch_source {
	SOURCE_NODE,  /* the pods of this node */
	SOURCE_AGENT, /* sandboxes whose agent is on this node */
};

_Static_assert(SOURCE_AGENT + 1 == STORE_SOURCES, "one bit for each watch");

struct watch;

struct watch_feed {
	struct watch *watch;
	enum watch_source source;
	struct list *list;
	char selector[1024];
};

struct watch {
	struct watch_options options;
	struct access access;
	struct loop *loop;
	struct loop_timer *timer; /* the wishes are due … */
	uint64_t due_ms;	  /* … at this time */
	struct loop_signal *signals[2];
	struct http *http;
	struct watch_feed feeds[STORE_SOURCES];
	struct store store;
	struct facts facts;
	struct lookup *lookup;
	struct link *link;
	struct report *report;
	struct health *health;
	struct wishes_config config;
	struct {
		size_t specs, wished, waiting, refused, ending;
	} counts;
	bool sent; /* the daemon was told what is wanted at least once */
	uint64_t computed;
};

int watch_new(const struct watch_options *options, struct watch **ret, struct kerr *e);
void watch_run(struct watch *w); /* until SIGTERM or SIGINT */
void watch_free(struct watch *w);

/* watch_metrics.c: for struct health_sources. */
const char *watch_why_not_ready(void *watch);
char *watch_metrics(void *watch);
