/* SPDX-License-Identifier: Apache-2.0 */
/* The watch: everything brought together in one loop. */
#include "mountd/watch.h"

#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "mountd/base/cleanup.h"
#include "mountd/base/log.h"
#include "mountd/watch_contract.h"

/* Bursts of events become one computation. */
#define PAUSE_MS 50

/* Never later than asked for before, or a steady stream of events would starve it. */
static void compute_soon(struct watch *w, uint64_t in_ms)
{
	uint64_t when = loop_clock_ms() + in_ms;

	if (loop_timer_running(w->timer) && w->due_ms <= when)
		return;
	w->due_ms = when;
	loop_timer_set(w->timer, in_ms);
}

static void on_change(void *data)
{
	compute_soon(data, PAUSE_MS);
}

static void count(struct watch *w, const struct wishes *wishes)
{
	memset(&w->counts, 0, sizeof w->counts);
	w->counts.specs = wishes->n_specs;
	for (size_t i = 0; i < wishes->n_verdicts; i++) {
		enum verdict_kind kind = wishes->verdicts[i].kind;

		w->counts.wished += kind == VERDICT_WISHED;
		w->counts.waiting += kind == VERDICT_WAITING;
		w->counts.refused += kind == VERDICT_REFUSED;
		w->counts.ending += kind == VERDICT_ENDING;
	}
}

static bool is_listed(const struct watch *w)
{
	for (size_t i = 0; i < STORE_SOURCES; i++)
		if (!list_is_complete(w->feeds[i].list))
			return false;
	return true;
}

/*
 * Before everything is known the daemon is told nothing: it would end what is only not listed
 * yet. A fact that is new later concerns a pod that is new, too.
 */
static int tell_daemon(struct watch *w, const struct wishes *wishes)
{
	int r;

	if (!is_listed(w) || (!w->sent && wishes_are_partial(wishes, &w->facts)))
		return 0;
	r = link_want(w->link, wishes->specs, wishes->n_specs);
	if (r == 0 && !w->sent)
		log_event(LOG_LEVEL_INFO, "complete", log_number("pods", w->store.n),
			log_number("specs", wishes->n_specs));
	w->sent |= r == 0;
	return r;
}

static int find_wishes(struct watch *w, struct wishes *ret)
{
	struct wishes_input in = {
		.config = &w->config, .facts = &w->facts, .now_ms = loop_clock_ms()};
	const struct pod **pods = calloc(w->store.n + 1, sizeof(struct pod *));
	int r;

	if (!pods)
		return -ENOMEM;
	for (size_t i = 0; i < w->store.n; i++)
		pods[i] = &w->store.list[i]->pod;
	in.pods = pods;
	in.n_pods = w->store.n;
	r = wishes_find(&in, ret);
	free(pods);
	return r;
}

static void compute(void *data)
{
	struct watch *w = data;
	_cleanup_(wishes_clear) struct wishes wishes = {0};
	uint64_t now = loop_clock_ms();
	int r = find_wishes(w, &wishes);

	w->computed++;
	if (r == 0) {
		lookup_need(w->lookup, wishes.needs, wishes.n_needs);
		count(w, &wishes);
		r = tell_daemon(w, &wishes);
	}
	if (r < 0) {
		log_event(LOG_LEVEL_ERROR, "out-of-memory", log_number("pods", w->store.n));
		compute_soon(w, 1000);
		return;
	}
	if (w->sent)
		report_update(w->report, wishes.verdicts, wishes.n_verdicts, w->link);
	if (wishes.wake_ms != UINT64_MAX)
		compute_soon(w, wishes.wake_ms > now ? wishes.wake_ms - now + 1 : 1);
}

static void on_begin(void *data)
{
	struct watch_feed *f = data;

	store_begin(&f->watch->store, f->source);
}

static int on_object(void *data, bool deleted, const json_t *object)
{
	struct watch_feed *f = data;
	struct watch *w = f->watch;
	struct pod pod;
	int r = pod_from_json(object, &pod);

	if (r < 0)
		return r;
	if (deleted) {
		store_lose(&w->store, f->source, pod.uid, loop_clock_ms());
		lookup_strays(w->lookup);
		pod_clear(&pod);
		return 0;
	}
	r = store_put(&w->store, f->source, &pod, loop_clock_ms());
	if (r < 0)
		pod_clear(&pod);
	else if (r > 0)
		on_change(w);
	return r < 0 ? r : 0;
}

static void on_complete(void *data)
{
	struct watch_feed *f = data;

	store_end(&f->watch->store, f->source, loop_clock_ms());
	lookup_strays(f->watch->lookup);
	on_change(f->watch);
	(void)malloc_trim(0);
}

static int start_feed(struct watch *w, enum watch_source source)
{
	struct watch_feed *f = &w->feeds[source];
	struct list_config config = {.name = source == SOURCE_NODE ? "node" : "agent",
		.path = "/api/v1/pods",
		.selector = f->selector,
		.watch_seconds = 240,
		.on_begin = on_begin,
		.on_object = on_object,
		.on_complete = on_complete,
		.data = f};
	size_t size = sizeof f->selector;

	f->watch = w;
	f->source = source;
	if (source == SOURCE_NODE) {
		(void)snprintf(f->selector, size, "&fieldSelector=");
		http_encode(f->selector, size, "spec.nodeName=");
		http_encode(f->selector, size, w->options.node);
		(void)strncat(f->selector, "&labelSelector=", size - strlen(f->selector) - 1);
		http_encode(f->selector, size,
			LABEL_COMPONENT " in (" COMPONENT_SANDBOX "," COMPONENT_RUNTIME ")");
	} else {
		(void)snprintf(f->selector, size, "&labelSelector=");
		http_encode(f->selector, size,
			LABEL_COMPONENT "=" COMPONENT_SANDBOX "," LABEL_AGENT_NODE "=");
		http_encode(f->selector, size, w->options.node);
	}
	return list_new(w->loop, w->http, &config, &f->list);
}

static void on_stop(void *data)
{
	struct watch *w = data;

	log_event(LOG_LEVEL_INFO, "stopping");
	loop_stop(w->loop);
}

static int start_loop(struct watch *w)
{
	int r = loop_new(&w->loop);

	if (r == 0)
		r = loop_timer_new(w->loop, compute, w, &w->timer);
	if (r == 0)
		r = loop_signal_new(w->loop, SIGTERM, on_stop, w, &w->signals[0]);
	if (r == 0)
		r = loop_signal_new(w->loop, SIGINT, on_stop, w, &w->signals[1]);
	return r;
}

static int start_engines(struct watch *w)
{
	int r = start_loop(w);

	if (r == 0)
		r = http_new(w->loop, &w->access, &w->http);
	if (r == 0)
		r = lookup_new(w->loop, w->http, &w->facts, &w->store, on_change, w, &w->lookup);
	if (r == 0)
		r = link_new(w->loop, w->options.socket, on_change, w, &w->link);
	if (r == 0)
		r = report_new(w->loop, w->http, w->options.node, on_change, w, &w->report);
	for (size_t i = 0; i < STORE_SOURCES && r == 0; i++)
		r = start_feed(w, (enum watch_source)i);
	return r;
}

static int start(struct watch *w, struct kerr *e)
{
	const struct watch_options *o = &w->options;
	struct health_sources sources = {watch_why_not_ready, watch_metrics, w};
	int r = o->kubeconfig
			? access_from_kubeconfig(o->kubeconfig, &w->access, e)
			: access_in_cluster(o->server, o->token_file, o->ca_file, &w->access, e);

	if (r < 0)
		return r;
	w->config = (struct wishes_config){
		.node = o->node,
		.volumes = {o->kubelet_dir, w->options.roots, o->n_roots},
		.port = o->port,
		.cross_namespace = o->cross_namespace,
		.unexport_grace_ms = o->unexport_grace_seconds * 1000ULL,
	};
	r = start_engines(w);
	if (r < 0)
		return kerr_set(e, r, "start the loop", NULL, NULL);
	return o->http.family ? health_new(w->loop, &o->http, o->http_port, &sources, &w->health, e)
			      : 0;
}

int watch_new(const struct watch_options *options, struct watch **ret, struct kerr *e)
{
	struct watch *w = calloc(1, sizeof *w);
	int r;

	if (!w)
		return kerr_set(e, -ENOMEM, "start", NULL, NULL);
	w->options = *options;
	r = start(w, e);
	if (r < 0) {
		watch_free(w);
		return r;
	}
	*ret = w;
	return 0;
}

void watch_run(struct watch *w)
{
	log_event(LOG_LEVEL_INFO, "started", log_text("version", KORA_VERSION),
		log_text("node", w->options.node), log_text("server", w->access.server));
	loop_run(w->loop);
}

void watch_free(struct watch *w)
{
	health_free(w->health);
	for (size_t i = 0; i < STORE_SOURCES; i++)
		list_free(w->feeds[i].list);
	report_free(w->report);
	link_free(w->link);
	lookup_free(w->lookup);
	http_free(w->http);
	store_clear(&w->store);
	facts_clear(&w->facts);
	loop_timer_free(w->timer);
	for (size_t i = 0; i < 2; i++)
		loop_signal_free(w->signals[i]);
	loop_free(w->loop);
	access_clear(&w->access);
	free(w);
}
